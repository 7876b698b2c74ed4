/** A member of the crew: does what it is asked, one task after the other, until nobody is there to ask. */
import type { Order, Reply } from './crew.ts';
import { JOBS } from './jobs.ts';

process.on('message', ({ job, bench, task }: Order) => {
  const answer = (reply: Reply): void => void process.send?.(reply);
  (JOBS[job] as (bench: Order['bench'], task: unknown) => Promise<unknown>)(bench, task).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
