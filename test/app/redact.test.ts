// Tests the redaction of everything that enters a store: texts, contents of files, names; the reports about it, and the parts that stay.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { labelText, redactionFor } from '../../src/app/redaction/redact.ts';
import { prepareRecord } from '../../src/app/session/records.ts';
import { cleanBelow } from '../../src/core/file-path.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { keyedHash } from '../../src/history/store/secret-key.ts';
import * as ctx from '../../src/index.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

/** Made here, so that nothing in this file looks like a secret. */
const KEY = fill('AKIA{16:U}', new Chance(3));
const TOKEN = fill('ghp_{36:b}', new Chance(7));
const MARKER = /\[redacted:aws-access-key:[0-9a-f]{8}\]/;

afterEach(() => vi.unstubAllEnvs());

function open(settings: Record<string, unknown> = {}): Project {
  const project = makeProject(settings);
  ctx.startSession(project.repository, 'the task');
  return project;
}

/** Flushes, and gives the records of that step, whole. */
function flushed({ repository }: Project): StoredRecord[] {
  ctx.flushStep(repository);
  return [...ctx.showRevision(repository, 'STAGE').steps].at(-1)?.observations ?? [];
}

/** Reads the content of a file in the step of a flush. */
const kept = (project: Project, path: string): string => project.git('show', `STAGE:files/${path}`);

describe('a record', () => {
  test('has markers in place of secrets, and counts them by rule', () => {
    const project = open();
    ctx.observeNote(project.repository, `first ${KEY}, then ${TOKEN}, and ${KEY} again`);
    const [note] = flushed(project);
    const [one, two] = [...String(note?.['content']).matchAll(/\[redacted:aws-access-key:([0-9a-f]{8})\]/g)];
    expect(one?.[1]).toBe(keyedHash(project.repository, labelText(KEY)).slice(0, 8));
    expect(two?.[1]).toBe(one?.[1]);
    expect(note?.redacted).toEqual({ 'aws-access-key': 2, 'github-token': 1 });
  });

  test('without a secret has no count, and needs no key', () => {
    const project = open();
    ctx.observeNote(project.repository, 'Full jitter');
    expect(flushed(project)[0]).not.toHaveProperty('redacted');
    expect(readdirSync(project.store)).not.toContain('key');
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ redacted: {} });
  });

  test('says itself what was redacted, whatever it was given', () => {
    const project = open();
    const draft = { body: { kind: 'note', content: 'plain', role: 'plain', redacted: { jwt: 5 } } };
    const { record } = prepareRecord(project.repository, project.repository.objects, 1, draft);
    expect(record).not.toHaveProperty('redacted');
  });

  test('is redacted in a text that comes in pieces, with zeros in it too', () => {
    const project = open();
    const text = `${'x '.repeat(70_000)}\0${KEY}\n${'y '.repeat(70_000)}`;
    ctx.observeNote(project.repository, [Buffer.from(`\0${KEY}`)]);
    ctx.observeNote(project.repository, [Buffer.from(text.slice(0, 140_010)), Buffer.from(text.slice(140_010))]);
    const [short, long] = flushed(project);
    expect(short?.['content']).toMatch(new RegExp(`^\0${MARKER.source}$`));
    expect(long?.['content']).toMatch(MARKER);
    expect(String(long?.['content']).replace(MARKER, KEY)).toBe(text);
    expect([short?.redacted, long?.redacted]).toEqual([{ 'aws-access-key': 1 }, { 'aws-access-key': 1 }]);
  });

  test('of a message keeps its ids, and of anything else nothing', () => {
    const project = open();
    const part = { type: 'dynamic-tool', toolCallId: KEY, toolName: 'x', state: 'input-available', input: { id: KEY } };
    const message = { id: KEY, role: 'assistant', parts: [part] };
    const more = { kind: 'part', message_id: KEY, part_id: KEY, seq: 1, part: { type: 'text', text: KEY } };
    const lines = [{ kind: 'message', message }, more, { kind: 'overlay', op: 'hide', ids: [KEY], reason: KEY }];
    ctx.observeBatch(project.repository, [Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]);
    const hidden = expect.stringMatching(MARKER);
    expect(flushed(project)).toMatchObject([
      { message: { ...message, parts: [{ ...part, input: { id: hidden } }] } },
      { message_id: KEY, part_id: KEY, part: { text: hidden } },
      { ids: [KEY], reason: hidden },
    ]);
  });
});

