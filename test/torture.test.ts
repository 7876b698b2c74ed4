// The quick part of `npm run torture`, as it is run by hand; and that the harness is awake: each of its judges sees what it should.
import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secondLockOf } from '../src/platform/lock.ts';
import { temporaryFolder } from './support/store.ts';
import { chosen, type Errand, kindsOf, SIZES } from './torture/errand.ts';
import { runHere } from './torture/in-process.ts';
import { buildKnownBad, FAULTS } from './torture/known-bad.ts';
import { PARTS } from './torture/parts.ts';
import { powerOfScenario } from './torture/power.ts';
import { copyProgram, MODES, makeStages, makeWorkshop, ROOT, removeWorkshop, runProgram } from './torture/program.ts';
import { Report } from './torture/report.ts';
import { SCENARIOS, type Scenario, titleOf, uncovered } from './torture/scenarios.ts';
import { type Bench, makeReady } from './torture/stage.ts';
import { copyProject, makeTemplates } from './torture/stores.ts';
import { pointsOf, readLog } from './torture/strace.ts';
import { sweep } from './torture/sweep.ts';
import { partsOf, torture } from './torture/torture.ts';

/** Longest that the quick part may take before it counts as hanging, in milliseconds: alone it takes two minutes. */
const QUICK = 1_200_000;

let bench: Bench;

beforeAll(async () => {
  const workshop = makeWorkshop();
  bench = {
    workshop,
    program: copyProgram(workshop),
    templates: await makeTemplates(workshop),
    stages: makeStages(workshop),
  };
});
afterAll(() => removeWorkshop(bench.workshop));

const scenario = (title: string): Scenario => SCENARIOS.find((one) => titleOf(one).startsWith(title)) as Scenario;

test(
  'npm run torture -- --quick: nothing is lost',
  async () => {
    const told: string[] = [];
    const code = await torture({ size: 'quick' }, (text) => told.push(text));
    expect(code, told.join('')).toBe(0);
    for (const figures of [/^Faults: hits of points/m, /^Power loss/m, /^A crowd: /m, /^Damage /m, /^Random damage/m])
      expect(told.join('')).toMatch(figures);
    for (const fault of FAULTS)
      expect(told.join('')).toMatch(
        new RegExp(`^A build with ${fault}: it must be caught, and is caught under (\\d+) of \\1 commands`, 'm'),
      );
  },
  QUICK,
);

describe('a run', () => {
  test('of everything has all parts, a quick one all but the long ones', () => {
    expect(partsOf({ size: 'full' })).toEqual(Object.keys(PARTS));
    expect(Object.keys(PARTS).filter((part) => !partsOf({ size: 'quick' }).includes(part as never))).toEqual([
      'strace',
      'corpora',
    ]);
    expect(partsOf({ size: 'quick', part: 'strace' })).toEqual(['strace']);
    expect(() => partsOf({ size: 'full', part: 'swep' })).toThrow('There is no part swep; there are sweep, ');
  });

  test(
    'that has lost something ends with 1',
    async () => {
      const program = await buildKnownBad(join(bench.workshop, 'bad-run'));
      const told: string[] = [];
      const only = 'observe note Decision: no retries';
      const points = { kill: 100, torn: 0, ENOSPC: 0, EIO: 0 };
      expect(await torture({ size: 'quick', part: 'sweep', only, points, program }, (text) => told.push(text))).toBe(1);
      expect(told.join('')).toContain('  LOSS observe note Decision: no retries, kill at ');
    },
    QUICK,
  );

  test('writes the figures of its part, and at the head what all parts were run with', () => {
    const document = join(temporaryFolder(), 'reliability.md');
    const shipped = readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8');
    for (const part of ['head', ...Object.keys(PARTS)])
      expect(shipped, part).toMatch(new RegExp(`^<!-- ${part} -->\\n[^]*^<!-- /${part} -->$`, 'm'));
    writeFileSync(document, ['head', 'sweep', 'crowd'].map((part) => `<!-- ${part} -->\n<!-- /${part} -->\n`).join(''));
    for (const part of ['sweep', 'crowd', 'sweep']) {
      const report = new Report(() => undefined, document);
      report.part(`The figures of ${part}`, 'figures', []);
      report.write(part);
    }
    const written = readFileSync(document, 'utf8');
    const machine = /\nNode v\S+, \S+ \S+ \S+, \d+ CPUs, stores on \S/.source;
    const head = /^ctx \d\S+, on \d{4}-\d\d-\d\d: 2 of 2 parts/.source;
    expect(written).toMatch(new RegExp(`${head}, the last run of each, \\d+ s in all${machine}`, 'm'));
    new Report(() => undefined, document).writeWhole();
    expect(readFileSync(document, 'utf8')).toMatch(new RegExp(`${head} in one run of \\d+ s${machine}`, 'm'));
    expect(written.match(/The figures of/g)).toHaveLength(2);
    expect(written.match(/^Took \d+ s on /gm)).toHaveLength(2);
  });
});

