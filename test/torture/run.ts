/** `npm run torture`: kills, full disks, power loss, crowds and damage; prints tables of figures and fails on any loss. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sweepTwice } from './compound.ts';
import { runCrowd } from './crowd.ts';
import { runDamage } from './damage.ts';
import { buildKnownBad } from './known-bad.ts';
import { MORE_STATES, type PowerTally, powerAfterKill, powerOfLife, powerOfScenario, STATES } from './power.ts';
import { copyProgram, MODES, type Mode, makeWorkshop, removeWorkshop } from './program.ts';
import { runRandomDamage } from './random-damage.ts';
import { Report, table } from './report.ts';
import { SCENARIOS, type Scenario, titleOf, uncovered } from './scenarios.ts';
import { makeTemplates } from './stores.ts';
import { findStrace, INJECTIONS, type Injection, traceScenario } from './strace.ts';
import { type Bench, makeReady, type Stage, sweep, type Tally } from './sweep.ts';

/** How much of everything is done. */
const SIZES = {
  quick: {
    points: { kill: 5, torn: 2, ENOSPC: 2, EIO: 2 } satisfies Record<Mode, number>,
    compound: { commands: ['stage flush', 'stage confirm'], limit: 4, depth: 4 },
    power: { commands: ['stage confirm', 'observe batch', 'ingest'], limit: 20, states: STATES, life: 8, kills: 4 },
    crowd: { processes: 24, rounds: 1, commands: 3, seeds: [1] },
    knownBad: ['observe note Decision: no retries', 'stage flush'] as readonly string[],
    damage: 80,
    randomDamage: 20,
    strace: 4,
  },
  full: {
    points: { kill: 100_000, torn: 100_000, ENOSPC: 100_000, EIO: 100_000 } satisfies Record<Mode, number>,
    compound: { commands: null, limit: 6, depth: 20 },
    power: { commands: null, limit: 100_000, states: MORE_STATES, life: 100_000, kills: 100_000 },
    crowd: { processes: 24, rounds: 8, commands: 4, seeds: [1, 2, 3] },
    knownBad: [
      'observe note Decision: no retries',
      'stage flush',
      'stage ask Which jitter?',
      'stage compact -m As far as it got',
    ] as readonly string[],
    damage: 1,
    randomDamage: 2000,
    strace: 100_000,
  },
} as const;

const PARTS = ['sweep', 'compound', 'known-bad', 'power', 'crowd', 'damage', 'random-damage', 'strace'] as const;
/** Parts that are left out of a quick run of everything. */
const LONG_PARTS: readonly (typeof PARTS)[number][] = ['strace'];

/** Commands that are killed and run again before the power goes, and at how many calls of that second run it does. */
const AFTER_KILLS = ['stage flush', 'stage confirm', 'undo'];
const LAST_CALLS = 12;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    full: { type: 'boolean' },
    /** One part alone. */
    part: { type: 'string' },
    /** Only commands whose line begins so. */
    only: { type: 'string' },
    /** Put the figures into docs/reliability.md. */
    write: { type: 'boolean' },
  },
});
if (values.write && (!values.full || values.only)) throw new Error('--write is for what --full finds of every command');
const size = values.full ? SIZES.full : SIZES.quick;
const only = values.only ?? '';
const chosen = SCENARIOS.filter((scenario) => titleOf(scenario).startsWith(only));
const report = new Report();

/** Scenarios of some commands; of all where none are named. */
const ofCommands = (commands: readonly string[] | null): Scenario[] =>
  chosen.filter((scenario) => !scenario.untouched && (commands === null || commands.includes(scenario.command)));

const none = (): { points: number; hits: number } => ({ points: 0, hits: 0 });

async function sweepAll(bench: Bench): Promise<void> {
  const rows: (string | number)[][] = [];
  const losses = await uncovered();
  const hits = { kill: none(), torn: none(), ENOSPC: none(), EIO: none() } satisfies Record<Mode, unknown>;
  for (const scenario of chosen) {
    const stage = await makeReady(bench, scenario);
    losses.push(...stage.problems.map((problem) => `${stage.title}: ${problem}`));
    if (scenario.untouched) rows.push([stage.title, 0, ...MODES.map(() => '-'), 0, scenario.untouched]);
    else rows.push(await sweepModes(bench, stage, hits, losses));
  }
  const of = (mode: Mode): string => `${hits[mode].hits} of ${hits[mode].points}`;
  rows.push(['all', '', ...MODES.map(of), losses.length]);
  report.part('Faults: hits of points', table(['command', 'calls', ...MODES, 'losses', ''], rows), losses);
}

/** The row of one command: for each kind of fault at how many calls one was wanted, and at how many it was seen. */
async function sweepModes(
  bench: Bench,
  stage: Stage,
  hits: Record<Mode, { points: number; hits: number }>,
  losses: string[],
): Promise<(string | number)[]> {
  const before = losses.length;
  const row: (string | number)[] = [stage.title, stage.total.calls];
  for (const mode of MODES) {
    if (stage.problems.length > 0) continue;
    const tally = await sweep(bench, stage, mode, size.points[mode]);
    losses.push(...tally.losses);
    row.push(`${tally.hits} of ${tally.points}`);
    hits[mode].points += tally.points;
    hits[mode].hits += tally.hits;
  }
  return [...row, losses.length - before];
}