describe('a part that streams', () => {
  const part = (seq: number, body: object): string =>
    JSON.stringify({ kind: 'part', message_id: 'm1', part_id: 'p9', seq, part: body });

  test.each(['text', 'reasoning'])('shows no more of a key in its %s than of what it begins with', (type) => {
    const project = open();
    const lines = [12, 30, 36, 38, 39, 40].map((length) =>
      part(length, { type, text: `tok ${TOKEN.slice(0, length)}` }),
    );
    ctx.observeBatch(project.repository, [Buffer.from(lines.join('\n'))]);
    expect(tracesOf(project.store, TOKEN.slice(0, 12))).toEqual([]);
    const texts = flushed(project).map((record) => (record['part'] as { text: string }).text);
    const marker = (label: string): string => `tok [redacted:github-token:${label}]`;
    const begun = marker(keyedHash(project.repository, 'github-token').slice(0, 8));
    const whole = marker(keyedHash(project.repository, labelText(TOKEN)).slice(0, 8));
    expect(texts).toEqual([begun, begun, begun, begun, begun, whole]);
    expect(tracesOf(project.store, TOKEN.slice(0, 12))).toEqual([]);
  });

  test('keeps its end if it is done, or if it is no part of a message', () => {
    const project = open();
    const text = `tok ${TOKEN.slice(0, 30)}`;
    const message = {
      id: 'm',
      role: 'assistant',
      parts: [
        { type: 'text', text },
        { type: 'text', text, state: 'done' },
      ],
    };
    const lines = [
      part(1, { type: 'text', text, state: 'done' }),
      part(2, { type: 'data-x', data: { type: 'text', text } }),
      JSON.stringify({ kind: 'message', message }),
      JSON.stringify({ kind: 'note', content: text }),
    ];
    ctx.observeBatch(project.repository, [Buffer.from(lines.join('\n'))]);
    const hidden = expect.stringMatching(/^tok \[redacted:github-token:[0-9a-f]{8}\]$/);
    expect(flushed(project)).toMatchObject([
      { part: { text } },
      { part: { data: { text: hidden } } },
      { message: { parts: [{ text: hidden }, { text }] } },
      { content: text },
    ]);
  });
});

describe('a session', () => {
  test('adds up what was redacted, what waits counted in, and keeps it when it is compacted', () => {
    const project = open();
    ctx.observeNote(project.repository, KEY);
    ctx.flushStep(project.repository);
    ctx.observeNote(project.repository, `${KEY} ${TOKEN}`);
    const redacted = { 'aws-access-key': 2, 'github-token': 1 };
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ redacted });
    ctx.flushStep(project.repository);
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ redacted });
    ctx.compactSession(project.repository);
    expect(ctx.showRevision(project.repository, 'HEAD').redacted).toEqual(redacted);
    expect(fsck(project.store)).toBe('');
  });

  test('has no secret in its task, agent, state, message or type', () => {
    const project = makeProject();
    const { repository } = project;
    const started = ctx.startSession(repository, `use ${KEY}`, { agent: TOKEN });
    expect(started.task_description).toMatch(MARKER);
    expect(ctx.sessionStatus(repository)).toMatchObject({
      agent: expect.stringMatching(/^\[redacted:github-token:/),
      redacted: { 'aws-access-key': 1, 'github-token': 1 },
    });
    expect(ctx.setState(repository, 'ask', { text: `is ${KEY} right?`, note: KEY }).session_state).toMatchObject({
      question: expect.stringMatching(MARKER),
    });
    const answer = ctx.setState(repository, 'respond', { text: KEY });
    const step = [...ctx.showRevision(repository, answer.oid).steps][0];
    expect(step?.observations.map((record) => record.redacted)).toEqual([
      { 'aws-access-key': 1 },
      undefined,
      undefined,
    ]);
    ctx.setState(repository, 'done', { text: KEY, compact: true, message: `with ${TOKEN}` });
    const next = ctx.startSession(repository, 'next');
    ctx.compactSession(repository, { type: { kind: 'InterruptedByNewTask', new_task_summary: KEY } });
    const texts = project.git('log', '--all', '-p', '--format=%B%an');
    expect(next.compacted).toBeNull();
    expect(texts).toMatch(MARKER);
    for (const secret of [KEY, TOKEN]) expect(texts).not.toContain(secret);
  });
});

