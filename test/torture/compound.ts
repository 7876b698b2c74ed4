/** Two kills in a row: the recovery that follows a kill is itself killed at each of its calls, recovered, checked. */
import { later, pool, runProgram, spread } from './program.ts';
import { type Bench, extras, type Stage } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { judge } from './sweep.ts';
import { checkShort, closeTally, newTally, type Tally } from './tally.ts';

/** Kills a command at `limit` of its calls, and its recovery at `depth` of each. */
export async function sweepTwice(bench: Bench, stage: Stage, limit: number, depth: number): Promise<Tally> {
  const tally = newTally(stage.title, 'kill twice');
  const { program } = bench;
  const moment = later(stage.moment);
  // Looking alone takes no lock: the recovery that always works is the one that mends.
  const words = stage.scenario.recovery ?? ['fsck', '--repair'];
  await pool(spread(stage.total.calls, limit), async (first) => {
    const killed = copyProject(stage.project, bench.workshop);
    const fault = { at: first, mode: 'kill' } as const;
    await runProgram({
      program,
      project: killed,
      words: stage.words,
      moment: stage.moment,
      ...extras(stage.scenario),
      fault,
    });
    const trial = copyProject(killed, bench.workshop);
    const { total } = await runProgram({ program, project: trial, words, moment });
    removeProject(trial);
    for (const second of spread(total?.calls ?? 0, depth)) {
      const project = copyProject(killed, bench.workshop);
      tally.points += 1;
      const outcome = await runProgram({ program, project, words, moment, fault: { at: second, mode: 'kill' } });
      if (outcome.hit) {
        tally.hits += 1;
        const where = `${stage.title}, killed at ${first}, its recovery at ${second} (${outcome.hit.call} ${outcome.hit.path})`;
        tally.losses.push(...(await judge(stage, project)).map((problem) => `${where}: ${problem}`));
      } else if (outcome.total) {
        tally.short += 1;
        checkShort(tally, `${stage.title}, killed at ${first}, ${second}`, outcome, 0);
      } else tally.losses.push(`${stage.title}, ${first}, ${second}: no fault was seen; the harness is broken`);
      removeProject(project);
    }
    removeProject(killed);
  });
  if (tally.points === 0) tally.losses.push(`${stage.title}, killed twice: there was nothing to hit`);
  return closeTally(tally);
}