async function compoundAll(bench: Bench): Promise<void> {
  const tallies: Tally[] = [];
  for (const scenario of ofCommands(size.compound.commands)) {
    const stage = await makeReady(bench, scenario);
    tallies.push(await sweepTwice(bench, stage, size.compound.limit, size.compound.depth));
  }
  const rows = tallies.map((tally) => [tally.title, tally.points, tally.hits, tally.losses.length]);
  report.part(
    'Kills during the recovery from a kill',
    table(['command', 'points', 'hits', 'losses'], rows),
    tallies.flatMap((tally) => tally.losses),
  );
}

/** The build with plain writes must lose something under nearly every command that moves a pointer. */
async function proveKnownBad(bench: Bench): Promise<void> {
  const bad = { ...bench, program: await buildKnownBad(join(bench.workshop, 'known-bad')) };
  const tallies: Tally[] = [];
  for (const scenario of SCENARIOS.filter(({ words }) => size.knownBad.includes(words.join(' '))))
    tallies.push(await sweep(bad, await makeReady(bad, scenario), 'kill', 100_000));
  const blind = tallies.filter((tally) => tally.losses.length === 0);
  report.part(
    'A build with plain writes in the place of durable ones: it must be caught',
    table(
      ['command', 'points', 'hits', 'losses'],
      tallies.map((tally) => [tally.title, tally.points, tally.hits, tally.losses.length]),
    ),
    blind.map((tally) => `the sweep of ${tally.title} is blind: it finds nothing wrong with plain writes`),
  );
}

async function powerAll(bench: Bench): Promise<void> {
  const { commands, limit, states, life, kills } = size.power;
  const tallies: PowerTally[] = [];
  for (const scenario of ofCommands(commands)) tallies.push(await powerOfScenario(bench, scenario, { limit, states }));
  tallies.push(await powerOfLife(bench, { limit: life, states }));
  for (const scenario of ofCommands(AFTER_KILLS))
    tallies.push(await powerAfterKill(bench, scenario, { limit: Math.min(limit, LAST_CALLS), states: STATES, kills }));
  report.part(
    'Power loss',
    table(
      ['command', 'calls', 'states', 'losses'],
      tallies.map((tally) => [tally.title, tally.calls, tally.states, tally.losses.length]),
    ),
    tallies.flatMap((tally) => tally.losses),
  );
}

async function crowdAll(bench: Bench): Promise<void> {
  const { seeds, ...options } = size.crowd;
  for (const seed of seeds) {
    const { title, losses, ...counts } = await runCrowd(bench, { ...options, seed });
    const rows = Object.entries(counts).map(([name, count]) => [name, Math.round(count)]);
    report.part(`A crowd: ${title}`, table(['', 'count'], rows), losses);
  }
}

async function damageAll(bench: Bench): Promise<void> {
  for (const packed of [false, true]) {
    const { title, cases, right, named, losses } = await runDamage(bench.workshop, size.damage, packed);
    report.part(
      'Damage',
      `${title}: ${cases} answers, ${right} right, ${named} naming the damage, ${losses.length} false`,
      losses,
    );
  }
}

async function randomDamageAll(bench: Bench): Promise<void> {
  const { title, cases, right, named, mended, losses } = await runRandomDamage(bench, size.randomDamage);
  report.part(
    'Random damage, and a repair after it',
    `${title}: ${cases} cases, ${right} answered right, ${named} named the damage, ${mended} mended, ${losses.length} losses`,
    losses,
  );
}

async function straceAll(bench: Bench): Promise<void> {
  const title = 'Faults put into the system calls by strace';
  const strace = findStrace();
  if (strace === null) return report.part(title, 'skipped: no strace here', []);
  const rows: (string | number)[][] = [];
  const losses: string[] = [];
  const hits = { kill: none(), ENOSPC: none(), EIO: none() } satisfies Record<Injection, unknown>;
  for (const scenario of ofCommands(null)) {
    const stage = await makeReady(bench, scenario);
    const found = stage.problems.map((problem) => `${stage.title}: ${problem}`);
    const tallies = found.length > 0 ? [] : await traceScenario(strace, bench, stage, size.strace);
    for (const [index, tally] of tallies.entries()) {
      const sum = hits[INJECTIONS[index] as Injection];
      sum.points += tally.points;
      sum.hits += tally.hits;
      found.push(...tally.losses);
    }
    rows.push([stage.title, ...tallies.map((tally) => `${tally.hits} of ${tally.points}`), found.length]);
    losses.push(...found);
  }
  rows.push(['all', ...INJECTIONS.map((fault) => `${hits[fault].hits} of ${hits[fault].points}`), losses.length]);
  report.part(`${title}: hits of points`, table(['command', ...INJECTIONS, 'losses'], rows), losses);
}

const RUN: Record<(typeof PARTS)[number], (bench: Bench) => Promise<void>> = {
  sweep: sweepAll,
  compound: compoundAll,
  'known-bad': proveKnownBad,
  power: powerAll,
  crowd: crowdAll,
  damage: damageAll,
  'random-damage': randomDamageAll,
  strace: straceAll,
};

const workshop = makeWorkshop();
try {
  const bench = { workshop, program: copyProgram(workshop), templates: await makeTemplates(workshop) };
  const wanted = PARTS.filter((part) =>
    values.part ? values.part === part : values.full || !LONG_PARTS.includes(part),
  );
  for (const part of wanted) {
    await RUN[part](bench);
    // Part by part: a run of everything takes long, and what it has found stands.
    if (values.write) report.write(part);
  }
} finally {
  removeWorkshop(workshop);
}
process.exitCode = report.end();
