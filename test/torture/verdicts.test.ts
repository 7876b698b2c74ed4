// Tests the savings of the harness: runs that are alike, and stores that are judged once.
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyProgram, later, makeStages, makeWorkshop, removeWorkshop, runProgram } from './program.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Bench, extras, makeReady, type Stage } from './stage.ts';
import { copyProject, makeTemplates } from './stores.ts';
import { digestOf, Verdicts } from './verdicts.ts';

let bench: Bench;
let stage: Stage;

beforeAll(async () => {
  const workshop = makeWorkshop();
  const [program, stages] = [copyProgram(workshop), makeStages(workshop)];
  bench = { workshop, program, templates: await makeTemplates(workshop), stages };
  stage = await makeReady(
    bench,
    SCENARIOS.find(({ command }) => command === 'stage compact') as (typeof SCENARIOS)[number],
  );
});
afterAll(() => removeWorkshop(bench.workshop));

/** Runs the command of the stage on a copy, perhaps with a kill; gives the copy. */
async function after(moment: number, kill?: number): Promise<string> {
  const project = copyProject(stage.project, bench.workshop);
  const fault = kill === undefined ? undefined : ({ at: kill, mode: 'kill' } as const);
  const order = { program: bench.program, project, words: stage.words, moment, fault };
  const outcome = await runProgram({ ...order, ...extras(stage.scenario) });
  expect(outcome.hit === null).toBe(kill === undefined);
  return project;
}

test('from one moment a command leaves the same bytes each time, killed or not, and others from another', async () => {
  const whole = digestOf(await after(stage.moment));
  expect(digestOf(await after(stage.moment))).toBe(whole);
  expect(digestOf(await after(later(stage.moment)))).not.toBe(whole);
  // LOCK names another process each time.
  const at = stage.total.calls - 8;
  const [killed, again] = [await after(stage.moment, at), await after(stage.moment, at)];
  const lock = (project: string): string => readFileSync(join(project, '.ctx', 'LOCK'), 'utf8');
  expect(lock(again)).not.toBe(lock(killed));
  expect(digestOf(again)).toBe(digestOf(killed));
  expect(digestOf(await after(stage.moment, 1))).not.toBe(digestOf(killed));
});

test('a scenario is made ready once', async () => {
  expect((await makeReady(bench, stage.scenario)).project).toBe(stage.project);
  expect((await makeReady(bench, { ...stage.scenario, now: 1_769_040_001 })).project).not.toBe(stage.project);
});

test.each<[string, (store: string) => void]>([
  ['a byte', (store) => writeFileSync(join(store, 'HEAD'), 'ref: refs/heads/maim\n')],
  ['a mode', (store) => chmodSync(join(store, 'HEAD'), 0o644)],
  ['a file', (store) => rmSync(join(store, 'HEAD'))],
  ['a name of the same file', (store) => linkSync(join(store, 'HEAD'), join(store, 'LOCK.HEAD'))],
  ['a half-written lock', (store) => writeFileSync(join(store, 'LOCK'), '{"pid":1')],
  ['a file of the user', (store) => writeFileSync(join(store, '..', 'src', 'client.ts'), '')],
])('a store that differs in %s is judged again, and an equal store is not', async (_what, change) => {
  const verdicts = new Verdicts(join(copyProject(stage.project, bench.workshop), 'verdicts'));
  let judged = 0;
  const judge = async (): Promise<string[]> => [`problem ${++judged}`];
  const other = copyProject(stage.project, bench.workshop);
  change(join(other, '.ctx'));
  expect(await verdicts.of(copyProject(stage.project, bench.workshop), 'asked', judge)).toEqual(['problem 1']);
  expect(await verdicts.of(copyProject(stage.project, bench.workshop), 'asked', judge)).toEqual(['problem 1']);
  expect(await verdicts.of(other, 'asked', judge)).toEqual(['problem 2']);
  expect(await verdicts.of(copyProject(stage.project, bench.workshop), 'else', judge)).toEqual(['problem 3']);
});