describe('the content of a file', () => {
  test('is kept as text without its secrets, every other byte as it was', () => {
    const project = open();
    const content = Buffer.concat([
      Buffer.from(`key: ${KEY}\r\n`),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.alloc(9000, 'z'),
    ]);
    writeFileSync(join(project.folder, 'f.txt'), content);
    ctx.observeFileWrite(project.repository, 'f.txt', project.folder);
    const [record] = flushed(project);
    const blob = project.repository.objects.readAs(record?.['blob'] as string, 'blob');
    const marker = MARKER.exec(blob.toString('latin1'))?.[0] ?? '';
    expect(blob.toString('latin1').replace(marker, KEY)).toBe(content.toString('latin1'));
    expect(record).toMatchObject({ bytes: blob.length, redacted: { 'aws-access-key': 1 } });
    expect(fsck(project.store)).toBe('');
  });

  test.each<[string, string | Buffer]>([
    ['.env', 'A=b\n'],
    ['server.pem', 'x\n'],
    ['picture', Buffer.from('a\0b')],
  ])('of %s is kept as size and hash only, unless the settings ask for it', (name, content) => {
    const project = open();
    writeFileSync(join(project.folder, name), content);
    ctx.observeFileRead(project.repository, name, project.folder);
    ctx.observeFileRead(project.repository, name, project.folder, { content: true });
    const [told, whole] = flushed(project);
    expect(told).toMatchObject({ path: name, bytes: content.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(told).not.toHaveProperty('blob');
    expect(whole).toHaveProperty('blob');
    expect(kept(project, name)).toBe(content.toString());
  });

  test('is that of the file that a link leads to', () => {
    const project = open();
    writeFileSync(join(project.folder, '.env'), 'A=b\n');
    symlinkSync('.env', join(project.folder, 'harmless.txt'));
    ctx.observeFileRead(project.repository, 'harmless.txt', project.folder);
    expect(flushed(project)[0]).not.toHaveProperty('blob');
  });

  test('under a name with a secret in it has another name', () => {
    const project = open();
    mkdirSync(join(project.folder, TOKEN));
    writeFileSync(join(project.folder, TOKEN, 'f'), 'content\n');
    ctx.observeFileWrite(project.repository, `${TOKEN}/f`, project.folder);
    const [record] = flushed(project);
    expect(record?.['path']).toMatch(/^\[redacted:github-token:[0-9a-f]{8}\]\/f$/);
    expect(kept(project, String(record?.['path']))).toBe('content\n');
    ctx.observeFileWrite(project.repository, join(project.folder, TOKEN, 'f'), project.folder);
    expect(flushed(project)[0]?.['path']).toBe(record?.['path']);
  });
});

describe('settings', () => {
  test('"off" writes everything as it is', () => {
    const project = open({ redact: 'off' });
    writeFileSync(join(project.folder, '.env'), `KEY=${KEY}\0`);
    ctx.observeFileRead(project.repository, '.env', project.folder);
    ctx.observeNote(project.repository, KEY);
    expect(flushed(project)[1]).toEqual(expect.objectContaining({ content: KEY }));
    expect(kept(project, '.env')).toBe(`KEY=${KEY}\0`);
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ redacted: {} });
    expect(redactionFor(project.repository).isOn).toBe(false);
  });

  test('no pattern reaches what a commit says of how a session ended', () => {
    const project = open({ redact: { patterns: [{ name: 'ours', pattern: 'New[A-Z]' }] } });
    const { compacted } = ctx.startSession(project.repository, 'NewX thing', { replace: true });
    expect(compacted?.commit_type.kind).toBe('InterruptedByNewTask');
    expect(compacted?.commit_type).toMatchObject({
      new_task_summary: expect.stringMatching(/^\[redacted:ours:[0-9a-f]{8}\] thing$/),
    });
    expect(fsck(project.store)).toBe('');
  });

  test('switch off a rule, let a text through, and add a pattern', () => {
    const patterns = [{ name: 'ours', pattern: 'our-[0-9]{8}' }];
    const project = open({ redact: { off: ['github-token'], allow: [KEY], patterns } });
    ctx.observeNote(project.repository, `${TOKEN} ${KEY} our-12345678`);
    expect(flushed(project)[0]).toMatchObject({
      content: expect.stringMatching(new RegExp(`^${TOKEN} ${KEY} \\[redacted:ours:[0-9a-f]{8}\\]$`)),
      redacted: { ours: 1 },
    });
  });

  test('keep all contents, still without the secrets of texts', () => {
    const project = open({ redact: { content: 'all' } });
    writeFileSync(join(project.folder, '.env'), `A=${KEY}\n`);
    ctx.observeFileRead(project.repository, '.env', project.folder);
    expect(flushed(project)[0]).toHaveProperty('blob');
    expect(kept(project, '.env')).toMatch(MARKER);
  });
});

