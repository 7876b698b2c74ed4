// Tests the stored state of conversations, compared with transcripts in homes of their own, and what is missing taken in: nothing twice.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { initRepository } from '../../src/app/init.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import { conversation, linesOf, putTranscript } from '../support/homes.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

/** The fixtures took place in January 2026. */
const JANUARY = 1_769_040_000;
const DAY = 86_400;

let project: Project;
let home: string;
const around = () => ({ environment: { HOME: home } });
const status = () => captureStatus(project.open(), around());
const seen = () => status().conversations.map((each) => `${each.captured} ${each.turns_stored}/${each.turns}`);
const caughtUp = (all = true) => catchUp(project.open(), { ...around(), all });
const put = (name: string, cwd = project.folder, as = name): string =>
  putTranscript(home, cwd, as, conversation(name, cwd));

beforeEach(() => {
  project = makeProject();
  project.clock.now = JANUARY;
  home = temporaryFolder();
});

/** Every record of every session, open or archived. */
function records(): StoredRecord[] {
  const repository = project.open();
  return [SESSIONS, ARCHIVE].flatMap((prefix) =>
    [...repository.refs.list(prefix).values()].flatMap((head) =>
      [...readSteps(repository.objects, head, false)].flatMap((step) => step.records),
    ),
  );
}

const kindsAndCalls = (): string[] =>
  records()
    .filter((record) => record.kind !== 'raw' && 'tool_call_id' in record)
    .map((record) => `${record.kind} ${String((record as { tool_call_id?: unknown }).tool_call_id)}`)
    .sort();

test('a transcript that lies where this environment does not look is compared, too, once something of it is stored', () => {
  const elsewhere = temporaryFolder();
  const text = conversation('retry-backoff.jsonl', project.folder);
  const file = join(elsewhere, 'chat.jsonl');
  writeFileSync(file, linesOf(text, 40));
  ingestTranscript(project.open(), file);
  expect(status()).toMatchObject({ behind: 0, complete: true });
  writeFileSync(file, text);
  expect(status()).toMatchObject({ behind: 1, complete: false, conversations: [{ file, captured: 'behind' }] });
  expect(caughtUp()).toMatchObject({ conversations: [{ file }], problems: [] });
  expect(status()).toMatchObject({ behind: 0, complete: true, conversations: [{ file, captured: 'captured' }] });
  // It is one and the same where both tell of it, or nobody any more.
  expect(captureStatus(project.open(), { environment: { HOME: elsewhere } }).conversations).toHaveLength(1);
  rmSync(file);
  expect(status()).toMatchObject({ conversations: [], complete: true });
});

test('a transcript of another project that has a store is nothing of this one, ingested here or not', () => {
  const file = join(temporaryFolder(), 'chat.jsonl');
  writeFileSync(file, conversation('retry-backoff.jsonl', makeProject().folder));
  ingestTranscript(project.open(), file);
  expect(status()).toMatchObject({ conversations: [], complete: true });
});

