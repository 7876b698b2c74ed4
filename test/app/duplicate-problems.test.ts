// A transcript that was captured and cannot be read any more is one problem, whatever the store and the agent call it.
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ID, NOON, Thread } from '../agents/support/codex-thread.ts';
import { conversation, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';
import { stored } from '../support/zstd.ts';

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

const around = () => ({ environment: { HOME: home } });
const gzip = Buffer.from('1f8b0800000000000003', 'hex');

/** Returns the problems that each door names, by their file or their sentence. */
function named(): Record<'status' | 'catchUp' | 'doctor', string[]> {
  const { problems } = captureStatus(project.open(), around());
  const caught = catchUp(project.open(), { ...around(), all: true }).problems;
  const machine = { directory: project.folder, node: process.execPath, program: '/ctx.cjs', ...around() };
  const findings = examine(machine).findings.filter(
    ({ kind, severity, message }) => kind === 'capture' && severity === 'problem' && message.includes(home),
  );
  const files = (all: readonly { file: string }[]): string[] => all.map(({ file }) => file);
  return { status: files(problems), catchUp: files(caught), doctor: findings.map(({ message }) => message) };
}

function expectOne(file: string): void {
  const { status, catchUp: caught, doctor } = named();
  expect({ status, caught }).toEqual({ status: [file], caught: [file] });
  expect(doctor).toEqual([expect.stringContaining(file)]);
}

/** Compresses a rollout and cuts its end off. */
function torn(file: string): string {
  const bytes = stored(readFileSync(file));
  writeFileSync(`${file}.zst`, bytes.subarray(0, bytes.length - 40));
  rmSync(file);
  return `${file}.zst`;
}

describe('a rollout of Codex that was captured, then compressed, then cut off is named once', () => {
  test('after it was read from its plain form', () => {
    ingestTranscript(project.open(), thread.file);
    expectOne(torn(thread.file));
  });

  test('after a hook named its plain form', async () => {
    project.clock.now = NOON / 1000 + 60;
    const payload = { session_id: ID, cwd: project.folder, transcript_path: thread.file };
    for (const event of [
      { hook_event_name: 'UserPromptSubmit', prompt: 'two' },
      { hook_event_name: 'Stop', last_assistant_message: 'two: done' },
    ])
      await handleHook('codex', JSON.stringify({ ...payload, ...event }), {
        directory: project.folder,
        clock: project.clock,
      });
    expectOne(torn(thread.file));
  });

  test('beside another one, which is named by itself', () => {
    const other = new Thread({ home, cwd: project.folder }, true, '01a1f000-0000-7000-8000-0000000000cc');
    other.begin();
    other.turn('two', 50);
    for (const { file } of [thread, other]) ingestTranscript(project.open(), file);
    const files = [torn(thread.file), torn(other.file)].sort();
    const { status, catchUp: caught, doctor } = named();
    expect([status.sort(), caught.sort(), doctor.length]).toEqual([files, files, 2]);
  });

  test('where the home folder is reached by a link', () => {
    ingestTranscript(project.open(), thread.file);
    const file = torn(thread.file);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(home, link);
    const real = home;
    home = link;
    expectOne(join(link, file.slice(real.length + 1)));
  });

  test('where it was moved out of the home folder and a link was left', () => {
    const elsewhere = temporaryFolder();
    const { file } = thread;
    ingestTranscript(project.open(), file);
    const moved = join(elsewhere, 'sessions');
    renameSync(dirname(file), moved);
    symlinkSync(moved, dirname(file));
    expectOne(torn(file));
  });
});

describe('a transcript that was captured and then overwritten is named once', () => {
  test.each([
    ['with what is compressed', gzip],
    ['with bytes that are no text', Buffer.from('a\0b\0c\n')],
    ['with text that is no record', Buffer.from('no JSON at all\n')],
  ])('%s, of Codex', (_what, bytes) => {
    ingestTranscript(project.open(), thread.file);
    writeFileSync(thread.file, bytes);
    expectOne(thread.file);
  });

  test.each([
    ['with what is compressed', gzip],
    ['with text that is no record', Buffer.from('no JSON at all\n')],
  ])('%s, of Claude Code', (_what, bytes) => {
    rmSync(thread.file);
    const text = conversation('retry-backoff.jsonl', project.folder);
    const file = putTranscript(home, project.folder, 'retry-backoff.jsonl', text);
    ingestTranscript(project.open(), file);
    writeFileSync(file, bytes);
    expectOne(file);
  });
});
