/** The fault sweep: a command is run with a fault at each of its calls in turn, recovered, checked, run again, checked again. */
import { readHookErrors } from '../../src/history/store/hook-errors.ts';
import { checkLocks, checkRecovered, checkSound, wordsOf } from './check.ts';
import { openProject, runHere } from './in-process.ts';
import { takePicture } from './picture.ts';
import { type Mode, type Outcome, pool, runProgram, spread } from './program.ts';
import type { Scenario } from './scenarios.ts';
import {
  type Bench,
  checkSetAside,
  checkTraces,
  extras,
  isDone,
  madeSince,
  type Stage,
  withAcknowledged,
} from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { checkShort, closeTally, newTally, type Tally } from './tally.ts';

const recoveryOf = (scenario: Scenario): readonly string[] => scenario.recovery ?? ['stage', 'recover'];

/** Checks the objects and pointers that were made, as far as it is known what had to be. */
function checkMade({ before }: Stage, project: string, due: readonly string[]): string[] {
  const made = madeSince(before, takePicture(project));
  const missing = due.filter((text) => !made.includes(text));
  return missing.map((text) => `it told of no trouble, and no record says: ${text.slice(0, 200)}`);
}

/** Checks if a command that ends well whatever happens has told of trouble, in the store or where that cannot be written. */
function hasTold(stage: Stage, project: string, outcome: Outcome): boolean {
  const failures = (place: string): number => readHookErrors(openProject(place)).length;
  return outcome.err.trim() !== '' || failures(project) > failures(stage.project);
}

export const allowedShapes = (stage: Stage): (string | RegExp)[] => [
  stage.shapes.old,
  stage.shapes.new,
  ...(stage.scenario.between ?? []),
];

/** Place among its calls at which a command is struck once: each fault somewhere else, and a kill at the last call. */
const SHARE: Readonly<Record<Mode, number>> = { kill: 1, torn: 0.5, ENOSPC: 0.25, EIO: 0.75 };

/** Number of times that a run of fewer calls is struck again. */
const RETRIES = 3;

/**
 * Sweeps one scenario in one mode, at every point or at `limit` of them.
 * @param untilLoss whether one loss is enough: then no more points are struck
 */
export async function sweep(bench: Bench, stage: Stage, mode: Mode, limit: number, untilLoss = false): Promise<Tally> {
  const last = mode === 'torn' ? stage.total.writes : stage.total.calls;
  const points = limit === 1 && last > 0 ? [Math.ceil(last * SHARE[mode])] : spread(last, limit);
  const tally = newTally(stage.title, mode);
  await pool(untilLoss ? strewn(points) : points, async (at) => {
    if (untilLoss && tally.losses.length > 0) return;
    tally.points += 1;
    // A run of fewer calls is struck again, at its last one, which may be too late for that run again.
    let fewer = await strikeOnce(bench, stage, mode, at, tally);
    if (fewer !== null) tally.short += 1;
    for (let left = RETRIES; fewer !== null && fewer > 0 && left > 0; left -= 1)
      fewer = await strikeOnce(bench, stage, mode, fewer, tally);
  });
  return closeTally(tally);
}

/** Every third of them, then those between: what is harmed at two in a row, at several places, is met soon. */
const strewn = (points: readonly number[]): number[] =>
  [0, 1, 2].flatMap((first) => points.filter((_, index) => index % 3 === first));

