/** The parts of the harness: each shares its work out to the crew, and tells a table of figures and the losses behind them. */
import { join } from 'node:path';
import { FOLLOWED, titleOfFollowed } from './after-kill.ts';
import { countCases } from './corpora.ts';
import { shareOut } from './crew.ts';
import { runCrowd } from './crowd.ts';
import { type DamageTally, makeSmallStore } from './damage.ts';
import { chosen, chosenOf, type Errand, firstOfEach, kindsOf } from './errand.ts';
import { getReady, lossesOf, type Plan, shareStraces, shareSweeps, sweptTable } from './faults.ts';
import type { PowerTask } from './jobs.ts';
import { buildKnownBad, FAULTS, type Fault } from './known-bad.ts';
import type { PowerTally } from './power.ts';
import { MODES, type Mode } from './program.ts';
import type { RandomDamageTally } from './random-damage.ts';
import { type Report, table } from './report.ts';
import { SCENARIOS, uncovered } from './scenarios.ts';
import type { Bench } from './stage.ts';
import { byStrace, findStrace, INJECTIONS } from './strace.ts';
import type { Tally } from './tally.ts';

/** Commands that are killed and run again before the power goes, and at how many calls of that second run it does. */
const AFTER_KILLS = ['stage flush', 'stage confirm', 'undo'];
const LAST_CALLS = 12;

/** At how many calls of another command that follows the kill it does. */
const SPARSE_CALLS = 4;

/** Power cuts along one command, its end among them. */
const LAST_CUTS = { story: 'scenario', limit: LAST_CALLS, more: false, kills: 0 } as const;

/** At how many calls of a hook that tells nothing of it the disk fails. */
const HOOK_FAULTS = 6;

/** One kind of fault alone, at so many calls. */
const each = (kind: Mode, limit: number): Pick<Plan, 'kindsOf' | 'points'> => ({
  kindsOf: () => [kind],
  points: { kill: limit, torn: limit, ENOSPC: limit, EIO: limit },
});

/** More than any command has. */
const EVERY_CALL = 100_000;

/** Cases of random damage that a member of the crew is given at once. */
const AT_ONCE = 10;

async function sweepAll(errand: Errand): Promise<void> {
  const { bench, size, report } = errand;
  const numbers = chosen(errand, null, true);
  const missing = await uncovered();
  const soFar = report.soFar<Tally>(({ title, mode, losses }) => [`${title}, ${mode}`, losses]);
  const plan = { kindsOf: kindsOf(errand, chosen(errand)), points: size.points };
  const swept = await shareSweeps(bench, numbers, plan, soFar);
  const notes = numbers.map((number) => SCENARIOS[number]?.untouched ?? '');
  report.part('Faults: hits of points', sweptTable(swept, MODES, notes, missing.length), [
    ...missing,
    ...swept.flatMap(lossesOf),
  ]);
}

const tallyTable = (tallies: readonly Tally[]): string =>
  table(
    ['command', 'points', 'hits', 'short', 'losses'],
    tallies.map((tally) => [tally.title, tally.points, tally.hits, tally.short, tally.losses.length]),
  );

async function compoundAll(errand: Errand): Promise<void> {
  const { commands, limit, depth } = errand.size.compound;
  const tasks = chosenOf(errand, commands).map((scenario) => ({ scenario, limit, depth }));
  const soFar = errand.report.soFar<Tally>(({ title, losses }) => [title, losses]);
  const tallies = await shareOut('compound', errand.bench, tasks, soFar);
  const losses = tallies.flatMap((tally) => tally.losses);
  errand.report.part('Kills during the recovery from a kill', tallyTable(tallies), losses);
}

/**
 * A build with a fault of ours must be caught: with plain writes by kills, without fsync by power cuts. It is looked at until it
 * is, and where all is done to the end.
 */