test('every mutating command has a scenario, and a command without one is noticed', async () => {
  expect(await uncovered()).toEqual([]);
  expect(await uncovered(SCENARIOS.filter((one) => one.command !== 'undo'))).toEqual(['ctx undo has no scenario']);
});

test('in a quick run each scenario is killed, and each command meets each kind of fault', () => {
  const errand = { size: SIZES.quick, only: '' } as Errand;
  const numbers = chosen(errand);
  const kinds = kindsOf(errand, numbers);
  const met = new Map<string, Set<string>>();
  for (const number of numbers) {
    const { command } = SCENARIOS[number] as Scenario;
    expect(kinds(number), command).toContain('kill');
    met.set(command, new Set([...(met.get(command) ?? []), ...kinds(number)]));
  }
  expect([...met].filter(([, kind]) => kind.size < MODES.length)).toEqual([]);
  expect(kindsOf({ ...errand, size: SIZES.full }, numbers)(numbers[0] as number)).toEqual(MODES);
});

test('a fault that hits nothing fails the sweep', async () => {
  const stage = await makeReady(bench, scenario('observe note'));
  const tally = await sweep(bench, { ...stage, words: ['stage', 'status'] }, 'kill', 2);
  expect(tally.losses.join()).toContain('nothing was ever hit');
});

test('faults that hit too little fail the sweep', async () => {
  const stage = await makeReady(bench, scenario('observe note'));
  // Most of these points lie behind the end of the command.
  const tally = await sweep(bench, { ...stage, total: { calls: 40, writes: 1 } }, 'kill', 6);
  expect(tally.losses.join()).toMatch(/too little was hit: \d of 6 were hit, [345] runs were short/);
  expect(tally.hits).toBeGreaterThan(0);
  const refused = await sweep(bench, { ...stage, words: ['stage', 'flush', '--unheard-of'] }, 'kill', 6);
  expect(refused.losses.join()).toContain('no fault was put in, and it ended with 2: ');
});

test('a hook that keeps nothing and reports no error fails the sweep', async () => {
  const program = await buildKnownBad(join(bench.workshop, 'bad-hooks'), 'silent hooks');
  const tool = SCENARIOS.find((one) => one.input?.includes('PostToolUse')) as Scenario;
  const stage = await makeReady(bench, tool);
  const tally = await sweep({ ...bench, program }, stage, 'EIO', 8);
  expect(tally.losses.join('\n')).toContain('it told of no trouble, and no record says: {');
  expect((await sweep(bench, stage, 'EIO', 8)).losses).toEqual([]);
});

test('without hard links', async () => {
  const stage = await makeReady(bench, SCENARIOS.find((one) => one.withoutLinks) as Scenario);
  expect(stage.problems).toEqual([]);
  const tally = await sweep(bench, stage, 'kill', 16);
  expect(tally.losses).toEqual([]);
  expect(tally.hits).toBeGreaterThan(0);
});

test('a dead process that was breaking a lock is in nobody’s way', async () => {
  const project = copyProject(bench.templates.open, bench.workshop);
  const fault = { at: 12, mode: 'kill' } as const;
  await runProgram({ program: bench.program, project, words: ['stage', 'flush'], fault });
  const lock = join(project, '.ctx', 'LOCK');
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toHaveProperty('pid');
  linkSync(lock, secondLockOf(lock, lock, readFileSync(lock, 'utf8')));
  expect((await runHere(project, ['stage', 'recover'])).error).toBeNull();
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

test('the shipped program has no switch to plain writes or to skip fsync, and no word of the harness', () => {
  const folder = join(bench.program, '..');
  const shipped = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.cjs$/.test(name));
  expect(shipped.length).toBeGreaterThan(10);
  for (const name of shipped.filter((one) => !['fault.cjs', 'seed.cjs'].includes(one)))
    expect(readFileSync(join(folder, name), 'utf8'), name).not.toMatch(/plainWrite|skipSync|careful_|TORTURE/);
});

describe('a power cut is seen to hurt', () => {
  /** An open session in a store that waits for no disk. */
  const unsynced = (): Bench => {
    const project = copyProject(bench.templates.open, bench.workshop);
    writeFileSync(join(project, '.ctx', 'settings.json'), '{"fsync":false}');
    return { ...bench, templates: { ...bench.templates, open: project } };
  };

  test('loses records in a build that syncs nothing', async () => {
    expect((await powerOfScenario(unsynced(), scenario('observe note'), { limit: 8 })).losses).not.toEqual([]);
  });

  test('where an acknowledged record waits under a name that the disk does not have', async () => {
    const program = await buildKnownBad(join(bench.workshop, 'bad-names'), 'no fsync of folders');
    const tally = await powerOfScenario({ ...bench, program }, scenario('observe note'), { limit: 8 });
    expect(tally.losses.join('\n')).toMatch(/after recovery: record \S+ is lost/);
  });
});
