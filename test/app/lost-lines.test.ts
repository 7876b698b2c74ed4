// A turn with a line that was left out, or cannot be read, is not captured; a line over the limit is kept without its pictures.
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { LINE_LIMIT } from '../../src/core/lines.ts';
import { put } from '../support/homes.ts';
import { makeProject, type Project, ROOT, temporaryFolder } from '../support/store.ts';

let project: Project;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  environment = { HOME: home };
});

const status = () => captureStatus(project.open(), { environment });
const seen = (): string[] =>
  status().conversations.map((each) => `${each.captured} ${each.turns_stored}/${each.turns}`);
const caughtUp = () => catchUp(project.open(), { environment, all: true });
/** Checks if the store holds a text. */
const isStored = (text: string): boolean => project.git('cat-file', '--batch-all-objects', '--batch').includes(text);
const TIME = '2026-11-10T09:00:00.000Z';
const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** A picture of 13 MB; in base64 it is longer than any line may be. */
const PICTURE = Buffer.from(Uint8Array.from({ length: 13_000_000 }, (_, index) => index * 7919 + (index >> 8)));
const LEFT_OUT = `[${PICTURE.length} bytes left out by ctx, sha256 ${createHash('sha256').update(PICTURE).digest('hex')}]`;
const HERE = '@PICTURE@';

/** Writes a text with a picture in it. */
function putWithPicture(path: string, text: string): string {
  put(path, '');
  const handle = openSync(path, 'w');
  text.split(HERE).forEach((part, index) => {
    if (index > 0) writeSync(handle, PICTURE.toString('base64'));
    writeSync(handle, part);
  });
  closeSync(handle);
  return path;
}

