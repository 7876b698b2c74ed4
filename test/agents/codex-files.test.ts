// Conversations of Codex that lie in several files: it takes turns back by going on in another one, and leaves the first as it is.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestRecognised, ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import type { AnyBody } from '../../src/core/records/record.ts';
import type { Session, Source } from '../../src/core/session/session.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';
import { stored as compressed } from '../support/zstd.ts';
import { ID, NOON, Thread } from './support/codex-thread.ts';
import { assemble } from './support/replay.ts';

let project: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
});

const newThread = (isNumbered = true): Thread => new Thread({ home, cwd: project.folder }, isNumbered);

/** Three files: the second takes back the last turn of the first, and the third that of the second. */
function threeFiles(): Thread {
  const thread = newThread();
  thread.begin();
  thread.turn('one', 100);
  const two = thread.turn('two', 150);
  thread.begin(two);
  thread.turn('three', 80);
  thread.resume();
  const four = thread.turn('four', 90);
  thread.begin(four);
  thread.turn('five', 120);
  return thread;
}

/** All that was used, whether it was taken back or not. */
const USED = 540;

/** Kinds of the records that a conversation is made of. */
const TOLD: readonly string[] = ['message', 'part', 'overlay'];

const heads = (prefix: string): string[] => [...project.open().refs.list(prefix).values()];

function stored(prefix = SESSIONS) {
  const { objects } = project.open();
  const steps = heads(prefix).flatMap((head) => [...readSteps(objects, head, true)]);
  const told = steps.flatMap(({ records }) => records.filter(({ kind }) => TOLD.includes(kind)));
  const events = told.map(({ version: _, id: _id, at, ...body }) => ({
    type: 'record' as const,
    at,
    body: body as AnyBody,
  }));
  const { messages, visible } = assemble(events);
  const textOf = (id: unknown): string => String(messages.get(String(id))?.parts[0]?.['text'] ?? null);
  const session = steps.at(-1)?.session as Session;
  return {
    said: [...messages.values()].map(({ parts }) => String(parts[0]?.['text'])),
    seen: visible.map(textOf),
    answers: Object.fromEntries(
      [...messages.values()].map(({ id, metadata }) => [textOf(id), textOf(metadata['parent_id'])]),
    ),
    task: session.task_description,
    used: session.usage?.['input'],
    state: session.session_state,
    steps: steps.length,
    source: session.sources[0],
  };
}

const turn = (words: string): string[] => [words, `${words}: done`];
const done = (words: string) => ({ kind: 'PendingComplete', summary: `${words}: done` });

