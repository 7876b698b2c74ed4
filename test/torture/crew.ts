/** Tasks shared out to a crew of processes, one for each processor: much of a case is done in the process itself, one at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobName, Jobs } from './jobs.ts';
import type { Bench } from './stage.ts';

/** A request to a member of the crew, and the answer. */
export interface Order {
  job: JobName;
  bench: Bench;
  task: unknown;
}
export type Reply = { result: unknown } | { error: string };

const MEMBER = fileURLToPath(new URL('member.ts', import.meta.url));

interface Member {
  child: ChildProcess;
  /** A folder of its own. */
  workshop: string;
}

/** Members that wait for work, by the workshop of the run. */
const idle = new Map<string, Member[]>();

let hired = 0;

/** A member does one case at a time. One that has done its work gets more: to begin one takes a second. */
function hire(bench: Bench): Member {
  const known = idle.get(bench.workshop)?.pop();
  if (known) return known;
  hired += 1;
  const workshop = join(bench.workshop, `member-${hired}`);
  mkdirSync(workshop);
  const env = { ...process.env, TORTURE_WIDTH: '1' };
  const child = fork(MEMBER, { execArgv: ['--max-semi-space-size=32', '--import', import.meta.resolve('tsx')], env });
  return { child, workshop };
}

/** Lets the crew of a run go. */
export function dismiss({ workshop }: Pick<Bench, 'workshop'>): void {
  for (const { child } of idle.get(workshop) ?? []) child.disconnect();
  idle.delete(workshop);
}

function ask(child: ChildProcess, order: Order): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (code: number | null): void => reject(new Error(`a member of the crew ended with ${code}`));
    child.once('exit', leave);
    child.once('message', (reply: Reply) => {
      child.off('exit', leave);
      if ('error' in reply) reject(new Error(reply.error));
      else resolve(reply.result);
    });
    child.send(order);
  });
}

/**
 * Does a job with each task; gives the results in the order of the tasks.
 * @param weightOf how much there is to do: the heaviest are begun first, so that all members end together
 * @param told called with each result as soon as it is there: a run of hours tells what it has found so far
 */
export async function shareOut<Name extends JobName>(
  job: Name,
  bench: Bench,
  tasks: readonly Jobs[Name]['task'][],
  told: (result: Jobs[Name]['result']) => void = () => undefined,
  weightOf: (task: Jobs[Name]['task']) => number = () => 0,
): Promise<Jobs[Name]['result'][]> {
  const results: Jobs[Name]['result'][] = [];
  const line = [...tasks.entries()].sort(([, one], [, other]) => weightOf(other) - weightOf(one));
  const work = async (): Promise<void> => {
    const member = hire(bench);
    try {
      for (let turn = line.shift(); turn; turn = line.shift()) {
        const [index, task] = turn;
        const result = (await ask(member.child, {
          job,
          bench: { ...bench, workshop: member.workshop },
          task,
        })) as never;
        results[index] = result;
        told(result);
      }
    } finally {
      // After a failure no more are begun.
      line.length = 0;
      if (member.child.connected) idle.set(bench.workshop, [...(idle.get(bench.workshop) ?? []), member]);
    }
  };
  const width = Math.min(availableParallelism(), tasks.length);
  const ended = await Promise.allSettled(Array.from({ length: width }, work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return results;
}