describe('a line that is too long for its picture', () => {
  const claude = (): string => {
    const line = (type: string, uuid: string, parentUuid: string | null, message: object): string =>
      json({
        type,
        uuid,
        parentUuid,
        isSidechain: false,
        cwd: project.folder,
        sessionId: 's1',
        timestamp: TIME,
        message,
      });
    const call = { type: 'tool_use', id: 't1', name: 'screenshot', input: {} };
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: HERE } };
    const result = {
      type: 'tool_result',
      tool_use_id: 't1',
      content: [{ type: 'text', text: 'the door is open' }, image],
    };
    return (
      line('user', 'u1', null, { role: 'user', content: 'Look at the door' }) +
      line('assistant', 'a1', 'u1', {
        id: 'm1',
        role: 'assistant',
        model: 'm',
        content: [call],
        stop_reason: 'tool_use',
      }) +
      line('user', 'u2', 'a1', { role: 'user', content: [result] })
    );
  };
  const codex = (): string => {
    const item = (payload: object): string => json({ timestamp: TIME, type: 'response_item', payload });
    const image = { type: 'input_image', image_url: `data:image/png;base64,${HERE}` };
    const text = { type: 'input_text', text: 'the door is open' };
    return (
      json({
        timestamp: TIME,
        type: 'session_meta',
        payload: { id: 'x1', cwd: project.folder, cli_version: '0.170.0' },
      }) +
      item({ type: 'message', role: 'user', content: [text, image] }) +
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So it is.' }] })
    );
  };
  const pi = (): string => {
    const image = { type: 'image', data: HERE, mimeType: 'image/png' };
    const content = [{ type: 'text', text: 'the door is open' }, image];
    return (
      json({ type: 'session', version: 3, id: 'p1', timestamp: TIME, cwd: project.folder }) +
      json({
        type: 'message',
        id: 'e1',
        parentId: null,
        timestamp: TIME,
        message: { role: 'user', content, timestamp: 1 },
      })
    );
  };
  const gemini = (): object => {
    const inline = { inlineData: { mimeType: 'image/png', data: HERE } };
    const content = [{ text: 'the door is open' }, inline];
    return {
      ...{ sessionId: 'g1', projectHash: createHash('sha256').update(project.folder).digest('hex') },
      ...{ startTime: TIME, lastUpdated: TIME, kind: 'main' },
      messages: [{ id: 'u1', timestamp: TIME, type: 'user', content }],
    };
  };
  const geminiLines = (): string => {
    const { messages, ...header } = gemini() as { messages: object[] };
    return json(header) + messages.map(json).join('');
  };
  const opencode = (): string => {
    const time = { created: 1, updated: 2 };
    const info = { id: 'ses_1', directory: project.folder, projectID: 'p', title: 'T', version: '1', time };
    const of = { messageID: 'msg_1', sessionID: 'ses_1' };
    const text = { id: 'prt_1', ...of, type: 'text', text: 'the door is open' };
    const file = { id: 'prt_2', ...of, type: 'file', mime: 'image/png', url: `data:image/png;base64,${HERE}` };
    const message = {
      info: { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } },
      parts: [text, file],
    };
    return JSON.stringify({ info, messages: [message] });
  };
  const hash = (): string => createHash('sha256').update(project.folder).digest('hex');

  test.each<[string, () => string, () => string]>([
    ['Claude Code', () => join('.claude/projects', folderNameOf(project.folder), 's1.jsonl'), claude],
    ['Codex', () => '.codex/sessions/2026/11/10/rollout-1.jsonl', codex],
    ['pi', () => `.pi/agent/sessions/-${project.folder.replaceAll('/', '-')}--/1.jsonl`, pi],
    ['Gemini CLI', () => `.gemini/tmp/${hash()}/chats/session-1.jsonl`, geminiLines],
    [
      'Gemini CLI, one document',
      () => `.gemini/tmp/${hash()}/chats/session-1.json`,
      () => JSON.stringify(gemini(), null, 2),
    ],
    ['opencode, an export', () => 'export.json', opencode],
  ])('of %s is kept without it', (_, place, text) => {
    const file = putWithPicture(join(home, place()), text());
    const { problems, steps_added } = ingestTranscript(project.open(), file);
    expect(steps_added).toBeGreaterThan(0);
    expect(problems.filter(({ all_read }) => !all_read)).toEqual([]);
    expect([isStored('the door is open'), isStored(LEFT_OUT)]).toEqual([true, true]);
    const { conversations, complete } = status();
    expect([complete, conversations.filter(({ captured }) => captured !== 'captured')]).toEqual([true, []]);
    // Nothing of it comes once more.
    expect(ingestTranscript(project.open(), file).steps_added).toBe(0);
  });

  test('of a part of opencode in a file of its own is kept without it', () => {
    const storage = join(home, '.local/share/opencode/storage');
    const { info, messages } = JSON.parse(opencode()) as {
      info: object;
      messages: { info: object; parts: object[] }[];
    };
    put(join(storage, 'session/p/ses_1.json'), json(info));
    put(join(storage, 'message/ses_1/msg_1.json'), json(messages[0]?.info));
    put(join(storage, 'part/msg_1/prt_1.json'), json(messages[0]?.parts[0]));
    putWithPicture(join(storage, 'part/msg_1/prt_2.json'), json(messages[0]?.parts[1]));
    expect(caughtUp()).toMatchObject({ turns_added: 1, problems: [] });
    expect(isStored(LEFT_OUT)).toBe(true);
    expect(seen()).toEqual(['captured 1/1']);
  });
});

