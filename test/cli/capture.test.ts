// `ctx capture` and `ctx doctor` as a user or cron runs them: both streams, exit codes, and a kill in the middle.
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import type { CatchUpResult } from '../../src/app/capture/catch-up.ts';
import type { DoctorResult } from '../../src/app/doctor/doctor.ts';
import { folder, fsck, json, NOON, PROGRAM, type Repo, refused, repository, run, seen } from '../support/cli.ts';
import { conversation, linesOf, putTranscript } from '../support/homes.ts';

const DAY = 86_400;

let repo: Repo;
let env: Record<string, string>;

beforeEach(() => {
  repo = repository({ now: NOON });
  env = { HOME: folder('home-') };
});

const ctx = (args: readonly string[], now = NOON) => run(args, { cwd: repo.dir, env, now });
const told = <T>(args: readonly string[], exit = 0): T => json<T>(args, { cwd: repo.dir, env, now: NOON, exit });
const put = (name: string, as = name): string =>
  putTranscript(env['HOME'] as string, repo.dir, as, conversation(name, repo.dir));

test('what is seen of a project that has been captured in part, and of a catch-up', () => {
  const file = put('retry-backoff.jsonl');
  writeFileSync(file, linesOf(conversation('retry-backoff.jsonl', repo.dir), 40));
  expect(ctx(['ingest', file]).code).toBe(0);
  put('retry-backoff.jsonl');
  put('rewind.jsonl');
  expect(seen(ctx(['capture', 'status']))).toMatchInlineSnapshot(`
    "exit 1
    out| behind          1 of 4 turns    claude-code 41fa3607-9d41-5607-905b-d0f910ab2865  <id1>
    out| never captured  0 of 3 turns    claude-code eb3987b7-408e-5786-a903-38025384e639
    out| 1 of 7 turns captured
    err| hint: Take in what is missing: ctx capture catch-up --all"
  `);
  expect(seen(ctx(['capture', 'catch-up'], NOON + 100 * DAY))).toMatchInlineSnapshot(`
    "exit 0
    out| Added to <id1>: 3 turns, 3 steps (claude-code 41fa3607-9d41-5607-905b-d0f910ab2865)
    out| 3 turns of 1 conversation taken in
    err| hint: 1 conversation older than 30 days left out; take them in with: ctx capture catch-up --all"
  `);
  expect(seen(ctx(['capture', 'catch-up'], NOON + 100 * DAY))).toMatchInlineSnapshot(`
    "exit 0
    out| Nothing was taken in.
    err| hint: 1 conversation older than 30 days left out; take them in with: ctx capture catch-up --all"
  `);
  expect(seen(ctx(['capture', 'catch-up']))).toMatchInlineSnapshot(`
    "exit 0
    out| Captured <id1>: 3 turns, 3 steps (claude-code eb3987b7-408e-5786-a903-38025384e639)
    out| 3 turns of 1 conversation taken in"
  `);
  expect(seen(ctx(['capture', 'catch-up', '--all']))).toMatchInlineSnapshot(`
    "exit 0
    out| Nothing was missing."
  `);
  expect(seen(ctx(['capture', 'status']))).toMatchInlineSnapshot(`
    "exit 0
    out| captured        4 of 4 turns    claude-code 41fa3607-9d41-5607-905b-d0f910ab2865  <id1>
    out| captured        3 of 3 turns    claude-code eb3987b7-408e-5786-a903-38025384e639  <id2>
    out| 7 of 7 turns captured"
  `);
  fsck(repo.dir);
});

test('a line that cannot be read is named by the status and by a catch-up, which both end with 1', () => {
  const file = put('rewind.jsonl');
  writeFileSync(file, `${conversation('rewind.jsonl', repo.dir)}no JSON\n`);
  expect(ctx(['capture', 'catch-up', '--all']).code).toBe(1);
  const [status, again] = [ctx(['capture', 'status']), ctx(['capture', 'catch-up'])];
  expect([status.code, again.code]).toEqual([1, 1]);
  expect(status.stdout).toContain('2 of 3 turns captured');
  expect(again.stdout).toBe('Nothing was taken in.\n');
  expect(again.stderr).toMatch(/, line \d+: is not JSON/);
  expect(again.stderr).toMatch(/hint: Nothing can be taken in of line \d+ as it is\. Look at it: sed -n \d+p /);
});

