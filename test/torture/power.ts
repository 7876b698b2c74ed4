/** Power loss by model: from the log of calls of a run, every state that a crash may leave on the disk, recovered and checked. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkLocks, checkRecovered, wordsOf } from './check.ts';
import { type Call, Disk, materialise, type Survival, type Survivors } from './disk.ts';
import { runHere } from './in-process.ts';
import { type Picture, takePicture } from './picture.ts';
import { later, type Outcome, pool, runProgram, spread } from './program.ts';
import type { Scenario } from './scenarios.ts';
import { type Bench, extras, makeReady, type Stage, withAcknowledged } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { recoverAndCheck } from './sweep.ts';

const below = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const SYNCED = 'synced names and bytes';

/** Newest names that are on the disk; of contents only what was synced. */
export const STATES: Readonly<Record<string, Survival>> = {
  'all names, synced bytes': () => true,
  [SYNCED]: () => false,
  'all but objects': (folder) => !below(folder, 'objects'),
  'pending only': (folder) => below(folder, 'pending'),
  'refs only': (folder) => below(folder, 'refs'),
};

/** More of them, for a full run. */
export const MORE_STATES: Readonly<Record<string, Survival>> = {
  ...STATES,
  'pointers only': (folder) => !['objects', 'pending', 'oplog'].some((name) => below(folder, name)),
  'all but the operation log': (folder) => !below(folder, 'oplog'),
  'all but pointers': (folder) => ['objects', 'pending', 'oplog'].some((name) => below(folder, name)),
};

export interface PowerTally {
  title: string;
  calls: number;
  /** Different states of the disk that were checked. */
  states: number;
  losses: string[];
}

/** The calls of a run, from its log. */
export function readCalls(log: string): Call[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  rmSync(log);
  return lines.map((line) => JSON.parse(line) as Call);
}

/** Loads the project's store as a disk; the log's paths are those of the project. */
export function diskOf(project: string): Disk {
  mkdirSync(join(project, '.ctx'), { recursive: true });
  return new Disk(join(project, '.ctx'));
}

/** Hashes of contents: a content of the model never changes, it is replaced by another. */
const sums = new WeakMap<Buffer, string>();

function sumOf(content: Buffer): string {
  const sum = sums.get(content) ?? createHash('sha1').update(content).digest('hex');
  sums.set(content, sum);
  return sum;
}

/** Tells states apart. */
const keyOf = (survivors: Survivors): string => {
  const lines = [...survivors].map(([path, file]) => `${path}\0${file ? sumOf(file.content) : '/'}`);
  return createHash('sha1').update(lines.sort().join('\n')).digest('hex');
};

/** One state to be checked, and how. */
interface Case {
  where: string;
  survivors: Survivors;
  check: (project: string) => Promise<string[]>;
}

export interface Span {
  title: string;
  calls: readonly Call[];
  disk: Disk;
  states: Readonly<Record<string, Survival>>;
  /** Most prefixes that are looked at. */
  limit: number;
  /** True if one loss is enough. */
  untilLoss?: boolean | undefined;
  seen: Set<string>;
  /** Facts beside the state on which the check depends, if they differ between the spans that share a verdict. */
  asked?: string;
  /** Checks a state; `done` after the last call, `asunder` if a file may be in neither of two folders. */
  check: (project: string, done: boolean, asunder: boolean) => Promise<string[]>;
}

