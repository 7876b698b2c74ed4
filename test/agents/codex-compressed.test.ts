// Rollouts that Codex has compressed in place: read as if they were plain, gone on with in either form, and named where they are damaged.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';
import { bomb, stored } from '../support/zstd.ts';
import { ID, NOON, Thread } from './support/codex-thread.ts';

let project: Project;
let home: string;
let thread: Thread;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  thread = new Thread({ home, cwd: project.folder });
  thread.begin();
  thread.turn('one', 100);
});

/** Compresses a rollout as Codex does, and gives where it lies now. */
function compress(file: string): string {
  writeFileSync(`${file}.zst`, stored(readFileSync(file)));
  rmSync(file);
  return `${file}.zst`;
}

/** Goes on with a rollout that was compressed. */
function decompress(file: string, plain: Buffer): void {
  writeFileSync(file, plain);
  rmSync(`${file}.zst`);
}

const around = () => ({ environment: { HOME: home } });
const status = () => captureStatus(project.open(), around());
const examined = () =>
  examine({ directory: project.folder, node: process.execPath, program: '/ctx.cjs', ...around() }).findings.map(
    ({ message }) => message,
  );
const counts = () => status().conversations.map(({ captured, turns, turns_stored }) => [captured, turns_stored, turns]);

/** Returns the texts of every session of the store, and its usage. */
function told(): { said: string[]; used: number } {
  const { refs, objects } = project.open();
  const heads = [...refs.list('refs/sessions/').values(), ...refs.list('refs/archive/').values()];
  const steps = heads.flatMap((head) => [...readSteps(objects, head, true)]);
  const messages = steps.flatMap(({ records }) => records.filter(({ kind }) => kind === 'message'));
  const said = messages.map((record) =>
    String((record as { message?: { parts: { text?: string }[] } }).message?.parts[0]?.text),
  );
  const ends = heads.map((head) => [...readSteps(objects, head, false)].at(-1)?.session.usage?.['input'] as number);
  return { said, used: ends.reduce((sum, each) => sum + each, 0) };
}

const turn = (words: string): string[] => [words, `${words}: done`];

describe('a rollout that Codex has compressed', () => {
  test('is found, counted and taken in', () => {
    const file = compress(thread.file);
    expect(status()).toMatchObject({ complete: false, turns: 1, turns_stored: 0 });
    expect(examined()).toContain('0 of 1 turn captured; 1 conversation never');
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({
      conversations: [{ file, turns_added: 1 }],
      problems: [],
    });
    expect(told()).toEqual({ said: turn('one'), used: 100 });
    expect(status()).toMatchObject({ complete: true, turns: 1, turns_stored: 1 });
    expect(fsck(project.store)).toBe('');
  });

  test('after it was read plain brings nothing twice, and what came meanwhile; so does the way back', () => {
    const plain = thread.file;
    ingestTranscript(project.open(), plain);
    thread.turn('two', 50);
    const file = compress(plain);
    expect(counts()).toEqual([['behind', 1, 2]]);
    expect(ingestTranscript(project.open(), file)).toMatchObject({ created: false, read_before: null, lines: 5 });
    expect(ingestTranscript(project.open(), file)).toMatchObject({ lines: 0, steps_added: 0 });
    expect(counts()).toEqual([['captured', 2, 2]]);
    const bytes = Buffer.concat([...[readFileSync(file)]]);
    // A stored frame: its header is six bytes, that of its only block three.
    decompress(plain, bytes.subarray(9));
    thread.turn('three', 25);
    expect(counts()).toEqual([['behind', 2, 3]]);
    expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 1 });
    expect(told()).toEqual({ said: ['one', 'two', 'three'].flatMap(turn), used: 175 });
    expect(counts()).toEqual([['captured', 3, 3]]);
    expect(fsck(project.store)).toBe('');
  });

  test('is read by the name that it had before', () => {
    const plain = thread.file;
    compress(plain);
    expect(ingestTranscript(project.open(), plain)).toMatchObject({ created: true, messages: 2 });
    expect(ingestMany(project.open(), [plain, dirname(plain)]).totals).toMatchObject({ unchanged: 1, lines: 0 });
  });

  test('counts once together with its plain form, which is the form that Codex continues', () => {
    const plain = thread.file;
    writeFileSync(`${plain}.zst`, stored(readFileSync(plain)));
    thread.turn('two', 50);
    const { sessions, passed_over, problems } = ingestMany(project.open(), [dirname(plain)]);
    expect(sessions.map(({ file }) => file)).toEqual([plain]);
    expect([passed_over, problems]).toEqual([[], []]);
    expect(counts()).toEqual([['captured', 2, 2]]);
    expect(ingestTranscript(project.open(), `${plain}.zst`)).toMatchObject({ created: false, steps_added: 0 });
    expect(told()).toEqual({ said: ['one', 'two'].flatMap(turn), used: 150 });
  });

  test('is taken in by a hook that still names it as it was', async () => {
    const plain = thread.file;
    compress(plain);
    project.clock.now = NOON / 1000 + 60;
    const payload = { session_id: ID, cwd: project.folder, transcript_path: plain };
    const hook = (event: object) =>
      handleHook('codex', JSON.stringify({ ...payload, ...event }), {
        directory: project.folder,
        clock: project.clock,
      });
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'two' });
    await hook({ hook_event_name: 'Stop', last_assistant_message: 'two: done' });
    expect(told()).toEqual({ said: turn('one'), used: 100 });
  });

  test('is named among what forgetting cannot reach as it lies now', () => {
    const { session_id } = ingestTranscript(project.open(), thread.file);
    const file = compress(thread.file);
    const { unreachable } = forget(project.open(), { id: session_id });
    expect(unreachable.some((sentence) => sentence.includes(file))).toBe(true);
  });
});

describe('a compressed rollout that cannot be read', () => {
  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40), 'it is cut off'],
    ['none', () => Buffer.from('{"this":"is no Zstandard"}\n'), 'it is no Zstandard'],
    ['empty', () => Buffer.alloc(0), 'it is cut off'],
    ['a bomb', (bytes: Buffer) => bomb(bytes.subarray(9), 1500), 'it would become far larger than any transcript'],
  ])('since it is %s is named by all that looks at it, and the rest is taken in', (_, damage, why) => {
    const damaged = compress(thread.file);
    writeFileSync(damaged, damage(readFileSync(damaged)));
    const other = new Thread({ home, cwd: project.folder }, true, '01a1f000-0000-7000-8000-0000000000cc');
    other.begin();
    other.turn('two', 50);
    const message = `${damaged} cannot be decompressed: ${why}.`;
    expect(status()).toMatchObject({ complete: false, problems: [{ agent: 'codex', file: damaged, message }] });
    expect(examined()).toContain(message);
    const { sessions, problems } = ingestMany(project.open(), [dirname(damaged)]);
    expect(sessions.map(({ file }) => file)).toEqual([other.file]);
    expect(problems).toEqual([
      {
        file: damaged,
        line: null,
        message: `cannot be decompressed: ${why}.`,
        reason: 'damaged',
        hint: expect.stringContaining(damaged),
      },
    ]);
    expect(() => ingestTranscript(project.open(), damaged)).toThrow(message);
    expect(told()).toEqual({ said: turn('two'), used: 50 });
    expect(fsck(project.store)).toBe('');
  });
});
