// Many processes at once: what is acknowledged is there once, in order, whoever else is at work, Git too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ActiveStatus, FlushResult, Shown, ShownStep } from '../../src/index.ts';
import { envelope, fingerprint, fsck, type Repo, type Result, repository, session } from '../support/cli.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Ids of what an observe command has acknowledged. */
const acknowledged = (results: Result[]): string[] =>
  results.flatMap((result) =>
    result.code === 0 ? (JSON.parse(result.stdout) as { result: { records: string[] } }).result.records : [],
  );

const stepsOf = (repo: Repo, revision: string): ShownStep[] =>
  repo.json<Shown & { steps: ShownStep[] }>(['show', revision]).steps;

const noteIds = (steps: ShownStep[]): string[] =>
  steps.flatMap((step) => step.observations.filter((record) => record.kind === 'note').map((record) => record.id));

const note = (repo: Repo, text: string): Promise<Result> => repo.start(['--json', 'observe', 'note', text]);

/** Nothing that a command uses for itself is left behind. */
function tidy(repo: Repo): void {
  const left = Object.keys(fingerprint(repo.store)).filter(
    (path) => /(^pending\/|lock|tmp|begun)/i.test(path) && path !== 'objects/tmp_witness',
  );
  expect(left).toEqual([]);
  fsck(repo.dir);
}

test('32 processes observe at once, then one flush takes all of it, in the order of their ids', async () => {
  const repo = session();
  const results = await Promise.all(numbers(32).map((number) => note(repo, `note ${number}`)));
  const ids = acknowledged(results);
  expect(new Set(ids).size).toBe(32);
  expect(repo.json<FlushResult>(['stage', 'flush'])).toMatchObject({ step: 2, flushed: 32 });
  const [, step] = stepsOf(repo, 'STAGE');
  expect(step?.observations.map((record) => record.id)).toEqual(ids.toSorted());
  expect(step?.observations.map((record) => record['content']).toSorted()).toEqual(
    numbers(32)
      .map((number) => `note ${number}`)
      .toSorted(),
  );
  tidy(repo);
});

test('flushes at once double nothing and lose nothing', async () => {
  const repo = session();
  const ids = numbers(5).map((number) => repo.json<{ records: string[] }>(['observe', 'note', `${number}`]).records[0]);
  const results = await Promise.all(numbers(6).map(() => repo.start(['--json', 'stage', 'flush'])));
  const flushed = results.map((result) => (envelope(result) as { result: FlushResult }).result);
  expect(flushed.filter((result) => result.committed)).toHaveLength(1);
  const steps = stepsOf(repo, 'STAGE');
  expect(steps).toHaveLength(2);
  expect(noteIds(steps)).toEqual(ids);
  tidy(repo);
});

test('observing and flushing at once keeps every note once, and each step holds its own in order', async () => {
  const repo = session();
  const observers = numbers(16).map((number) => note(repo, `note ${number}`));
  const flushers = numbers(6).map(() => repo.start(['--json', 'stage', 'flush']));
  const ids = acknowledged(await Promise.all(observers));
  for (const result of await Promise.all(flushers)) expect(result).toMatchObject({ code: 0, stderr: '' });
  repo.run(['stage', 'flush']);
  expect(ids).toHaveLength(16);
  const steps = stepsOf(repo, 'STAGE');
  expect(noteIds(steps).toSorted()).toEqual(ids.toSorted());
  for (const step of steps) expect(noteIds([step])).toEqual(noteIds([step]).toSorted());
  expect(steps.map((step) => step.step)).toEqual(numbers(steps.length).map((index) => index + 1));
  tidy(repo);
});