/** The different states along the calls of one process. */
function* casesOf(span: Span): Generator<Case> {
  const { calls, disk, seen } = span;
  const chosen = new Set([0, ...spread(calls.length, span.limit)]);
  disk.begin();
  for (let done = 0; done <= calls.length; done += 1) {
    if (done > 0) disk.apply(calls[done - 1] as Call);
    if (!chosen.has(done)) continue;
    const last = done === calls.length;
    for (const [name, survival] of Object.entries(span.states)) {
      const survivors = disk.survivors(survival);
      const key = `${keyOf(survivors)}${last ? ' done' : ''} ${span.asked ?? ''}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const where = `${span.title}, after ${done} of ${calls.length} calls, ${name}`;
      // A rename from one folder to another may have only taken away: no disk with a journal does that, but the model does.
      const asunder = name !== SYNCED && !survival('lost');
      yield { where, survivors, check: (project) => span.check(project, last, asunder) };
    }
  }
}

/** Checks the states of a span; where the model ends elsewhere than the run did, it has not seen everything. */
export async function checkSpan(
  bench: Bench,
  span: Span,
  base: string,
  real: string,
  tally: PowerTally,
): Promise<void> {
  tally.calls += span.calls.length;
  await pool([...casesOf(span)], async (one) => {
    if (span.untilLoss && tally.losses.length > 0) return;
    tally.states += 1;
    const project = copyProject(base, bench.workshop, false);
    materialise(one.survivors, join(project, '.ctx'));
    const problems = await one.check(project);
    tally.losses.push(...problems.map((problem) => `${one.where}: ${problem}`));
    removeProject(project);
  });
  const unlike = differing(
    span.disk.survivors(() => true, true),
    diskOf(real).survivors(() => true, true),
  );
  if (unlike.length > 0)
    tally.losses.push(`${span.title}: the preload did not see every call: the model differs in ${unlike.join(', ')}`);
}

/** Paths that two disks do not have alike. */
function differing(one: Survivors, other: Survivors): string[] {
  const tell = (survivors: Survivors, path: string): string =>
    survivors.has(path) ? (survivors.get(path)?.content.toString('latin1') ?? 'a folder') : 'nothing';
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => tell(one, path) !== tell(other, path));
}

export interface PowerOptions {
  states?: Readonly<Record<string, Survival>>;
  limit: number;
  untilLoss?: boolean;
}

/** Cuts the power at every call of one command. */
export async function powerOfScenario(bench: Bench, scenario: Scenario, options: PowerOptions): Promise<PowerTally> {
  const stage = await makeReady(bench, scenario);
  const tally: PowerTally = { title: stage.title, calls: 0, states: 0, losses: [...stage.problems] };
  const real = copyProject(stage.project, bench.workshop);
  const disk = diskOf(real);
  const log = join(bench.workshop, `${Math.floor(performance.now())}.log`);
  const { program } = bench;
  const outcome = await runProgram({
    program,
    project: real,
    words: stage.words,
    moment: stage.moment,
    ...extras(scenario),
    log,
  });
  const told = toldIn(stage, outcome, real);
  const check: Span['check'] = (project, done, asunder) =>
    done
      ? recoverAndCheck(stage, project, told, [stage.shapes.new])
      : recoverAndCheck(asunder ? { ...stage, torn: [] } : stage, project);
  const states = options.states ?? STATES;
  const span: Span = {
    title: stage.title,
    calls: readCalls(log),
    disk,
    states,
    limit: options.limit,
    untilLoss: options.untilLoss,
    seen: new Set(),
    check,
  };
  await checkSpan(bench, span, stage.project, real, tally);
  removeProject(real);
  return tally;
}

/** The records that a command which has come to its end answers for: those that it names, and all that stand in its store. */
export function toldIn(stage: Stage, outcome: Outcome, project: string): ReadonlyMap<string, readonly string[]> {
  const acknowledged = withAcknowledged(stage, outcome);
  // Run again, it throws away what it threw away before.
  return stage.scenario.forgets ? acknowledged : new Map([...acknowledged, ...takePicture(project).records]);
}

/** A life of a session: what one command leaves unsynced must not hurt a later one. */
const LIFE: readonly (readonly string[])[] = [
  ['stage', 'start', 'Live'],
  ['observe', 'note', 'one'],
  ['observe', 'write', 'src/client.ts'],
  ['stage', 'flush'],
  ['observe', 'note', 'two'],
  ['stage', 'flush'],
  ['stage', 'flush', '-m', 'three'],
  ['stage', 'ask', 'four?'],
  ['observe', 'note', 'five'],
  ['stage', 'respond', 'six'],
  ['stage', 'done', 'seven'],
  ['stage', 'confirm'],
  ['undo'],
  ['stage', 'flush', '--allow-empty'],
];

/** Cuts the power at every call of a whole session, command after command on one disk. */
export async function powerOfLife(bench: Bench, options: PowerOptions): Promise<PowerTally> {
  const tally: PowerTally = { title: 'a whole session', calls: 0, states: 0, losses: [] };
  const real = copyProject(bench.templates.closed, bench.workshop);
  const disk = diskOf(real);
  const seen = new Set<string>();
  let before = takePicture(real);
  const moment = Date.now();
  for (const [index, words] of LIFE.entries()) {
    const log = join(bench.workshop, `life-${index}.log`);
    const outcome = await runProgram({
      program: bench.program,
      project: real,
      words,
      moment: later(moment, index),
      log,
    });
    if (outcome.code !== 0) tally.losses.push(`ctx ${words.join(' ')} ended with ${outcome.code}: ${outcome.out}`);
    const after = takePicture(real);
    const [old, now] = [before, after];
    const check = (project: string, done: boolean): Promise<string[]> => checkLife(project, done ? now : old, done);
    const states = options.states ?? STATES;
    const title = `${tally.title}, ${words.join(' ')}`;
    const span: Span = { title, calls: readCalls(log), disk, states, limit: options.limit, seen, check };
    await checkSpan(bench, span, bench.templates.closed, real, tally);
    before = after;
  }
  removeProject(real);
  return tally;
}

export async function checkLife(project: string, known: Picture, done: boolean): Promise<string[]> {
  try {
    const recovery = await runHere(project, ['stage', 'recover']);
    if (recovery.error) return [`recovery: ${wordsOf(recovery.error)}`];
    const { problems, shape } = await checkRecovered(project, { before: known, acknowledged: known.records });
    if (done && /[-?]|[+][1-9]/.test(shape)) problems.push(`it was done, and the pointers have moved: ${shape}`);
    return [...problems, ...checkLocks(project)];
  } catch (error) {
    return [wordsOf(error)];
  }
}
