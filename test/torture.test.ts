// A small part of `npm run torture`: a fault at some calls of each kind of command, power loss, a crowd, damage; and a bad build is caught.
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guardOf } from '../src/platform/lock.ts';
import { sweepTwice } from './torture/compound.ts';
import { runCrowd } from './torture/crowd.ts';
import { runDamage } from './torture/damage.ts';
import { runHere } from './torture/in-process.ts';
import { buildKnownBad } from './torture/known-bad.ts';
import { powerAfterKill, powerOfScenario } from './torture/power.ts';
import { copyProgram, MODES, makeWorkshop, removeWorkshop, runProgram } from './torture/program.ts';
import { runRandomDamage } from './torture/random-damage.ts';
import { SCENARIOS, type Scenario, titleOf, uncovered } from './torture/scenarios.ts';
import { copyProject, makeTemplates } from './torture/stores.ts';
import { pointsOf, readLog } from './torture/strace.ts';
import { type Bench, makeReady, sweep } from './torture/sweep.ts';

let bench: Bench;

beforeAll(async () => {
  const workshop = makeWorkshop();
  bench = { workshop, program: copyProgram(workshop), templates: await makeTemplates(workshop) };
});
afterAll(() => removeWorkshop(bench.workshop));

const scenario = (title: string): Scenario => SCENARIOS.find((one) => titleOf(one).startsWith(title)) as Scenario;

test('every mutating command has a scenario, and a command without one is noticed', async () => {
  expect(await uncovered()).toEqual([]);
  expect(await uncovered(SCENARIOS.filter((one) => one.command !== 'undo'))).toEqual(['ctx undo has no scenario']);
});

describe('a fault at a call', () => {
  test.each(['stage flush', 'observe note', 'stage confirm', 'stage start --replace'])('ctx %s', async (title) => {
    const stage = await makeReady(bench, scenario(title));
    expect(stage.problems).toEqual([]);
    for (const mode of MODES) {
      const tally = await sweep(bench, stage, mode, 3);
      expect(tally.losses).toEqual([]);
      expect(tally.hits).toBeGreaterThan(0);
    }
  });

  test('a fault that hits nothing fails the sweep', async () => {
    const stage = await makeReady(bench, scenario('observe note'));
    const tally = await sweep(bench, { ...stage, words: ['stage', 'status'] }, 'kill', 2);
    expect(tally.losses.join()).toContain('nothing was ever hit');
  });

  test('a kill during the recovery from a kill', async () => {
    const tally = await sweepTwice(bench, await makeReady(bench, scenario('stage confirm')), 3, 3);
    expect(tally.losses).toEqual([]);
    expect(tally.hits).toBeGreaterThan(0);
  });

  test('a dead process that was breaking a lock is in nobody’s way', async () => {
    const project = copyProject(bench.templates.open, bench.workshop);
    const fault = { at: 12, mode: 'kill' } as const;
    await runProgram({ program: bench.program, project, words: ['stage', 'flush'], fault });
    const lock = join(project, '.ctx', 'LOCK');
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toHaveProperty('pid');
    linkSync(lock, guardOf(lock, lock, readFileSync(lock, 'utf8')));
    expect((await runHere(project, ['stage', 'recover'])).error).toBeNull();
  });
});

test('a log of strace is read: calls are counted by thread and name, and what was struck is seen', () => {
  const calls = readLog(
    [
      '7 fsync(18</store/.ctx/objects>) = 0',
      '8 fsync(3</tmp/node>) = 0',
      '7 rename("/store/.ctx/a.lock", "/store/.ctx/a" <unfinished ...>',
      '8 unlink("/tmp/node") = 0',
      '7 <... rename resumed>) = -1 EIO (Input/output error) (INJECTED)',
      '7 fsync(18</store/.ctx/objects>) = ?',
      '7 +++ killed by SIGKILL +++',
    ].join('\n'),
  );
  expect(calls.map(({ thread, name, number, injected }) => [thread, name, number, injected])).toEqual([
    ['7', 'fsync', 1, false],
    ['8', 'fsync', 1, false],
    ['7', 'rename', 1, true],
    ['8', 'unlink', 1, false],
    ['7', 'fsync', 2, true],
  ]);
  expect(pointsOf(calls, '/store/.ctx')).toEqual([
    { name: 'fsync', number: 1 },
    { name: 'rename', number: 1 },
    { name: 'fsync', number: 2 },
  ]);
});

test('a build with plain writes in the place of durable ones is caught', async () => {
  const bad = { ...bench, program: await buildKnownBad(join(bench.workshop, 'known-bad')) };
  const note = await sweep(bad, await makeReady(bad, scenario('observe note')), 'kill', 100);
  expect(note.losses).not.toEqual([]);
  const shipped = readFileSync(join(bench.program, '..', 'main.cjs'), 'utf8');
  expect(shipped).not.toContain('plainWrite');
  expect(shipped).not.toContain('TORTURE');
});

describe('power loss', () => {
  test('leaves nothing that cannot be recovered', async () => {
    const tally = await powerOfScenario(bench, scenario('stage confirm'), { limit: 8 });
    expect(tally.losses).toEqual([]);
    expect(tally.states).toBeGreaterThan(8);
  });

  test('after a kill, while the command is run again, takes nothing that was built on', async () => {
    const tally = await powerAfterKill(bench, scenario('stage flush'), { limit: 5, kills: 5 });
    expect(tally.losses).toEqual([]);
    expect(tally.states).toBeGreaterThan(8);
  });

  test('hurts where nothing is synced', async () => {
    const project = copyProject(bench.templates.open, bench.workshop);
    writeFileSync(join(project, '.ctx', 'settings.json'), '{"fsync":false}');
    const unsynced = { ...bench, templates: { ...bench.templates, open: project } };
    const tally = await powerOfScenario(unsynced, scenario('observe note'), { limit: 8 });
    expect(tally.losses).not.toEqual([]);
  });
});

test('a crowd, with kills and Git beside it, loses nothing', async () => {
  const tally = await runCrowd(bench, { processes: 8, rounds: 1, commands: 3, seed: 7 });
  expect(tally.losses).toEqual([]);
});

test('every answer of a damaged store is right, or names the damage', async () => {
  const tally = await runDamage(bench.workshop, 500, false);
  expect(tally.losses).toEqual([]);
  expect(tally.named).toBeGreaterThan(0);
});

test('random damage is named by the real program too, and a repair takes nothing away', async () => {
  const tally = await runRandomDamage(bench, 8);
  expect(tally.losses).toEqual([]);
  expect(tally.named).toBeGreaterThan(0);
  expect(tally.mended).toBeGreaterThan(0);
});