test.for([
  ['start', ['stage', 'start', 'A task'], 'session_active'],
  ['ask', ['stage', 'ask', 'Which?'], 'no_such_move'],
  ['compact', ['stage', 'compact'], 'no_active_session'],
] as const)('of several that %s at once, one does, and the others are told', async ([what, line, code]) => {
  const repo = what === 'start' ? repository() : session();
  const results = await Promise.all(numbers(5).map(() => repo.start(['--json', ...line])));
  const answers = results.map(envelope);
  expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
  const codes = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
  expect(codes).toEqual(Array(4).fill(code));
  if (what === 'compact') expect(repo.git('rev-list', '--count', 'main')).toBe('2\n');
  tidy(repo);
});

test('a note that is acknowledged while its session is compacted is not lost', async () => {
  const repo = session();
  const { session_id } = repo.json<ActiveStatus>(['stage', 'status']);
  const observers = numbers(12).map((number) => note(repo, `note ${number}`));
  const compacted = repo.start(['--json', 'stage', 'compact']);
  const results = await Promise.all(observers);
  expect(envelope(await compacted).ok).toBe(true);
  const codes = results.map(envelope).flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
  expect(codes.filter((code) => code !== 'no_active_session')).toEqual([]);
  const main = repo.git('rev-parse', 'main');
  // The next command puts what came too late into a late step of the archived session.
  expect(repo.run(['stage', 'recover'])).toMatchObject({ code: 0 });
  expect(noteIds(stepsOf(repo, session_id)).toSorted()).toEqual(acknowledged(results).toSorted());
  expect(repo.git('rev-parse', 'main')).toBe(main);
  tidy(repo);
});

test('who reads beside who writes always gets an answer, never a damaged one', async () => {
  const repo = session();
  let writing = true;
  const reads: Result[] = [];
  const reader = async (line: string[]): Promise<void> => {
    while (writing) reads.push(await repo.start(line));
  };
  const readers = [reader(['stage', 'status']), reader(['stage', 'list']), reader(['log'])];
  try {
    for (const number of numbers(2)) {
      await note(repo, `note ${number}`);
      for (const line of [
        ['stage', 'flush'],
        ['stage', 'compact'],
        ['stage', 'start', `Task ${number}`],
      ]) {
        expect(await repo.start(line)).toMatchObject({ code: 0, stderr: '' });
      }
    }
  } finally {
    writing = false;
    await Promise.all(readers);
  }
  expect(reads.filter((result) => result.code !== 0 || result.stderr !== '')).toEqual([]);
  tidy(repo);
});

test('Git packs refs and collects garbage all the while, and nothing is lost', async () => {
  const repo = session();
  let working = true;
  let done = 0;
  const git = async (): Promise<void> => {
    for (let round = 0; working; round += 1) {
      const words = round % 4 === 3 ? ['gc', '--quiet'] : ['pack-refs', '--all'];
      const child = spawn('git', ['--git-dir=.ctx', ...words], { cwd: repo.dir, stdio: 'ignore' });
      const [code] = await once(child, 'close');
      // Git gives up where it meets one of our locks; it comes again.
      if (code === 0) done += 1;
    }
  };
  const packing = git();
  const ids: string[] = [];
  const sessions: string[] = [];
  try {
    for (const round of numbers(3)) {
      for (const number of numbers(3)) {
        const results = await Promise.all([note(repo, `${round}.${number}`), note(repo, `${round}.${number} too`)]);
        ids.push(...acknowledged(results));
        expect(await repo.start(['stage', 'flush'])).toMatchObject({ code: 0, stderr: '' });
      }
      sessions.push(repo.json<ActiveStatus>(['stage', 'status']).session_id);
      expect(await repo.start(['stage', 'compact'])).toMatchObject({ code: 0, stderr: '' });
      expect(await repo.start(['stage', 'start', `Task ${round}`])).toMatchObject({ code: 0, stderr: '' });
    }
  } finally {
    working = false;
    await packing;
  }
  expect(done).toBeGreaterThan(4);
  expect(ids).toHaveLength(18);
  expect(sessions.flatMap((id) => noteIds(stepsOf(repo, id))).toSorted()).toEqual(ids.toSorted());
  expect(repo.git('rev-list', '--count', 'main')).toBe('4\n');
  tidy(repo);
});