/** Runs a command with a fault at one call, and judges it; gives how many calls there were, where they were fewer, else null. */
async function strikeOnce(bench: Bench, stage: Stage, mode: Mode, at: number, tally: Tally): Promise<number | null> {
  const { program, workshop } = bench;
  const project = copyProject(stage.project, workshop);
  try {
    const order = { program, project, words: stage.words, moment: stage.moment, ...extras(stage.scenario) };
    const outcome = await runProgram({ ...order, fault: { at, mode } });
    const where = `${stage.title}, ${mode} at ${at}`;
    const calls = (mode === 'torn' ? outcome.total?.writes : outcome.total?.calls) ?? at;
    if (outcome.hit) {
      tally.hits += 1;
      const problems = await judgeFault(stage, project, outcome, mode);
      const call = `${outcome.hit.call} ${outcome.hit.path}`;
      tally.losses.push(...problems.map((problem) => `${where} (${call}): ${problem}`));
    } else if (calls < at) {
      checkShort(tally, where, outcome, stage.scenario.exit ?? 0);
      return calls;
    } else tally.losses.push(`${where}: no fault was seen; the harness is broken (${outcome.err})`);
    return null;
  } finally {
    removeProject(project);
  }
}

/**
 * Everything that must hold of a process that met a fault, and of the store that it left.
 * @param child whether it was a process of Git's, started by it, that met the fault
 */
export async function judgeFault(
  stage: Stage,
  project: string,
  outcome: Outcome,
  mode: Mode,
  child = false,
): Promise<string[]> {
  const ended = child ? problemsOfParent(outcome) : problemsOfEnd(outcome, mode);
  return [...ended, ...(await afterFault(stage, project, outcome, mode))];
}