describe('what is counted', () => {
  test('conversations of this project, the oldest first; nothing of others', () => {
    put('questions.jsonl');
    put('retry-backoff.jsonl', join(project.folder, 'packages/core'));
    put('rewind.jsonl', '/home/dev/acme-http');
    // Its folder's name is that of a folder below ours, and it took place elsewhere.
    putTranscript(home, `${project.folder}/x`, 'y.jsonl', conversation('interrupts.jsonl', `${project.folder}-x`));
    put('agent-b2c3d4e.jsonl');
    put('agent-b2c3d4e.jsonl', project.folder, 'renamed.jsonl');
    expect(status()).toMatchObject({ turns: 6, turns_stored: 0, behind: 2, complete: false, problems: [] });
    expect(status().conversations.map(({ file }) => file.replace(/.*[/\\]/, ''))).toEqual([
      'retry-backoff.jsonl',
      'questions.jsonl',
    ]);
    expect(seen()).toEqual(['never 0/4', 'never 0/2']);
  });

  test('a conversation that begins nothing is reported and not counted, and a catch-up begins no session for it', () => {
    const sessionId = 'aaaaaaaa-1111-4111-8111-111111111111';
    const line = (type: string, uuid: string, content: unknown): string => {
      const about = { parentUuid: null, uuid, isSidechain: false, sessionId, cwd: project.folder, version: '2.1.330' };
      const message = { id: uuid, role: type, content, model: 'm', stop_reason: 'end_turn' };
      return `${JSON.stringify({ ...about, type, timestamp: new Date(JANUARY * 1000).toISOString(), message })}\n`;
    };
    const thanks =
      line('user', 'u1', 'Thanks!') + line('assistant', 'a1', [{ type: 'text', text: 'You are welcome.' }]);
    const file = putTranscript(home, project.folder, `${sessionId}.jsonl`, thanks);
    const nothing = { turns: 0, behind: 0, complete: true };
    expect(status()).toMatchObject({ ...nothing, conversations: [{ captured: 'unbegun', turns: 1, turns_stored: 0 }] });
    expect(caughtUp()).toMatchObject({ conversations: [], left_out: 0 });
    expect(status()).toMatchObject(nothing);
    // The deed of a tool is worth it, and so is a task.
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make' } };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok' };
    writeFileSync(file, thanks + line('assistant', 'a2', [call]) + line('user', 'u2', [result]));
    expect(seen()).toEqual(['never 0/1']);
    writeFileSync(file, thanks + line('user', 'u3', 'Add retry to the http client'));
    expect(seen()).toEqual(['never 0/2']);
    expect(caughtUp()).toMatchObject({ conversations: [{ created: true, turns_added: 2 }] });
  });

  test('a copy of a transcript, an older one and a link to it count for nothing more, and one that differs does', () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    const [sessionId = ''] = /(?<="sessionId":")[^"]+/.exec(text) ?? [];
    const file = putTranscript(home, project.folder, `${sessionId}.jsonl`, text);
    const beside = (name: string): string => file.replace(/[^/]*$/, name);
    symlinkSync(file, beside('a-link.jsonl'));
    writeFileSync(beside('copy.jsonl'), text);
    writeFileSync(beside('older.jsonl'), linesOf(text, 20));
    expect(status()).toMatchObject({ turns: 4, behind: 1, conversations: [{ file, captured: 'never' }] });
    expect(caughtUp()).toMatchObject({ turns_added: 4, conversations: [{ file }] });
    expect(status()).toMatchObject({ turns: 4, turns_stored: 4, complete: true, conversations: [{ file }] });
    writeFileSync(beside('copy.jsonl'), linesOf(text, 20) + text.split('\n').slice(25).join('\n'));
    expect(status().conversations).toHaveLength(2);
  });

  test('a project below with a store of its own keeps its own', () => {
    const inner = join(project.folder, 'inner');
    mkdirSync(inner);
    put('rewind.jsonl', inner);
    expect(seen()).toEqual(['never 0/3']);
    initRepository({ directory: inner, tracked: true });
    expect(seen()).toEqual([]);
  });

  test('by its real path and by a link to it', () => {
    const link = join(temporaryFolder(), 'link');
    symlinkSync(project.folder, link);
    put('rewind.jsonl');
    expect(captureStatus(project.open({ directory: link }), around())).toMatchObject({ turns: 3 });
  });

  test('nothing at all is complete; without a home folder nothing can be compared', () => {
    expect(status()).toMatchObject({ conversations: [], turns: 0, behind: 0, complete: true });
    expect(() => captureStatus(project.open(), { environment: {} })).toThrow('No home folder is known');
  });

  test('CLAUDE_CONFIG_DIR and USERPROFILE name other places', () => {
    put('rewind.jsonl');
    const environment = { HOME: '/nonexistent', CLAUDE_CONFIG_DIR: join(home, '.claude') };
    expect(captureStatus(project.open(), { environment })).toMatchObject({ turns: 3 });
    expect(captureStatus(project.open(), { environment: { USERPROFILE: home } })).toMatchObject({ turns: 3 });
  });

  test('a conversation without a prompt is nothing to capture', () => {
    putTranscript(home, project.folder, 'a.jsonl', `{"type":"summary","summary":"x","leafUuid":"y"}\n`);
    putTranscript(home, project.folder, 'b.jsonl', '');
    expect(status()).toMatchObject({ conversations: [], problems: [], complete: true });
  });
});