describe('the files of one conversation', () => {
  test.each([[[0, 1, 2]], [[2, 0, 1]]])(
    'named in the order %j they are read as they were written, and once',
    (order) => {
      const { files } = threeFiles();
      const named = order.map((index) => files[index] as string);
      const first = ingestMany(project.open(), named);
      expect(first.sessions.map(({ file, read_before }) => [file, read_before])).toEqual(
        files.map((file) => [file, null]),
      );
      const { seen, said, task, used, state, answers, steps } = stored();
      expect(said).toEqual(['one', 'two', 'three', 'four', 'five'].flatMap(turn));
      expect(seen).toEqual(['one', 'three', 'five'].flatMap(turn));
      expect([task, used, state]).toEqual(['one', USED, done('five')]);
      // Each goes on with what stays.
      expect(answers).toMatchObject({ one: 'null', two: 'one: done', three: 'one: done', five: 'three: done' });
      const again = ingestMany(project.open(), named);
      expect(again.totals).toMatchObject({ created: 0, added: 0, unchanged: 3, lines: 0 });
      expect(again.sessions.map(({ read_before }) => read_before)).toEqual([null, null, null]);
      expect(stored().steps).toBe(steps);
      expect(fsck(project.store)).toBe('');
    },
  );

  test('the last file alone takes in the files that it continues, as they were written', () => {
    const thread = threeFiles();
    const [first, second, third] = thread.files as [string, string, string];
    expect(ingestTranscript(project.open(), third)).toMatchObject({ created: true, messages: 10, problems: [] });
    const { seen, said, task, used, answers } = stored();
    expect(said).toEqual(['one', 'two', 'three', 'four', 'five'].flatMap(turn));
    expect([seen, task, used]).toEqual([['one', 'three', 'five'].flatMap(turn), 'one', USED]);
    expect(answers).toMatchObject({ one: 'null', three: 'one: done', five: 'three: done' });
    for (const file of [first, second, third])
      expect(ingestTranscript(project.open(), file)).toMatchObject({ steps_added: 0, lines: 0 });
  });

  test('an earlier file that is found later does not change the state of the session', () => {
    const thread = threeFiles();
    const [first, second, third] = thread.files as [string, string, string];
    for (const file of [first, second]) renameSync(file, `${file}.away`);
    const { problems } = ingestTranscript(project.open(), third);
    expect(problems).toMatchObject([{ line: 1, all_read: true, beyond: { missing: ID } }]);
    for (const file of [first, second]) {
      renameSync(`${file}.away`, file);
      expect(ingestTranscript(project.open(), file).read_before).toBeNull();
    }
    // Each counts what was used in it, also what was taken back.
    expect(stored()).toMatchObject({ used: USED, state: done('five'), task: 'five', answers: { one: 'null' } });
    const { transcript, other_files = [] } = stored().source as Source;
    expect([transcript, ...other_files.map((file) => file.transcript)].sort()).toEqual(thread.files);
    expect(transcript).toBe(third);
    thread.turn('six', 10);
    expect(ingestTranscript(project.open(), third)).toMatchObject({ lines: 5, steps_added: 1 });
    expect(stored()).toMatchObject({ used: USED + 10, state: done('six'), answers: { six: 'five: done' } });
    for (const file of thread.files)
      expect(ingestTranscript(project.open(), file)).toMatchObject({ lines: 0, steps_added: 0 });
  });

  test('distinguishes a rewritten or shortened file from another file', () => {
    const { files } = threeFiles();
    ingestMany(project.open(), files);
    const before = stored();
    for (const file of files) {
      const lines = readFileSync(file, 'utf8').split('\n');
      writeFileSync(file, [...lines.slice(0, 2), ' ', ...lines.slice(2)].join('\n'));
      expect(ingestTranscript(project.open(), file)).toMatchObject({ read_before: 'rewritten', steps_added: 0 });
      writeFileSync(file, lines.slice(0, 3).join('\n'));
      expect(ingestTranscript(project.open(), file)).toMatchObject({ read_before: 'shortened', steps_added: 0 });
    }
    // A file that continues another names that file, whatever its own name.
    const elsewhere = join(home, 'elsewhere.jsonl');
    cpSync(files[2] as string, elsewhere);
    expect(ingestTranscript(project.open(), elsewhere)).toMatchObject({ read_before: 'shortened', steps_added: 0 });
    expect(stored()).toEqual(before);
  });

  test('a conversation that lies in one file is known by it under another name', () => {
    const thread = newThread();
    thread.begin();
    thread.turn('one', 100);
    ingestTranscript(project.open(), thread.file);
    thread.turn('two', 150);
    const elsewhere = join(home, 'elsewhere.jsonl');
    cpSync(thread.file, elsewhere);
    expect(ingestTranscript(project.open(), elsewhere)).toMatchObject({ lines: 5, read_before: null });
    expect(stored().source).not.toHaveProperty('other_files');
  });

  test('records without ordinals do not show what was taken back, so the sums continue', () => {
    const thread = newThread(false);
    thread.begin();
    thread.turn('one', 100);
    thread.begin({ ordinal: 1 });
    thread.turn('two', 150);
    ingestMany(project.open(), thread.files);
    expect(stored()).toMatchObject({ used: 250, answers: { two: 'one: done' } });
  });

  test('all of them are named where one wants to be rid of the conversation', () => {
    const { files } = threeFiles();
    const [taken] = ingestMany(project.open(), files).sessions;
    const { unreachable } = forget(project.open(), { id: taken?.session_id });
    expect(unreachable.filter((sentence) => files.every((file) => sentence.includes(file)))).toHaveLength(1);
  });

  test('the saved session stays unchanged, and the next file continues in a session of its own', () => {
    const thread = threeFiles();
    const files = [...thread.files];
    ingestTranscript(project.open(), files[0] as string);
    compactSession(project.open());
    ingestTranscript(project.open(), files[1] as string);
    compactSession(project.open());
    ingestTranscript(project.open(), files[2] as string);
    expect(stored().said).toEqual(turn('five'));
    compactSession(project.open());
    expect(stored(ARCHIVE).said).toEqual(['one', 'two', 'three', 'four', 'five'].flatMap(turn));
    for (const file of files)
      expect(ingestTranscript(project.open(), file)).toMatchObject({ steps_added: 0, lines: 0 });
    // Nothing was said in it: what it tells belongs to the session that was saved.
    thread.begin({ ordinal: 3 });
    expect(ingestTranscript(project.open(), thread.file)).toMatchObject({ created: false, steps_added: 1, lines: 1 });
    // The last of the sessions has read furthest, though less of its file than another of its own.
    expect(captureStatus(project.open(), { environment: { HOME: home } })).toMatchObject({ complete: true, turns: 5 });
    expect(fsck(project.store)).toBe('');
  });
});

