/** `npm run torture`: kills, full disks, power loss, crowds and damage; prints tables of figures and fails on any loss. */
import { parseArgs } from 'node:util';
import { copyProgram, makeWorkshop, MODES, removeWorkshop } from './program.ts';
import { SCENARIOS, titleOf, uncovered } from './scenarios.ts';
import { makeTemplates } from './stores.ts';
import { makeReady, sweep, type Tally } from './sweep.ts';

const { values } = parseArgs({
  options: { full: { type: 'boolean' }, quick: { type: 'boolean' }, only: { type: 'string' }, limit: { type: 'string' } },
});
const workshop = makeWorkshop();
const bench = { workshop, program: copyProgram(workshop), templates: await makeTemplates(workshop) };
const missing = await uncovered();
console.log(missing);
const limit = Number(values.limit ?? 10);
const tallies: Tally[] = [];
const started = Date.now();
for (const scenario of SCENARIOS.filter((one) => titleOf(one).includes(values.only ?? ''))) {
  const stage = await makeReady(bench, scenario);
  console.log(stage.title, stage.total, stage.shapes, stage.problems);
  if (stage.problems.length > 0 || scenario.untouched) continue;
  for (const mode of MODES) {
    const tally = await sweep(bench, stage, mode, limit);
    tallies.push(tally);
    console.log('  ', tally.mode, tally.points, tally.hits, tally.short, tally.losses.length);
    for (const loss of tally.losses.slice(0, 3)) console.log('      ', loss.slice(0, 1200));
  }
}
console.log((Date.now() - started) / 1000);
removeWorkshop(workshop);