describe('how far it is', () => {
  test('captured whole; a line that is being written is not behind; one that is written is', () => {
    const file = put('retry-backoff.jsonl');
    const text = conversation('retry-backoff.jsonl', project.folder);
    writeFileSync(file, linesOf(text, 30));
    ingestTranscript(project.open(), file);
    expect(seen()).toEqual([expect.stringMatching(/^captured (\d)\/\1$/)]);
    appendFileSync(file, (text.split('\n')[30] as string).slice(0, 40));
    expect(status()).toMatchObject({ complete: true });
    writeFileSync(file, text);
    expect(status()).toMatchObject({ turns: 4, behind: 1, complete: false });
    expect(seen()).toEqual([expect.stringMatching(/^behind [0-3]\/4$/)]);
    expect(caughtUp()).toMatchObject({ conversations: [{ created: false }] });
    expect(seen()).toEqual(['captured 4/4']);
  });

  test('every line of a transcript only adds to what is reported as stored, and all of it is stored at the end', () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    const file = put('retry-backoff.jsonl');
    const all = text.trimEnd().split('\n').length;
    const told: number[] = [];
    for (let count = 5; count < all; count += 7) {
      writeFileSync(file, linesOf(text, count));
      ingestTranscript(project.open(), file);
      expect(status()).toMatchObject({ complete: true });
      writeFileSync(file, text);
      const { turns_stored, turns } = status();
      expect(turns).toBe(4);
      told.push(turns_stored);
    }
    expect(told).toEqual([...told].sort((a, b) => a - b));
    // A line after the last answer belongs to no turn.
    expect([...new Set(told)]).toEqual([0, 1, 2, 3, 4]);
  });

  test('only the rest of the last turn is missing', () => {
    const file = put('rewind.jsonl');
    const text = conversation('rewind.jsonl', project.folder);
    const lines = text.trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"role":"assistant"'));
    writeFileSync(file, linesOf(text, last));
    ingestTranscript(project.open(), file);
    writeFileSync(file, text);
    expect(status().conversations).toMatchObject([{ captured: 'behind', turns: 3, turns_stored: 2, partial: true }]);
    caughtUp();
    expect(status().conversations).toMatchObject([{ captured: 'captured', turns_stored: 3, partial: false }]);
  });

  test('a line that cannot be read is named by the catch-up that takes it in, and by the next one', () => {
    const file = put('rewind.jsonl');
    const text = conversation('rewind.jsonl', project.folder);
    writeFileSync(file, `${text}{"type":"user","message":\n`);
    expect(caughtUp().problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`^${file}, line ${text.trimEnd().split('\n').length + 1}: `)),
    ]);
    expect(caughtUp()).toMatchObject({ conversations: [], problems: [{ file }] });
  });

  test('a transcript that was rewritten lacks what is new in it alone', () => {
    const file = put('rewind-and-back.jsonl');
    ingestTranscript(project.open(), file);
    const text = conversation('rewind-and-back.jsonl', project.folder);
    const [first, ...rest] = text.split('\n');
    writeFileSync(file, rest.join('\n'));
    expect(first).toContain('file-history-snapshot');
    expect(seen()).toEqual(['captured 4/4']);
  });

  test('an archived session keeps what it has, and a new session continues with the rest', () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    const file = putTranscript(home, project.folder, 'x.jsonl', linesOf(text, 40));
    const { session_id } = ingestTranscript(project.open(), file);
    compactSession(project.open());
    expect(status().conversations).toMatchObject([{ captured: 'captured', session_id }]);
    writeFileSync(file, text);
    const [added] = caughtUp().conversations;
    expect(added).toMatchObject({ created: true });
    expect(added?.session_id).not.toBe(session_id);
    expect(seen()).toEqual(['captured 4/4']);
    expect(caughtUp()).toMatchObject({ conversations: [], turns_added: 0 });
    expect(fsck(project.store)).toBe('');
  });
});