test('nothing to capture is no failure, and a bad file is one that stops nothing', () => {
  expect(seen(ctx(['capture', 'status']))).toMatchInlineSnapshot(`
    "exit 0
    out| No conversation of an agent in this project: nothing to capture."
  `);
  expect(seen(ctx(['capture', 'catch-up']))).toMatchInlineSnapshot(`
    "exit 0
    out| Nothing was missing."
  `);
  putTranscript(env['HOME'] as string, repo.dir, 'bad.jsonl', 'no JSON\n');
  put('rewind.jsonl');
  const taken = ctx(['capture', 'catch-up']);
  expect(taken).toMatchObject({ code: 1, stdout: expect.stringContaining('3 turns of 1 conversation taken in\n') });
  expect(taken.stderr).toMatch(/^warning: claude-code: .*bad\.jsonl holds no prompt that can be read; line 1: /);
  expect(ctx(['capture', 'status'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('3 of 3 turns captured\n'),
  });
});

test('for scripts', () => {
  put('rewind.jsonl');
  expect(ctx(['capture', 'status', '--json'])).toMatchObject({ code: 1, stderr: '' });
  expect(told<CaptureStatus>(['capture', 'status'], 1)).toMatchObject({
    conversations: [{ agent: 'claude-code', captured: 'never', turns: 3, turns_stored: 0, session_id: null }],
    turns: 3,
    turns_stored: 0,
    complete: false,
  });
  const taken = told<CatchUpResult>(['capture', 'catch-up']);
  expect(taken).toMatchObject({ turns_added: 3, left_out: 0, problems: [] });
  expect(told<CaptureStatus>(['capture', 'status'])).toMatchObject({ turns_stored: 3, complete: true });
});

test('what is not read, and a line that is lost, are named, and end with 1', () => {
  const home = env['HOME'] as string;
  const clean = (text: string): string =>
    text.replaceAll(home, '<home>').replaceAll(/-[-\w]*(?=\/[a-z]+\.jsonl)/g, '<folder>');
  const file = put('rewind.jsonl').replace(/[^/]*$/, 'a.jsonl.gz');
  writeFileSync(file, Buffer.from('1f8b0800', 'hex'));
  const none = ctx(['capture', 'status']);
  expect(none.code).toBe(1);
  expect(clean(none.stderr)).toContain(
    'warning: claude-code: <home>/.claude/projects/<folder>/a.jsonl.gz is compressed with gzip, which ctx does not read.\n',
  );
  expect(clean(none.stderr)).toMatch(/hint: Unpack it .*<home>\/\.claude\/projects\/<folder>\/a\.jsonl\.gz\n/);
  rmSync(put('rewind.jsonl'));
  const alone = ctx(['capture', 'status']);
  expect([alone.code, alone.stdout]).toEqual([1, 'No conversation that ctx can read; not read: 1 file or folder\n']);
  rmSync(file);
  const empty = ctx(['capture', 'status']);
  expect([empty.code, empty.stdout]).toEqual([0, 'No conversation of an agent in this project: nothing to capture.\n']);
  const damaged = put('rewind.jsonl');
  appendFileSync(damaged, '{"type":"assistant","mess\n');
  expect(ctx(['capture', 'catch-up', '--all']).code).toBe(1);
  const lost = ctx(['capture', 'status']);
  expect([lost.code, lost.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^lines missing {3}2 of 3 turns .*\n2 of 3 turns captured; lines that cannot be read in 1 conversation\n$/,
    ),
  ]);
  expect(lost.stderr).toMatch(/^warning: claude-code: .*rewind\.jsonl, line \d+: is not JSON/);
  expect(told<CaptureStatus>(['capture', 'status'], 1)).toMatchObject({ complete: false, incomplete: 1, behind: 0 });
});