test('redacts values of sensitive variables of the environment everywhere', () => {
  vi.stubEnv('DEPLOY_PASSWORD', 'Zanpel48"Dor!');
  const project = open();
  ctx.observeNote(project.repository, 'it said Zanpel48"Dor! and left');
  expect(flushed(project)[0]).toMatchObject({
    content: expect.stringMatching(/^it said \[redacted:environment:[0-9a-f]{8}\] and left$/),
  });
});

test('a path loses its secrets before it is tidied, by whatever door it comes', () => {
  const project = open();
  const { repository, folder } = project;
  const password = fill('{20:b}', new Chance(5));
  const path = `redis://:${password}@cache.internal:6379/0`;
  ctx.observeFileWrite(repository, path, folder, { deleted: true });
  const line = { kind: 'read', path, bytes: 1, sha256: '0'.repeat(64) };
  ctx.observeBatch(repository, [Buffer.from(JSON.stringify(line))], folder);
  const records = flushed(project);
  const named = /^redis:\/:\[redacted:database-url-password:[0-9a-f]{8}\]@cache\.internal:6379\/0$/;
  for (const record of records)
    expect(record).toMatchObject({ path: expect.stringMatching(named), redacted: { 'database-url-password': 1 } });
  expect(records).toHaveLength(2);
  const part = { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: path, content: 'x' } };
  const meta = { sessionId: 'one', cwd: folder, timestamp: '2026-01-22T00:00:00Z', version: '2.0.0' };
  const lines = [
    { ...meta, type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: 'Write it' } },
    {
      ...meta,
      type: 'assistant',
      uuid: 'b',
      parentUuid: 'a',
      message: { id: 'm', role: 'assistant', content: [part] },
    },
    {
      ...meta,
      ...{ type: 'user', uuid: 'c', parentUuid: 'b', toolUseResult: { type: 'create', filePath: path, content: 'x' } },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }] },
    },
  ];
  const transcript = join(folder, 'one.jsonl');
  writeFileSync(transcript, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { session_id } = ctx.ingestTranscript(repository, transcript);
  const steps = [...ctx.showRevision(repository, session_id).steps];
  const written = steps.flatMap(({ observations }) => observations).filter(({ kind }) => kind === 'write');
  expect(written).toMatchObject([{ path: expect.stringMatching(named) }]);
  expect(tracesOf(project.store, password)).toEqual([]);
});

test('a path stays relative to a project whose own folder has a secret in its name', () => {
  const root = `/home/${TOKEN}`;
  const clean = (text: string): string => text.replaceAll(TOKEN, 'x');
  expect(cleanBelow(`${root}/a/${TOKEN}`, root, clean)).toBe(`${root}/a/x`);
  expect(cleanBelow(`${root}/a`, `/home`, clean)).toBe('/home/x/a');
});

test('a transcript leaves no secret in records, contents, task, title or in how far it was read', () => {
  const project = makeProject();
  const path = join(project.folder, `${KEY}.jsonl`);
  const fields = { sessionId: 'conversation', timestamp: '2026-01-22T00:00:00.000Z', cwd: `/home/${KEY}` };
  const text = `go\\n${KEY}`;
  const input = { file_path: `/home/${KEY}/a.txt`, content: `k = ${TOKEN}\n` };
  const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Write', input }];
  const lines = [
    { type: 'summary', summary: `about ${KEY}`, leafUuid: 'b' },
    { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: text } },
    { type: 'assistant', uuid: 'b', parentUuid: 'a', message: { id: 'm', role: 'assistant', model: 'some', content } },
    { type: 'odd', uuid: 'c', parentUuid: 'b', payload: { [KEY]: TOKEN } },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ ...line, ...fields })}\n`).join(''));
  const before = readFileSync(path);
  ctx.ingestTranscript(project.repository, path);
  const shown = project.git('log', '--all', '-p', '--format=%B%an');
  expect(shown).toContain('[redacted:aws-access-key:');
  expect(shown).toContain('[redacted:github-token:');
  for (const secret of [KEY, TOKEN]) expect(shown).not.toContain(secret);
  // It is the file that says how far it was read.
  const [source] = JSON.parse(project.git('show', 'STAGE:session.json')).sources as ctx.Source[];
  expect(source?.offset).toBe(before.length);
  expect(ctx.ingestTranscript(project.repository, path)).toMatchObject({ steps_added: 0, created: false });
  expect(fsck(project.store)).toBe('');
});
