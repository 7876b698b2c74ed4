/** Progress on a terminal: a spinner with the latest counts, on standard error. */
import ora from 'ora';
import { harmlessText } from '../core/harmless.ts';
import { oneLine } from '../core/text.ts';
import { truncated } from './frame/columns.ts';
import type { Progress } from './frame/command.ts';

/** Shortest time between two pictures, in milliseconds: work is synchronous, so each one is drawn by hand. */
const REDRAW = 80;
/** Longest time, in milliseconds, that shows nothing. */
const PATIENCE = 500;

/** The caller says whether there is anyone to see it.
 * @param clock milliseconds since some moment */
export function spinner(
  coloured: boolean,
  stream: NodeJS.WritableStream = process.stderr,
  clock: () => number = () => performance.now(),
): Progress {
  const drawn = ora({ stream, isEnabled: true, discardStdin: false, color: coloured ? 'cyan' : false });
  const begun = clock();
  let last = Number.NEGATIVE_INFINITY;
  let turning: NodeJS.Timeout | undefined;
  return {
    show: (text) => {
      const now = clock();
      if (now - begun < PATIENCE || now - last < REDRAW) return;
      last = now;
      const { columns = 80 } = stream as { columns?: number };
      // A line that wraps could not be taken back by every terminal.
      drawn.text = truncated(harmlessText(oneLine(typeof text === 'string' ? text : text())), columns - 3);
      drawn.render();
      // While another program works, nobody calls.
      turning ??= setInterval(() => drawn.render(), REDRAW).unref();
    },
    end: () => {
      clearInterval(turning);
      turning = undefined;
      // Nothing was drawn: ora would move the cursor all the same.
      if (last === Number.NEGATIVE_INFINITY) return;
      drawn.clear();
      drawn.stop();
    },
  };
}