describe('what is taken in', () => {
  test('everything, the oldest first; a second time nothing; the latest is the current one', () => {
    for (const name of ['questions.jsonl', 'retry-backoff.jsonl', 'interrupts.jsonl']) put(name);
    const result = caughtUp();
    expect(result.conversations.map(({ file }) => file.replace(/.*[/\\]/, ''))).toEqual([
      'retry-backoff.jsonl',
      'interrupts.jsonl',
      'questions.jsonl',
    ]);
    expect(result).toMatchObject({ turns_added: 10, left_out: 0, problems: [] });
    expect(project.open().refs.stage()).toBe(`${SESSIONS}${result.conversations.at(-1)?.session_id}`);
    const before = project.git('for-each-ref');
    expect(caughtUp()).toMatchObject({ conversations: [], turns_added: 0 });
    expect(project.git('for-each-ref')).toBe(before);
    expect(status()).toMatchObject({ turns: 10, turns_stored: 10, complete: true });
    expect(fsck(project.store)).toBe('');
  });

  test('the current session stays the current one, and what waits for it waits on', () => {
    const { session_id } = startSession(project.open(), 'Mine');
    observeNote(project.open(), 'It waits');
    put('rewind.jsonl');
    caughtUp();
    expect(project.open().refs.stage()).toBe(`${SESSIONS}${session_id}`);
    expect(
      readdirSync(join(project.store, 'pending', session_id)).filter((name) => name.endsWith('.json')),
    ).toHaveLength(1);
  });

  test('what has been idle for so long that the next message would save it becomes nobody’s current session', () => {
    put('questions.jsonl');
    project.clock.now = 1_768_734_181 + 20 * DAY;
    expect(caughtUp()).toMatchObject({ conversations: [{ created: true }] });
    expect(project.open().refs.stage()).toBeNull();
  });

  test('without --all: what is known already, however old, and what is younger than 30 days', () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    const old = putTranscript(home, project.folder, 'x.jsonl', linesOf(text, 40));
    ingestTranscript(project.open(), old);
    writeFileSync(old, text);
    put('rewind.jsonl');
    put('questions.jsonl');
    // The one ended on the 15th, the other on the 18th.
    project.clock.now = 1_768_734_181 + 30 * DAY;
    expect(caughtUp(false)).toMatchObject({ conversations: [{ file: old }, { created: true }], left_out: 1 });
    expect(seen()).toEqual(['captured 4/4', 'never 0/3', 'captured 2/2']);
    expect(caughtUp(false)).toMatchObject({ conversations: [], left_out: 1 });
    expect(caughtUp(true)).toMatchObject({ conversations: [{ turns_added: 3 }], left_out: 0 });
  });

  test('what was forgotten stays forgotten, and is not counted', () => {
    put('rewind.jsonl');
    const [taken] = caughtUp().conversations;
    forget(project.open(), { id: taken?.session_id });
    expect(status()).toMatchObject({ conversations: [{ captured: 'forgotten' }], turns: 0, behind: 0, complete: true });
    expect(caughtUp()).toMatchObject({ conversations: [] });
  });

  test('names a file that is no transcript, an empty one and an unreadable one, and takes in the rest', () => {
    const bad = putTranscript(home, project.folder, 'a.jsonl', 'no JSON\n');
    const folder = putTranscript(home, project.folder, 'x', '').replace(/x$/, 'b.jsonl');
    mkdirSync(folder);
    const locked = put('questions.jsonl', project.folder, 'c.jsonl');
    chmodSync(locked, 0);
    put('rewind.jsonl');
    // Nothing is locked for root.
    const isRoot = process.getuid?.() === 0;
    const files = isRoot ? [bad, folder] : [bad, folder, locked];
    const result = caughtUp();
    expect(result.conversations).toHaveLength(isRoot ? 2 : 1);
    expect(result.problems.map(({ file }) => file)).toEqual(expect.arrayContaining(files));
    expect(result.problems).toHaveLength(files.length);
    expect(result.problems.find(({ file }) => file === bad)?.message).toContain('line 1');
    expect(status()).toMatchObject({ behind: 0, complete: false, problems: { length: files.length } });
  });
});