async function proveKnownBad({ bench, size, report }: Errand): Promise<void> {
  const untilLoss = !size.whole;
  const numbers = [...SCENARIOS.entries()].filter(([, one]) => size.knownBad.commands.includes(one.words.join(' ')));
  const bad = async (fault: Fault): Promise<Bench> => {
    const folder = join(bench.workshop, `known-bad-${FAULTS.indexOf(fault)}`);
    return { ...bench, program: await buildKnownBad(folder, fault) };
  };
  const kills = numbers.map(([scenario]) => scenario);
  const swept = await shareSweeps(await bad('plain writes'), kills, { ...each('kill', EVERY_CALL), untilLoss });
  const tallies = swept.map(({ tallies: [tally] }) => tally as Tally);
  tellCaught(report, 'plain writes', tallies, tallyTable(tallies));
  const cuts = numbers.map(([scenario]): PowerTask => ({ ...LAST_CUTS, scenario, untilLoss }));
  for (const fault of ['no fsync', 'no fsync of folders'] as const) {
    const powers = await shareOut('power', await bad(fault), cuts);
    tellCaught(report, fault, powers, powerTable(powers));
  }
  const told = [...SCENARIOS.entries()].filter(([, { hushed }]) => hushed);
  const hushed = told.map(([scenario]) => scenario);
  const hooks = await shareSweeps(await bad('silent hooks'), hushed, { ...each('EIO', HOOK_FAULTS), untilLoss });
  const errors = hooks.map(({ tallies: [tally] }) => tally as Tally);
  tellCaught(report, 'silent hooks', errors, tallyTable(errors));
}

/** Tells how many commands a fault was caught under: it must be all. */
function tellCaught(
  report: Report,
  fault: string,
  tallies: readonly { title: string; losses: string[] }[],
  text: string,
): void {
  const blind = tallies.filter(({ losses }) => losses.length === 0);
  const caught = `caught under ${tallies.length - blind.length} of ${tallies.length} commands`;
  report.part(
    `A build with ${fault}: it must be caught, and is ${caught}`,
    text,
    blind.map(({ title }) => `the harness is blind: it finds nothing wrong with ${fault} under ${title}`),
  );
}

const powerTable = (tallies: readonly PowerTally[]): string => {
  const rows = tallies.map((tally) => [tally.title, tally.calls, tally.states, tally.losses.length]);
  const sum = (of: (tally: PowerTally) => number): number => tallies.reduce((all, tally) => all + of(tally), 0);
  rows.push(['all', sum(({ calls }) => calls), sum(({ states }) => states), sum(({ losses }) => losses.length)]);
  return table(['command', 'calls', 'states', 'losses'], rows);
};

/** Scenarios of the commands that are killed first, as far as they are asked for. */
function afterKills(errand: Errand): number[] {
  const numbers = chosen(errand, AFTER_KILLS);
  return errand.size.whole || errand.only !== '' ? numbers : firstOfEach(numbers);
}

async function powerAll(errand: Errand): Promise<void> {
  const { only } = errand;
  const { commands, limit, more, life, kills } = errand.size.power;
  const tasks: PowerTask[] = [
    { story: 'life', scenario: 0, limit: life, more, kills },
    ...afterKills(errand).map(
      (scenario): PowerTask => ({
        story: 'after a kill',
        scenario,
        limit: Math.min(limit, LAST_CALLS),
        more: false,
        kills,
      }),
    ),
    ...[...FOLLOWED.entries()]
      .filter(([number, followed]) => titleOfFollowed(followed).startsWith(only) && (more || only !== '' || number < 3))
      .map(([scenario]): PowerTask => ({ story: 'followed', scenario, limit: SPARSE_CALLS, more: false, kills })),
    ...chosenOf(errand, commands).map((scenario): PowerTask => ({ story: 'scenario', scenario, limit, more, kills })),
  ];
  const soFar = errand.report.soFar<PowerTally>(({ title, losses }) => [title, losses]);
  const calls = new Map((await getReady(errand.bench, chosen(errand))).map((ready) => [ready.scenario, ready.calls]));
  // A scenario that is killed at each of its calls first takes as much longer.
  const weightOf = ({ story, scenario }: PowerTask): number =>
    story === 'scenario' ? (calls.get(scenario) ?? 0) : Number.POSITIVE_INFINITY;
  const chosenTasks = only === '' ? tasks : tasks.slice(1);
  const tallies = await shareOut('power', errand.bench, chosenTasks, soFar, weightOf);
  const losses = tallies.flatMap((tally) => tally.losses);
  errand.report.part('Power loss', powerTable(tallies), losses);
}

