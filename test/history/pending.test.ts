// Records that wait: durable, in order, and never read as something else.
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CtxError } from '../../src/core/errors.ts';
import { sha1 } from '../../src/git/objects/loose.ts';
import { readPending, sessionsWithPending } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git, makeProject } from '../support/store.ts';

/** A session with records that wait, one of them with a payload. */
function place() {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  const [short] = ctx.observeNote(project.repository, 'short').records as [string];
  const [long] = ctx.observeNote(project.repository, 'long '.repeat(8_000)).records as [string];
  const folder = join(project.store, 'pending', session_id);
  return { ...project, session_id, folder, short, long, path: (id: string) => join(folder, `${id}.json`) };
}

const signed = (rest: string): string => `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;

describe('a record that waits', () => {
  test('is one file of the user’s alone, its payload beside it, and nothing temporary', () => {
    const { folder, short, long, path, repository, session_id } = place();
    expect(readdirSync(folder).sort()).toEqual([`${short}.json`, `${long}.json`, 'objects'].sort());
    const [object, ...more] = readdirSync(join(folder, 'objects'));
    expect([object?.length, more]).toEqual([40, []]);
    for (const file of [path(short), path(long), join(folder, 'objects', object as string)]) {
      expect(statSync(file).mode & 0o077).toBe(0);
    }
    const waiting = readPending(repository, session_id);
    expect(waiting.map((item) => item.record.id)).toEqual([short, long]);
    expect(waiting[1]).toMatchObject({ objects: [object], payloads: [{ oid: object, name: `${long}-content` }] });
    expect(sessionsWithPending(repository)).toEqual([session_id]);
    expect(JSON.parse(readFileSync(path(short), 'utf8')).record).toMatchObject({ kind: 'note', content: 'short' });
  });

  test('keeps a text of some length, which its flush takes out', () => {
    const { repository, store } = makeProject();
    const { session_id } = ctx.startSession(repository, 'the task');
    const texts = ['many words '.repeat(1_000), 'more \\ud800 '.repeat(1_000)];
    const ids = texts.flatMap((text) => ctx.observeNote(repository, text).records);
    expect(readdirSync(join(store, 'pending', session_id)).sort()).toEqual(ids.map((id) => `${id}.json`).sort());
    const waiting = readPending(repository, session_id);
    expect(waiting.map((item) => item.record.content)).toEqual(texts);
    expect(waiting.map(({ payloads, objects }) => [payloads, objects])).toEqual([
      [[], []],
      [[], []],
    ]);
    const { oid } = ctx.flushStep(repository);
    const tree = git(store, ['ls-tree', '-r', '--name-only', oid]).trim().split('\n');
    expect(tree.filter((name) => name.startsWith('payload/'))).toEqual(ids.map((id) => `payload/${id}-content`));
    const line = git(store, ['show', `${oid}:step.jsonl`]).split('\n')[0] as string;
    expect(JSON.parse(line)).toMatchObject({ content: { preview: texts[0]?.slice(0, 200), bytes: 11_000 } });
    expect(fsck(store)).toBe('');
  });

  test('of a stranger with what looks like a stub of ours has it in a payload from the first', () => {
    const { repository, session_id, folder } = place();
    const stub = { preview: 'p', bytes: 1, sha256: '0'.repeat(64), payload: 'x' };
    ctx.observeBatch(repository, [
      Buffer.from(`${JSON.stringify({ kind: 'note', content: 'x', role: 'plain', told: stub })}\n`),
    ]);
    const last = readPending(repository, session_id).at(-1);
    expect(last?.payloads).toHaveLength(1);
    expect(readdirSync(join(folder, 'objects'))).toHaveLength(2);
    ctx.flushStep(repository);
    expect(JSON.stringify([...ctx.showRevision(repository, 'STAGE').steps])).toContain('"payload":"x"');
  });

  test('that an earlier version wrote is read', () => {
    const { repository, session_id, short, path } = place();
    const rest = readFileSync(path(short), 'utf8')
      .replace(/^\{"adler32":"[0-9a-f]{8}",/, '')
      .trimEnd();
    writeFileSync(path(short), signed(rest));
    expect(readPending(repository, session_id)[0]?.record.content).toBe('short');
  });

  test('comes in the order of its id, whenever its file came', () => {
    const { repository, session_id, short, long, path } = place();
    const text = readFileSync(path(short), 'utf8');
    rmSync(path(short));
    writeFileSync(path(short), text);
    writeFileSync(join(path(short), '..', `${short}.tmp`), 'half a rec');
    expect(readPending(repository, session_id).map((item) => item.record.id)).toEqual([short, long]);
  });

  test('goes with the flush, with its payload; what nobody needs stays out of the store', () => {
    const { repository, folder, store } = place();
    expect(ctx.flushStep(repository)).toMatchObject({ flushed: 2, step: 2 });
    expect(readdirSync(join(store, 'pending'))).toEqual([]);
    expect(() => readdirSync(folder)).toThrow('ENOENT');
    expect(ctx.flushStep(repository)).toMatchObject({ flushed: 0, step: 2, committed: false });
    expect(fsck(store)).toBe('');
  });

  test('an object that another process has written, and not yet its record, is not taken away', () => {
    const { repository, folder } = place();
    const stranger = join(folder, 'objects', 'f'.repeat(40));
    writeFileSync(stranger, 'of a process that is still at it');
    ctx.flushStep(repository);
    expect(readFileSync(stranger, 'utf8')).toBe('of a process that is still at it');
  });

  test('a payload that was written before and is torn is written again', () => {
    const { repository, folder } = place();
    const [object] = readdirSync(join(folder, 'objects')) as [string];
    truncateSync(join(folder, 'objects', object), 3);
    ctx.observeNote(repository, 'long '.repeat(8_000));
    expect(ctx.flushStep(repository).flushed).toBe(3);
  });
});

describe('a damaged one', () => {
  test('changed or cut off anywhere: is named, and nothing is flushed', () => {
    const { repository, session_id, short, path } = place();
    const bytes = readFileSync(path(short));
    const outcome = (changed: Buffer): string => {
      writeFileSync(path(short), changed);
      try {
        return JSON.stringify(readPending(repository, session_id)[0]?.record);
      } catch (error) {
        if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
        return error.message.startsWith(`pending/${session_id}/${short}.json is damaged: `) ? 'named' : error.message;
      }
    };
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(outcome(changed), `byte ${at}`).toBe('named');
      // Without its last line feed it is whole.
      if (at < bytes.length - 1) expect(outcome(bytes.subarray(0, at)), `${at} bytes`).toBe('named');
    }
    expect(errorOf(() => ctx.flushStep(repository)).hint).toContain('ctx fsck --repair sets it aside');
    expect(repository.refs.stage()).not.toBeNull();
    writeFileSync(path(short), bytes);
    expect(ctx.flushStep(repository).flushed).toBe(2);
  });

  test.each<[string, string, string]>([
    ['no record', '"x":1}', 'it holds no record'],
    [
      'a record without an id',
      '"record":{"version":1,"kind":"note","at":1},"payloads":[],"objects":[]}',
      'it has no id',
    ],
    [
      'another record',
      '"record":{"version":1,"id":"other","kind":"note","at":1},"payloads":[],"objects":[]}',
      'its name is not the id of its record',
    ],
  ])('with %s in it: says so', (_words, rest, why) => {
    const { repository, session_id, short, path } = place();
    writeFileSync(path(short), signed(rest));
    expect(errorOf(() => readPending(repository, session_id)).message).toContain(why);
  });

  test('one of a newer version is refused with a hint to upgrade', () => {
    const { repository, session_id, short, path } = place();
    const record = { version: 2, id: short, kind: 'note', at: 1, content: 'x' };
    writeFileSync(path(short), signed(JSON.stringify({ record, payloads: [], objects: [] }).slice(1)));
    const error = errorOf(() => readPending(repository, session_id));
    expect(error.code).toBe('newer_version');
    expect(error.hint).toContain('Upgrade ctx');
  });

  test.each<[string, (file: string) => void]>([
    ['missing', (file) => rmSync(file)],
    ['torn', (file) => truncateSync(file, 10)],
  ])('a payload that is %s is named, and nothing is flushed', (_words, tear) => {
    const { repository, folder } = place();
    const [object] = readdirSync(join(folder, 'objects')) as [string];
    tear(join(folder, 'objects', object));
    const error = errorOf(() => ctx.flushStep(repository));
    expect(error.code).toBe('damaged');
    expect(error.message).toContain(object);
    expect(readdirSync(folder)).toHaveLength(3);
    expect(ctx.sessionStatus(repository)).toMatchObject({ step: 1, pending_observations: 2 });
  });
});

describe('what a field is called', () => {
  test('a long text called "content" beside a file does not take its place', () => {
    const { repository, folder, store } = makeProject();
    ctx.startSession(repository, 't');
    writeFileSync(join(folder, 'a.txt'), 'the file\n');
    const text = 'the text '.repeat(1_000);
    ctx.observeBatch(
      repository,
      [Buffer.from(`${JSON.stringify({ kind: 'write', path: 'a.txt', content: text })}\n`)],
      folder,
    );
    ctx.flushStep(repository);
    const [record] = [...ctx.showRevision(repository, 'STAGE').steps].at(-1)?.observations ?? [];
    expect(record?.['content']).toBe(text);
    const blob = record?.['blob'] as string;
    expect(repository.objects.read(blob).content.toString()).toBe('the file\n');
    expect(fsck(store)).toBe('');
  });
  test('a field that looks like a stub of the session’s payload can be shown', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'long task '.repeat(600));
    const look = { preview: '', bytes: 1, sha256: '', payload: 'session-task_description', encoding: 'json' };
    ctx.observeBatch(repository, [Buffer.from(`${JSON.stringify({ kind: 'of-mine', look })}\n`)]);
    ctx.flushStep(repository);
    const [record] = [...ctx.showRevision(repository, 'STAGE').steps].at(-1)?.observations ?? [];
    expect(record?.['look']).toEqual(look);
  });
});
test('one that is a link to nothing is damaged, and not taken by somebody else', () => {
  const { repository, store } = makeProject();
  const { session_id } = ctx.startSession(repository, 't');
  const [id] = ctx.observeNote(repository, 'waiting').records;
  const path = join(store, 'pending', session_id, `${id}.json`);
  rmSync(path);
  // Gone since the listing, as a flush beside takes it.
  expect(readPending(repository, session_id, [`${id}.json`])).toEqual([]);
  symlinkSync('nowhere', path);
  for (const look of [() => ctx.sessionStatus(repository), () => ctx.flushStep(repository)])
    expect(errorOf(look)).toMatchObject({ code: 'damaged', message: expect.stringContaining(`${id}.json`) });
});

test('a step as large as its records can be read again', () => {
  const { repository } = makeProject();
  ctx.startSession(repository, 't');
  const line = Buffer.from(`${JSON.stringify({ kind: 'of-mine', list: Array(14_000).fill('a'.repeat(1_000)) })}\n`);
  for (let count = 0; count < 5; count += 1) ctx.observeBatch(repository, [line]);
  ctx.flushStep(repository);
  ctx.observeNote(repository, 'one more');
  expect(ctx.flushStep(repository).flushed).toBe(1);
});