test('without a store, and without a home', () => {
  const outside = { cwd: folder(), env, now: NOON };
  expect(run(['capture', 'status'], outside)).toMatchObject({ code: 1, stdout: '' });
  expect(refused(['capture', 'status'], outside).code).toBe('not_a_repository');
  expect(run(['capture', 'catch-up'], { cwd: repo.dir, env: { HOME: '' } })).toMatchObject({
    code: 1,
    stderr: 'error: No home folder is known: that is where agents keep their transcripts.\nhint: Set HOME.\n',
  });
});

test('killed in the middle, the next one continues', async () => {
  const text = conversation('rewind.jsonl', repo.dir);
  const [, id = ''] = /"sessionId":"([^"]+)"/.exec(text) ?? [];
  const count = 40;
  for (let number = 0; number < count; number += 1) {
    const own = `${String(number).padStart(8, '0')}${id.slice(8)}`;
    putTranscript(env['HOME'] as string, repo.dir, `${own}.jsonl`, text.replaceAll(id, own));
  }
  const environment = { PATH: process.env['PATH'], ...env, CTX_NOW: String(NOON) };
  const child = spawn(process.execPath, [PROGRAM, 'capture', 'catch-up'], { cwd: repo.dir, env: environment });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('exit', (_, signal) => resolve(signal)));
  const sessions = (): number => readdirSync(join(repo.store, 'refs/sessions')).length;
  while (sessions() < 2 && child.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  const before = told<CaptureStatus>(['capture', 'status'], 1);
  expect(before.behind).toBeGreaterThan(0);
  expect(before.behind).toBeLessThan(count);
  expect(ctx(['capture', 'catch-up']).code).toBe(0);
  expect(told<CaptureStatus>(['capture', 'status'])).toMatchObject({ turns: 3 * count, complete: true });
  expect(repo.git('for-each-ref', 'refs/sessions').trim().split('\n')).toHaveLength(count);
  fsck(repo.dir);
});

test('the doctor: what it says repairs it, and then nothing needs repair', () => {
  put('rewind.jsonl');
  const sick = ctx(['doctor']);
  expect(sick.code).toBe(1);
  expect(sick.stderr).toBe('');
  const stdout = sick.stdout.replace(/git version .*/, 'git version').replaceAll(env['HOME'] as string, '<home>');
  expect(seen({ ...sick, stdout })).toMatchInlineSnapshot(`
    "exit 1
    out| ok       store        <dir>/.ctx: 0 open sessions, 0 archived; ctx fsck checks every object
    out| ok       catalog      There is none yet: the first search makes it.
    out| ok       permissions  The store is yours alone.
    out| ok       git          git version
    out| problem  hooks        ctx is not in the hooks of Claude Code: it remembers nothing by itself.
    out|                       ctx hooks install claude-code
    out| note     events       Claude Code: nothing has come from it yet.
    out| problem  capture      0 of 3 turns captured; 1 conversation never
    out|                       ctx capture catch-up --all
    out| note     retention    Claude Code deletes a transcript 30 days after its last use.
    out|                       To keep them longer, write "cleanupPeriodDays": 3650 into <home>/.claude/settings.json
    out| 2 problems to repair."
  `);
  expect(ctx(['hooks', 'install', 'claude-code']).code).toBe(0);
  expect(ctx(['capture', 'catch-up', '--all']).code).toBe(0);
  expect(ctx(['doctor']).stdout).toMatch(/\nNothing needs repair\.\n$/);
  expect(told<DoctorResult>(['doctor'])).toMatchObject({ healthy: true, store: repo.store });
});

test('the doctor without a store', () => {
  const outside = { cwd: folder(), env: { ...env, PATH: process.env['PATH'] ?? '' }, now: NOON };
  const ran = run(['doctor'], outside);
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(ran.stdout).toMatch(/^problem {2}store {8}There is no \.ctx here .*\n +Make one with: ctx init\n/);
});
