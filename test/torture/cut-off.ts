/** A store in which a compaction was cut off: what a killed process leaves, made by killing one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './program.ts';
import type { Bench } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';

/**
 * Kills a compaction that has begun to move its pointers, with LOCK in its hand.
 * @param earlier how many calls before the last at which its operation is begun: the fewer, the more has moved
 */
export async function cutOff(project: string, bench: Pick<Bench, 'workshop' | 'program'>, earlier = 12): Promise<void> {
  const words = ['stage', 'compact'];
  const attempt = async (at: number): Promise<string> => {
    const trial = copyProject(project, bench.workshop);
    await runProgram({ program: bench.program, project: trial, words, fault: { at, mode: 'kill' } });
    return trial;
  };
  const whole = copyProject(project, bench.workshop);
  const { total } = await runProgram({ program: bench.program, project: whole, words });
  removeProject(whole);
  for (let at = (total?.calls ?? 0) - 1; at > 0; at -= 1) {
    const trial = await attempt(at);
    const cut = existsSync(join(trial, '.ctx', 'oplog', 'begun.json')) && existsSync(join(trial, '.ctx', 'LOCK'));
    removeProject(trial);
    if (!cut) continue;
    await runProgram({ program: bench.program, project, words, fault: { at: at - earlier, mode: 'kill' } });
    if (existsSync(join(project, '.ctx', 'oplog', 'begun.json'))) return;
    break;
  }
  throw new Error('no compaction could be cut off: the harness is broken');
}