describe('beside hooks', () => {
  const SESSION = '41fa3607-9d41-5607-905b-d0f910ab2865';
  const hook = (event: string, more: object): Promise<unknown> =>
    handleHook(
      'claude-code',
      JSON.stringify({ hook_event_name: event, session_id: SESSION, cwd: project.folder, ...more }),
      { directory: project.folder, clock: project.clock },
    );

  /** The calls of a transcript with their results, as hooks are told of them. */
  function calls(text: string): object[] {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const blocks = lines.flatMap(({ message, toolUseResult }) =>
      (Array.isArray(message?.content) ? message.content : []).map((block) => ({ block, toolUseResult })),
    );
    return blocks.flatMap(({ block }) => {
      const result = blocks.find((other) => block.type === 'tool_use' && other.block.tool_use_id === block.id);
      if (!result) return [];
      const { toolUseResult: tool_response } = result;
      return [{ tool_name: block.name, tool_input: block.input, tool_use_id: block.id, tool_response }];
    });
  }
  interface Line {
    message?: { content: string | Block[] };
    toolUseResult?: unknown;
  }
  interface Block {
    type: string;
    id?: string;
    tool_use_id?: string;
    name?: string;
    input?: unknown;
  }

  test('a conversation that hooks have captured in part has no record of a tool twice', async () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    // The records of a whole ingest, in a store of its own.
    const other = makeProject();
    const file = putTranscript(temporaryFolder(), project.folder, 'x.jsonl', text);
    const mine = project;
    project = other;
    ingestTranscript(other.open(), file);
    const whole = kindsAndCalls();
    project = mine;
    expect(whole.length).toBeGreaterThan(10);

    await hook('UserPromptSubmit', { prompt: 'Requests to the billing API fail with 503 now and then.' });
    const used = calls(text);
    for (const call of used.slice(0, 9)) {
      await hook('PostToolUse', call);
      // A step for each: more of them than are looked at where the transcript is read all along.
      flushStep(project.open());
    }
    for (const call of used.slice(9, 12)) await hook('PostToolUse', call);
    expect(existsSync(join(project.store, 'hook-errors.jsonl'))).toBe(false);
    const hooked = kindsAndCalls();
    expect(hooked.length).toBeGreaterThan(5);
    put('retry-backoff.jsonl');
    expect(caughtUp()).toMatchObject({ conversations: [{ created: false, turns_added: 4 }], problems: [] });
    expect(kindsAndCalls()).toEqual(whole);
    expect(seen()).toEqual(['captured 4/4']);
    expect(project.open().refs.names(SESSIONS)).toHaveLength(1);

    // The hooks go on where the transcript was left.
    await hook('Stop', { last_assistant_message: 'Done.', transcript_path: file });
    expect(kindsAndCalls()).toEqual(whole);
    expect(caughtUp()).toMatchObject({ conversations: [] });
    expect(fsck(project.store)).toBe('');
  });

  test('one that came when its session of hundreds of steps had ended goes to that session', async () => {
    const lines = conversation('retry-backoff.jsonl', project.folder).split('\n');
    const prompts = lines.flatMap((line, index) => (/"type":"user".*"content":"/.test(line) ? [index] : []));
    const [first = 0, second = 0] = prompts;
    await hook('UserPromptSubmit', { prompt: (JSON.parse(lines[first] as string) as Line).message?.content });
    for (let step = 0; step < 300; step += 1) flushStep(project.open(), { allowEmpty: true });
    const { session_id } = compactSession(project.open());
    putTranscript(home, project.folder, 'x.jsonl', `${lines.slice(0, second).join('\n')}\n`);
    expect(caughtUp()).toMatchObject({ conversations: [{ created: false, session_id }], turns_added: 1 });
    expect(seen()).toEqual(['captured 1/1']);
  });

  test('a call that hooks recorded is not repeated if its session has ended', async () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    await hook('UserPromptSubmit', { prompt: 'Requests fail.' });
    for (const call of calls(text)) {
      await hook('PostToolUse', call);
      flushStep(project.open());
    }
    const hooked = kindsAndCalls();
    compactSession(project.open());
    put('retry-backoff.jsonl');
    expect(caughtUp()).toMatchObject({ conversations: [{ created: true }] });
    const doubled = kindsAndCalls().filter((each, index, all) => hooked.includes(each) && all[index - 1] === each);
    expect(doubled).toEqual(hooked.filter((each, index, all) => all[index - 1] === each));
  });
});

const CURRENT = join(import.meta.dirname, '../../../shared/transcripts/claude-code-current');

test.skipIf(!existsSync(CURRENT))('a home as the program of today writes it', () => {
  // It took place in a folder that is not here: the store stands for it by its name.
  const place = '/home/dev/project';
  const folder = join(home, '.claude/projects/-home-dev-project');
  cpSync(CURRENT, folder, { recursive: true });
  const repository = { ...project.open(), project: place };
  const before = captureStatus(repository, around());
  expect(before).toMatchObject({ turns_stored: 0, problems: [] });
  expect(before.conversations.map(({ turns }) => turns)).toEqual([7, 1, 5]);
  expect(catchUp(repository, { ...around(), all: true })).toMatchObject({ turns_added: 13, problems: [] });
  expect(captureStatus(repository, around())).toMatchObject({ turns: 13, turns_stored: 13, complete: true });
  expect(fsck(project.store)).toBe('');
});