/** A process whose Git failed lives on, and says so in the words of Git. */
function problemsOfParent({ code, signal, out, err }: Outcome): string[] {
  if (signal) return [`it ended by ${signal}: it hung or crashed`];
  if (code === 0 || ((code === 1 || code === 5) && /^\{"ok":false,"error":\{.*[Gg]it /.test(out))) return [];
  return [`its Git failed, and it ended with ${code}: ${out}${err}`];
}

/** An answer of the command line that is not "done". */
interface Complaint {
  error?: { message: string };
  result?: { problems?: ({ message: string } | string)[] };
}

/** Reads the answer of a command, which is the last line where the command also passes something on. */
const complaintOf = ({ out }: Outcome): Complaint => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Complaint;

/** A killed process must have been killed; one that met an error must have said so, clearly. */
function problemsOfEnd(outcome: Outcome, mode: Mode): string[] {
  if (mode === 'kill' || mode === 'torn')
    return outcome.signal === 'SIGKILL' ? [] : [`it ended with ${outcome.code ?? outcome.signal}, not by SIGKILL`];
  const said = `${outcome.out}${outcome.err}`;
  if (outcome.signal) return [`it ended by ${outcome.signal}: it hung or crashed`];
  if (/\n\s+at .*:\d+/.test(said)) return [`it shows a stack trace: ${said}`];
  if (isDone(outcome)) return [];
  if (![1, 4, 5].includes(outcome.code ?? -1)) return [`it ended with ${outcome.code}: ${said}`];
  const answer = complaintOf(outcome);
  // A command of many things tells what went wrong with each.
  const problems = answer.result?.problems?.map((problem) => (typeof problem === 'string' ? problem : problem.message));
  const message = answer.error?.message ?? problems?.join('\n') ?? '';
  const named = message.includes('.ctx') || message.includes(outcome.hit?.path ?? '?');
  return named && message.includes(mode) ? [] : [`its error names neither file nor cause: ${message}`];
}

/** Commands that go on where they were when they are run again, whatever they have done by then. */
const GOING_ON = ['init', 'gc', 'fsck'];

/** Checks if a command that lived on has failed without a word of what it has done by then: it may be run again, and so has done nothing. */
function saysNothing(outcome: Outcome): boolean {
  if (outcome.signal || isDone(outcome) || outcome.code === 0) return false;
  const { error } = complaintOf(outcome);
  return error !== undefined && !error.message.includes('By then');
}

/** Recovers, checks, runs the command again, checks again. */
async function afterFault(stage: Stage, project: string, outcome: Outcome, mode: Mode): Promise<string[]> {
  const problems: string[] = [];
  const acknowledged = withAcknowledged(stage, outcome);
  // A process that lived on has cleaned up behind itself: nothing may be half-written even before a recovery.
  const wasSound = stage.scenario.base !== 'empty' && !stage.scenario.wound;
  if ((mode === 'ENOSPC' || mode === 'EIO') && wasSound)
    problems.push(
      ...(await stage.verdicts.of(project, 'sound', () => checkSound(project, false))).map(
        (problem) => `before recovery: ${problem}`,
      ),
    );
  const isSilent = stage.scenario.hushed === true && isDone(outcome) && !hasTold(stage, project, outcome);
  // The recovery has done the work that it left to the next command.
  const { between = [] } = stage.scenario;
  const isSure = isDone(outcome) && (isSilent || !stage.scenario.hushed);
  const mustBeOld = !GOING_ON.includes(stage.scenario.command) && saysNothing(outcome);
  const shape = isSure ? stage.shapes.new : mustBeOld ? stage.shapes.old : null;
  const done = shape === null ? undefined : [shape, ...between];
  const due = isSilent ? stage.made : [];
  return [...problems, ...(await judge(stage, project, acknowledged, done, due))];
}

/** The same as below, of a store that the command of the stage has left: it is done once for stores that are alike. */
export function judge(
  stage: Stage,
  project: string,
  acknowledged: ReadonlyMap<string, readonly string[]> = stage.kept,
  shapes: readonly (string | RegExp)[] = allowedShapes(stage),
  due: readonly string[] = [],
): Promise<string[]> {
  const asked = [stage.words, stage.torn.length, [...acknowledged], shapes.map(String), due];
  return stage.verdicts.of(project, asked, () => recoverAndCheck(stage, project, acknowledged, shapes, due));
}

/** Recovers after every fault, and checks the store; `acknowledged` are the records that must be there, `due` the descriptions of others that must be. */
export async function recoverAndCheck(
  stage: Stage,
  project: string,
  acknowledged: ReadonlyMap<string, readonly string[]> = stage.kept,
  shapes: readonly (string | RegExp)[] = allowedShapes(stage),
  due: readonly string[] = [],
): Promise<string[]> {
  const { scenario, before } = stage;
  try {
    const recovery = await runHere(project, recoveryOf(scenario));
    if (recovery.error) return [`recovery: ${wordsOf(recovery.error)}`, ...(await checkSound(project))];
    const first = await checkRecovered(project, { before, acknowledged, shapes });
    const found = [
      ...first.problems,
      ...checkTraces(stage, project, first.shape),
      ...checkSetAside(stage, project),
      ...checkMade(stage, project, due),
    ];
    const problems = found.map((problem) => `after recovery: ${problem}`);
    const again = await runHere(project, stage.words, scenario.input, scenario.now);
    const refused = again.error && !isRefusal(again.error.code);
    if (refused || (again.error && first.shape === stage.shapes.old && stage.shapes.old !== stage.shapes.new))
      problems.push(`run again: ${wordsOf(again.error)}`);
    const second = await checkRecovered(project, { before, acknowledged }, false);
    problems.push(...second.problems.map((problem) => `run again: ${problem}`));
    problems.push(...checkLocks(project));
    const isNew = [stage.shapes.new, ...(scenario.between ?? [])].some((shape) =>
      typeof shape === 'string' ? second.shape === shape : shape.test(second.shape),
    );
    if (!again.error && first.shape === stage.shapes.old && !isNew)
      problems.push(`run again, the pointers are ${second.shape}, not ${stage.shapes.new}`);
    return problems;
  } catch (error) {
    return [`recovering: ${wordsOf(error)}`];
  }
}

/** Checks if a command that was done already may be refused with this when it is run again. */
const isRefusal = (code: string): boolean =>
  ['no_active_session', 'no_such_move', 'no_choice', 'choice_waits', 'session_active', 'not_found', 'busy'].includes(
    code,
  );
