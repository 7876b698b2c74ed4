/** Scenarios made ready: a store, what it holds, and what the command does to it when left alone; made once in a run for all parts. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { tracesOf } from '../support/traces.ts';
import { checkRecovered, findings } from './check.ts';
import { lostRecords, type Picture, shapeOf, takePicture } from './picture.ts';
import { type Order, type Outcome, runProgram } from './program.ts';
import { prepare, type Scenario, titleOf } from './scenarios.ts';
import { type Base, changeProject, copyProject, removeProject } from './stores.ts';
import { Verdicts } from './verdicts.ts';
import { wound } from './wounds.ts';

/** Things that a sweep needs. */
export interface Bench {
  workshop: string;
  program: string;
  templates: Record<Base, string>;
  /** Folder of the scenarios that are ready, for everybody who works with the same program and templates. */
  stages: string;
}

export interface Stage {
  scenario: Scenario;
  title: string;
  project: string;
  words: readonly string[];
  before: Picture;
  /** The records of before that must be there afterwards, whatever happens. */
  kept: ReadonlyMap<string, readonly string[]>;
  /** Shapes of the store before and after. */
  shapes: { old: string; new: string };
  total: { calls: number; writes: number };
  /** Descriptions of the records that it makes when left alone. */
  made: readonly string[];
  /** Torn bytes that a repair sets aside. */
  torn: readonly Buffer[];
  problems: string[];
  /** First time of the ids of the command. */
  moment: number;
  /** Verdicts on the stores that it leaves. */
  verdicts: Verdicts;
}

/** The part of a stage that is kept in a file. */
type Kept = Omit<Stage, 'scenario' | 'project' | 'verdicts'>;

/** Facts by which a store is judged. */
type Judged = Kept & Pick<Stage, 'scenario'>;

/** A stage that is ready, made where nobody has made it. */
export async function makeReady(bench: Bench, scenario: Scenario): Promise<Stage> {
  const name = createHash('sha1')
    .update(JSON.stringify([scenario, bench.program, bench.templates]))
    .digest('hex');
  const place = join(bench.stages, name);
  if (!existsSync(place)) {
    const { project, kept } = await make(bench, scenario);
    const mine = `${project}-ready`;
    mkdirSync(mine);
    changeProject(project);
    renameSync(project, join(mine, 'project'));
    writeFileSync(join(mine, 'stage'), serialize(kept));
    try {
      renameSync(mine, place);
    } catch {
      // Somebody else was faster: there is one stage of a scenario.
      rmSync(mine, { recursive: true });
    }
  }
  const kept = deserialize(readFileSync(join(place, 'stage'))) as Kept;
  const verdicts = new Verdicts(join(place, 'verdicts'));
  return { ...kept, scenario, project: join(place, 'project'), verdicts };
}

/** Prepares a scenario and runs it once untouched. */
async function make(bench: Bench, scenario: Scenario): Promise<{ project: string; kept: Kept }> {
  const title = titleOf(scenario);
  const project = copyProject(bench.templates[scenario.base], bench.workshop);
  const words = await prepare(scenario, project);
  const before = takePicture(project);
  const torn = scenario.wound ? await wound(scenario.wound, { project, picture: before, bench }) : [];
  changeProject(project);
  const trial = copyProject(project, bench.workshop);
  // After everything that the store was made with.
  const moment = Date.now() + 1;
  const outcome = await runProgram({ program: bench.program, project: trial, words, moment, ...extras(scenario) });
  const problems = scenario.wound && findings(project) === 0 ? [`${scenario.wound} does the store no harm`] : [];
  const kept: Kept = {
    title,
    words,
    before,
    kept: scenario.forgets ? new Map() : before.records,
    shapes: { old: shapeOf(before, before), new: '?' },
    total: outcome.total ?? { calls: 0, writes: 0 },
    made: [],
    torn,
    problems,
    moment,
  };
  const stage = { ...kept, scenario };
  if (outcome.code !== (scenario.exit ?? 0) || !outcome.total) {
    problems.push(`untouched, it ended with ${outcome.code ?? outcome.signal}: ${outcome.out}${outcome.err}`);
    return { project, kept };
  }
  const acknowledged = withAcknowledged(stage, outcome);
  const checked = await checkRecovered(trial, { before, acknowledged });
  kept.shapes.new = checked.shape;
  kept.made = madeSince(before, takePicture(trial));
  if (scenario.forgets) kept.kept = unchanged(before, takePicture(trial));
  problems.push(...checkTraces(stage, trial, checked.shape), ...checkSetAside(stage, trial));
  problems.push(...checked.problems.map((problem) => `untouched: ${problem}`));
  if ((outcome.total.calls === 0) !== (scenario.untouched !== undefined))
    problems.push(`the preload saw ${outcome.total.calls} calls`);
  removeProject(trial);
  return { project, kept };
}

/** The records of before that stand there as they did. */
function unchanged(before: Picture, now: Picture): ReadonlyMap<string, readonly string[]> {
  return new Map([...before.records].filter(([id, [text]]) => now.records.get(id)?.[0] === text));
}

/** Describes the records that have come since, but for their ids, which are new each time. */
export function madeSince(before: Picture, now: Picture): string[] {
  const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const made = [...now.records].filter(([id]) => !before.records.has(id));
  return made.map(([, [text = '']]) => text.replace(ids, 'id'));
}

/** All or nothing: either every record stands there as it did, or not a byte of what is to go is left. */
export function checkTraces(stage: Judged, project: string, shape: string): string[] {
  const { scenario, shapes, before } = stage;
  if (!scenario.forgets) return [];
  const lost = lostRecords(before.records, takePicture(project));
  if (shape === shapes.old && (lost.length === 0 || shapes.old !== shapes.new))
    return lost.map((problem) => `nothing was done, and ${problem}`);
  if (scenario.gone === undefined || shape !== shapes.new) return [];
  return tracesOf(join(project, '.ctx'), scenario.gone).map((trace) => `it is done, and ${trace} holds it still`);
}

/** Checks that torn files of a repair are kept. */
export function checkSetAside({ torn }: Judged, project: string): string[] {
  const folder = join(project, '.ctx', 'lost');
  const kept = existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name))) : [];
  const gone = torn.filter((bytes) => !kept.some((one) => one.equals(bytes)));
  return gone.map((bytes) => `lost/ does not hold what was torn: ${bytes.toString('latin1').slice(0, 120)}`);
}

type Extras = Pick<Order, 'input' | 'now' | 'withoutGit' | 'withoutLinks'>;

export const extras = ({ input, now, withoutGit, withoutLinks }: Scenario): Extras => ({
  input,
  now,
  withoutGit,
  withoutLinks,
});

/** The records that must be there: those of before, and those that the answer of the command names. */
export function withAcknowledged(stage: Judged, outcome: Outcome): Map<string, readonly string[]> {
  const known = new Map<string, readonly string[]>(stage.kept);
  if (!isDone(outcome) || stage.scenario.passes) return known;
  const answer = JSON.parse(outcome.out) as { result: { records?: string[] } | null };
  const acknowledged = Array.isArray(answer.result?.records) ? answer.result.records : [];
  for (const id of acknowledged) if (typeof id === 'string') known.set(id, []);
  return known;
}

/** Checks if a command says that it is done, as far as it could be: a question may wait for the user. */
export const isDone = ({ code }: Outcome): boolean => code === 0 || code === 3;