describe('segments as Codex names them, over several days', () => {
  /** One is resumed, one turned back, one turned back into a file before the last. */
  function segments(): Thread {
    const thread = new Thread({ home, cwd: project.folder }, true, ID, true);
    thread.begin();
    thread.turn('one', 100);
    const two = thread.turn('two', 150);
    thread.sleep();
    thread.begin(two);
    thread.turn('three', 80);
    const four = thread.turn('four', 90);
    thread.sleep();
    thread.begin(four);
    thread.turn('five', 120);
    return thread;
  }

  const compress = (file: string): string => {
    writeFileSync(`${file}.zst`, compressed(readFileSync(file)));
    rmSync(file);
    return `${file}.zst`;
  };

  test.each([[[]], [[0]], [[0, 1, 2]], [[2]]])('are one session in any order, with %j of them compressed', (packed) => {
    const { files: plain } = segments();
    const files = plain.map((file, index) => ((packed as number[]).includes(index) ? compress(file) : file));
    const own = project;
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ]) {
      project = order[0] === 0 ? own : makeProject();
      for (const index of order) ingestTranscript(project.open(), files[index] as string);
      const { said, seen, task, used, state } = stored();
      expect(said).toEqual(['one', 'two', 'three', 'four', 'five'].flatMap(turn));
      expect([seen, task, used, state]).toEqual([['one', 'three', 'five'].flatMap(turn), 'one', USED, done('five')]);
    }
    expect(captureStatus(project.open(), { environment: { HOME: home } })).toMatchObject({
      complete: true,
      turns: 5,
      conversations: [{ turns: 5, turns_stored: 5, file: files[2], other_files: files.slice(0, 2) }],
    });
    expect(fsck(project.store)).toBe('');
  });

  test('a file that continues a damaged file is taken in, counts its own tokens, and both files are named', () => {
    const { files } = segments();
    const first = compress(files[0] as string);
    const whole = readFileSync(first);
    writeFileSync(first, whole.subarray(0, 100));
    const { problems } = ingestTranscript(project.open(), files[2] as string);
    expect(problems).toMatchObject([{ line: 1, beyond: { missing: ID } }]);
    expect(stored()).toMatchObject({ said: ['three', 'four', 'five'].flatMap(turn), used: 290 });
    const status = () => captureStatus(project.open(), { environment: { HOME: home } });
    expect(status().complete).toBe(false);
    expect(status().problems.map(({ file }) => file)).toContain(first);
    writeFileSync(first, whole);
    catchUp(project.open(), { environment: { HOME: home } });
    expect(stored().used).toBe(USED);
    expect(status()).toMatchObject({ complete: true, turns: 5, turns_stored: 5, problems: [] });
  });
});