describe('a line that is lost', () => {
  const pi = (id: string, parentId: string | null, role: string, text: string): string =>
    json({
      type: 'message',
      id,
      parentId,
      timestamp: TIME,
      message: { role, content: [{ type: 'text', text }], timestamp: 1 },
    });
  const place = (): string => join(home, `.pi/agent/sessions/-${project.folder.replaceAll('/', '-')}--/1.jsonl`);
  const head = (): string => json({ type: 'session', version: 3, id: 'p1', timestamp: TIME, cwd: project.folder });
  const first = pi('e1', null, 'user', 'Open the door') + pi('e2', 'e1', 'assistant', 'It is open.');
  const second = pi('e4', 'e2', 'user', 'Close the door') + pi('e5', 'e4', 'assistant', 'It is closed.');
  const capture = () =>
    examine({ directory: project.folder, environment, node: process.execPath, program: 'ctx' }).findings.filter(
      ({ kind }) => kind === 'capture',
    );

  test.each([
    [
      'in the first turn',
      () => `${head() + pi('e1', null, 'user', 'Open the door')}{"type":"message","id":"e2",\n${second}`,
      '1/2',
      3,
    ],
    ['in the last turn', () => `${head() + first + pi('e4', 'e2', 'user', 'Close it')}no JSON at all\n`, '1/2', 5],
    ['before the first', () => `${head()}{"type":"mess\n${first}${second}`, '2/2', 2],
    ['that is too long', () => `${head() + first}[${'1234567,'.repeat(LINE_LIMIT / 7)}1]\n${second}`, '1/2', 4],
  ])('%s is named, and its turn is not captured', (_, text, stored, line) => {
    const file = put(place(), text());
    ingestTranscript(project.open(), file);
    expect(seen()).toEqual([`incomplete ${stored}`]);
    expect(status()).toMatchObject({ complete: false, behind: 0, incomplete: 1, problems: [] });
    expect(status().conversations).toMatchObject([{ lines_lost: 1, lost: [{ line }] }]);
    // Nothing that a catch-up could take in: it says so, and why.
    const message = expect.stringContaining(`${file}, line ${line}: `);
    expect(caughtUp()).toMatchObject({ conversations: [], problems: [{ file, message }] });
    const told = capture().filter(({ severity }) => severity === 'problem');
    expect(told.map(({ message }) => message)).toContainEqual(expect.stringContaining(`${file}, line ${line}: `));
    const nothing = `Nothing can be taken in of line ${line} as it is. Look at it: sed -n ${line}p`;
    expect(told.map(({ hint }) => hint)).toContainEqual(expect.stringContaining(nothing));
    expect(caughtUp().problems.map(({ hint }) => hint)).toEqual([expect.stringContaining(nothing)]);
  });

  test('of one that was never captured is named, too, and stays so', () => {
    put(place(), `${head() + first}no JSON\n`);
    expect(seen()).toEqual(['never 0/1']);
    expect(status()).toMatchObject({ behind: 1, incomplete: 1 });
    expect(caughtUp()).toMatchObject({ turns_added: 1, problems: [{ message: expect.stringContaining('line 4') }] });
    expect(seen()).toEqual(['incomplete 0/1']);
  });

  test('is named once, and with what is known of the lines before it, when more is taken in', () => {
    const file = put(place(), `${head() + first}no JSON\n`);
    caughtUp();
    writeFileSync(file, `${head() + first}no JSON\n${second}nor this\n`);
    const lines = [4, 7].map((line) => expect.stringContaining(`${file}, line ${line}: `));
    const { conversations, problems } = caughtUp();
    expect([conversations.length, problems.map(({ message }) => message)]).toEqual([1, lines]);
    expect(caughtUp()).toMatchObject({ conversations: [], problems: lines.map((message) => ({ message })) });
  });

  test('is none while it is being written', () => {
    const file = put(place(), `${head() + first}{"type":"message","id":"e4","parentId":"e2","timestamp":"2026`);
    ingestTranscript(project.open(), file);
    expect(seen()).toEqual(['captured 1/1']);
    writeFileSync(file, head() + first + second);
    expect(seen()).toEqual(['behind 1/2']);
    caughtUp();
    expect(seen()).toEqual(['captured 2/2']);
    appendFileSync(file, `${' '.repeat(LINE_LIMIT)}{"type"`);
    expect(status()).toMatchObject({ complete: true });
  });

  test('is not lost if everything on it was read', () => {
    const two = (first + second).split('\n');
    put(place(), `${head()}${two[0]}${two[1]}\n${two.slice(2).join('\n')}`);
    caughtUp();
    expect(seen()).toEqual(['captured 2/2']);
  });

  test('of which there are many are counted, and the first are named', () => {
    put(place(), head() + first + 'no JSON\n'.repeat(50));
    caughtUp();
    const [told] = status().conversations;
    expect([told?.lines_lost, told?.lost.length]).toEqual([50, 20]);
  });

  test('stays one though the text beside it is only shortened', () => {
    const words = 'some words '.repeat(LINE_LIMIT / 10);
    put(place(), head() + pi('e1', null, 'user', 'Read it') + pi('e2', 'e1', 'assistant', words) + second);
    expect(caughtUp().problems).toEqual([]);
    expect(seen()).toEqual(['captured 2/2']);
    expect(isStored('… (cut off by ctx)')).toBe(true);
  });
});

test('the damaged fixtures are never called captured', () => {
  const text = readFileSync(join(ROOT, 'fixtures/pi/damaged.jsonl'), 'utf8').replaceAll(
    '/home/dev/acme-http',
    project.folder,
  );
  put(join(home, `.pi/agent/sessions/-${project.folder.replaceAll('/', '-')}--/1.jsonl`), text);
  caughtUp();
  expect(status()).toMatchObject({ complete: false, incomplete: 1 });
});