async function crowdAll({ bench, size, report }: Errand): Promise<void> {
  const { seeds, ...options } = size.crowd;
  for (const seed of seeds) {
    const { title, losses, ...counts } = await runCrowd(bench, { ...options, seed });
    const rows = Object.entries(counts).map(([name, count]) => [name, Math.round(count)]);
    report.part(`A crowd: ${title}`, table(['', 'count'], rows), losses);
  }
}

async function damageAll({ bench, size, report }: Errand): Promise<void> {
  const shares = size.damage === 1 ? 16 : 2;
  for (const kind of ['loose', 'packed']) {
    const from = join(bench.workshop, `small-${kind}`);
    await makeSmallStore(from, kind === 'packed');
    const tasks = Array.from({ length: shares }, (_, share) => ({ kind, from, every: size.damage, share, shares }));
    const tallies = await shareOut('damage', bench, tasks);
    const sum = (of: (tally: DamageTally) => number): number => tallies.reduce((all, tally) => all + of(tally), 0);
    const losses = tallies.flatMap((tally) => tally.losses);
    const counts = `${sum(({ cases }) => cases)} answers to ${sum(({ harms }) => harms)} kinds of damage`;
    const verdicts = `${sum(({ right }) => right)} right, ${sum(({ named }) => named)} naming the damage`;
    report.part('Damage', `${tallies[0]?.title}: ${counts}, ${verdicts}, ${losses.length} false`, losses);
  }
}

async function randomDamageAll({ bench, size, report }: Errand): Promise<void> {
  const tasks = Array.from({ length: Math.ceil(size.randomDamage / AT_ONCE) }, (_, index) => ({
    from: 1 + index * AT_ONCE,
    count: Math.min(AT_ONCE, size.randomDamage - index * AT_ONCE),
  }));
  const tallies = await shareOut('random-damage', bench, tasks);
  const sum = (of: (tally: RandomDamageTally) => number): number => tallies.reduce((all, tally) => all + of(tally), 0);
  const losses = tallies.flatMap((tally) => tally.losses);
  const rows = [
    ['cases', sum(({ cases }) => cases)],
    ['answered right', sum(({ right }) => right)],
    ['named the damage', sum(({ named }) => named)],
    ['repaired', sum(({ mended }) => mended)],
    ['pointers compared with those of before the damage', sum(({ pointers }) => pointers)],
    ['records looked for', sum(({ records }) => records)],
    ['losses', losses.length],
  ];
  const note = tallies[0]?.note ?? '';
  report.part(`Random damage, and a repair after it${note}`, table(['', 'count'], rows), losses);
}

async function straceAll(errand: Errand): Promise<void> {
  const title = 'Faults put into the system calls by strace';
  if (findStrace() === null) return errand.report.part(title, 'skipped: no strace here, or it may not trace', []);
  const soFar = errand.report.soFar<Tally>((tally) => [`${tally.title}, ${tally.mode}`, tally.losses]);
  const swept = await shareStraces(errand.bench, chosen(errand), errand.size.strace, soFar);
  const text = sweptTable(swept, INJECTIONS.map(byStrace), [], 0);
  errand.report.part(`${title}: hits of points`, text, swept.flatMap(lossesOf));
}

async function corporaAll({ size, report }: Errand): Promise<void> {
  const { rows, losses } = await countCases(size.corpora);
  report.part('Fuzzing and strangers', table(['suite', 'tests', 'cases', 'failed'], rows), losses);
}

export const PARTS = {
  sweep: sweepAll,
  compound: compoundAll,
  'known-bad': proveKnownBad,
  power: powerAll,
  crowd: crowdAll,
  damage: damageAll,
  'random-damage': randomDamageAll,
  strace: straceAll,
  corpora: corporaAll,
} satisfies Record<string, (errand: Errand) => Promise<void>>;
export type Part = keyof typeof PARTS;
export const isPart = (name: string): name is Part => name in PARTS;

/** Parts that are left out of a quick run of everything: strace takes long, the corpora are tests of their own. */
export const LONG_PARTS: readonly Part[] = ['strace', 'corpora'];