describe('what an older ctx has read of them', () => {
  const { continuedAt: _, ...older } = codex;
  const readByOlder = (file: string) =>
    ingestRecognised(project.open(), { ...recogniseTranscript(file, undefined), agent: older }, {});

  test('continues the session of the first file', () => {
    const { files } = threeFiles();
    readByOlder(files[0] as string);
    ingestMany(project.open(), files);
    expect(stored()).toMatchObject({ used: USED, seen: ['one', 'three', 'five'].flatMap(turn) });
  });

  test('all of them are not read once more', () => {
    const { files } = threeFiles();
    for (const file of files) readByOlder(file);
    const before = stored();
    for (const { read_before, steps_added } of ingestMany(project.open(), files).sessions)
      expect([read_before, steps_added]).toEqual([null, 0]);
    expect(stored()).toEqual(before);
  });
});

describe('beside the agent', () => {
  const around = () => ({ environment: { HOME: home } });
  const status = () =>
    captureStatus(project.open(), around()).conversations.map(
      ({ file, captured, turns, turns_stored, partial }) =>
        `${basename(file).slice(19, 21)}h ${captured}${partial ? ' in part' : ''} ${turns_stored}/${turns}`,
    );
  const hook = async (hook_event_name: string, transcript_path: string, fields: object): Promise<void> => {
    const payload = { session_id: ID, cwd: project.folder, hook_event_name, transcript_path, ...fields };
    await handleHook('codex', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
  };

  test('hooks continue from file to file, and a catch-up takes in the files before them', async () => {
    const thread = newThread();
    thread.begin();
    thread.turn('one', 100);
    const two = thread.turn('two', 150);
    thread.begin(two);
    project.clock.now = NOON / 1000 + 3605;
    await hook('UserPromptSubmit', thread.file, { prompt: 'three' });
    const three = thread.turn('three', 80);
    await hook('Stop', thread.file, { last_assistant_message: 'three: done' });
    expect(status()).toEqual(['13h behind 1/3']);
    expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 2, conversations: [{ created: false }] });
    expect(status()).toEqual(['13h captured 3/3']);
    expect(stored()).toMatchObject({ used: 330, state: done('three'), task: 'three' });
    thread.begin(three);
    project.clock.now += 3600;
    await hook('UserPromptSubmit', thread.file, { prompt: 'four' });
    thread.turn('four', 70);
    await hook('Stop', thread.file, { last_assistant_message: 'four: done' });
    expect(stored()).toMatchObject({ used: 400, state: done('four') });
    expect(stored().seen).not.toContain('three');
    expect(stored().said.sort()).toEqual(['one', 'two', 'three', 'four'].flatMap(turn).sort());
    expect(status()).toEqual(['14h captured 4/4']);
    expect(catchUp(project.open(), around())).toMatchObject({ conversations: [], turns_added: 0 });
    expect(fsck(project.store)).toBe('');
  });

  test('a file that was never read is behind, however old, if another file of the conversation is known', () => {
    const { files } = threeFiles();
    expect(status()).toEqual(['14h never 0/5']);
    ingestTranscript(project.open(), files[0] as string);
    expect(status()).toEqual(['14h behind 2/5']);
    project.clock.now += 90 * 86_400;
    expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 3, left_out: 0 });
    expect(stored()).toMatchObject({ used: USED, state: done('five') });
    expect(status()).toEqual(['14h captured 5/5']);
  });
});
