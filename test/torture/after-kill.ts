/** Power cuts along what follows a kill: the same command again, or another one, must not build on what the killed one had not synced. */
import { join } from 'node:path';
import { type Picture, shapeOf, takePicture } from './picture.ts';
import {
  checkLife,
  checkSpan,
  diskOf,
  type PowerOptions,
  type PowerTally,
  readCalls,
  type Span,
  STATES,
  toldIn,
} from './power.ts';
import { later, runProgram, spread } from './program.ts';
import { HOOK, KNOWN, type Scenario, titleOf, told } from './scenarios.ts';
import { type Bench, extras, makeReady, type Stage } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { allowedShapes, recoverAndCheck } from './sweep.ts';

export interface KillOptions extends PowerOptions {
  /** At how many of its calls the command is killed. */
  kills: number;
}

/** A command that is killed, and another one that is run then. */
export interface Followed {
  killed: Scenario;
  next: Pick<Scenario, 'words' | 'input' | 'withoutGit'>;
}

const FLUSH: Scenario = { command: 'stage flush', words: ['stage', 'flush'], base: 'open' };
const COMPACT: Scenario = { command: 'stage compact', words: ['stage', 'compact'], base: 'open' };
const NOTE: Scenario = { command: 'observe note', words: ['observe', 'note', 'Decision: no retries'], base: 'open' };
const READ: Scenario = { command: 'observe read', words: ['observe', 'read', 'src/client.ts'], base: 'open' };
const INGEST: Scenario = { command: 'ingest', words: ['ingest', 'same.jsonl'], base: 'open' };
const PROMPT = { input: told('UserPromptSubmit', { prompt: 'Also add logging' }), before: KNOWN };

export const FOLLOWED: readonly Followed[] = [
  // The ingest takes in an object that the flush had linked and not synced.
  { killed: FLUSH, next: { words: ['ingest', 'same.jsonl'] } },
  { killed: NOTE, next: { words: ['stage', 'flush'] } },
  { killed: COMPACT, next: { words: ['undo'] } },
  { killed: READ, next: { words: ['stage', 'flush'] } },
  { killed: INGEST, next: { words: ['stage', 'flush'] } },
  { killed: FLUSH, next: { words: ['gc'], withoutGit: true } },
  { killed: COMPACT, next: { words: ['stage', 'start', '--beside', 'Another'] } },
  {
    killed: { ...HOOK, ...PROMPT, base: 'open' },
    next: { words: HOOK.words, input: told('Stop', { last_assistant_message: 'Done.' }) },
  },
];

export const titleOfFollowed = ({ killed, next }: Followed): string =>
  `${titleOf(killed)}, killed, then ${next.words.join(' ')}`;

/**
 * Kills a command at some of its calls, runs it again, and cuts the power along that second run: what the killed one had not
 * synced must not be built on.
 */
export async function powerAfterKill(bench: Bench, scenario: Scenario, options: KillOptions): Promise<PowerTally> {
  const stage = await makeReady(bench, scenario);
  const title = `${stage.title}, after a kill`;
  const tally: PowerTally = { title, calls: 0, states: 0, losses: [...stage.problems] };
  const seen = new Set<string>();
  for (const at of spread(stage.total.calls, options.kills)) {
    const real = copyProject(stage.project, bench.workshop);
    const disk = diskOf(real);
    const log = join(bench.workshop, `kill-${at}.log`);
    const order = { program: bench.program, project: real, words: stage.words, ...extras(scenario), log };
    await runProgram({ ...order, moment: stage.moment, fault: { at, mode: 'kill' } });
    disk.begin();
    for (const call of readCalls(log)) disk.apply(call);
    const outcome = await runProgram({ ...order, moment: later(stage.moment) });
    const told = toldIn(stage, outcome, real);
    const after = [shapeOf(stage.before, takePicture(real))];
    const span: Span = {
      title: `${title} at ${at}`,
      calls: readCalls(log),
      disk,
      states: options.states ?? STATES,
      limit: options.limit,
      seen,
      asked: after.join(),
      check: (project, done) =>
        recoverAndCheck(
          stage,
          project,
          done ? told : stage.kept,
          done ? [...after, ...(scenario.between ?? [])] : [...allowedShapes(stage), ...after],
        ),
    };
    await checkSpan(bench, span, stage.project, real, tally);
    removeProject(real);
  }
  return tally;
}

/** Kills a command at some of its calls, runs another, and cuts the power along that one. */
export async function powerOfFollowed(bench: Bench, followed: Followed, options: KillOptions): Promise<PowerTally> {
  const { killed, next } = followed;
  const stage = await makeReady(bench, killed);
  const title = titleOfFollowed(followed);
  const tally: PowerTally = { title, calls: 0, states: 0, losses: [...stage.problems] };
  const seen = new Set<string>();
  for (const at of spread(stage.total.calls, options.kills)) {
    const real = copyProject(stage.project, bench.workshop);
    const disk = diskOf(real);
    const log = join(bench.workshop, `followed-${at}.log`);
    const order = { program: bench.program, project: real, log };
    await runProgram({
      ...order,
      words: stage.words,
      ...extras(killed),
      moment: stage.moment,
      fault: { at, mode: 'kill' },
    });
    disk.begin();
    for (const call of readCalls(log)) disk.apply(call);
    const outcome = await runProgram({ ...order, ...next, moment: later(stage.moment) });
    const where = `${title} at ${at}`;
    if (outcome.code !== 0) tally.losses.push(`${where}: it ended with ${outcome.code}: ${outcome.out}${outcome.err}`);
    const now = settledIn(stage, real);
    const check: Span['check'] = (project, done) => checkLife(project, done ? now : stage.before, done);
    const states = options.states ?? STATES;
    const { limit } = options;
    const asked = shapeOf(stage.before, now);
    const span: Span = { title: where, calls: readCalls(log), disk, states, limit, seen, asked, check };
    await checkSpan(bench, span, stage.project, real, tally);
    removeProject(real);
  }
  return tally;
}

/** Reads the contents of a store without records that wait and that nobody was promised: their writer was killed. */
function settledIn(stage: Stage, project: string): Picture {
  const now = takePicture(project);
  for (const id of now.waiting) if (!stage.before.records.has(id)) now.records.delete(id);
  return now;
}
