/** Progress on a terminal: a spinner with the latest counts, on standard error. */
import ora from 'ora';
import { harmlessText } from '../core/harmless.ts';
import { oneLine } from '../core/text.ts';
import type { Progress } from './frame/command.ts';

/** Shortest time between two pictures, in milliseconds: work is synchronous, so each one is drawn by hand. */
const REDRAW = 80;

/** The caller says whether there is anyone to see it.
 * @param clock milliseconds since some moment */
export function spinner(
  coloured: boolean,
  stream: NodeJS.WritableStream = process.stderr,
  clock: () => number = () => performance.now(),
): Progress {
  const drawn = ora({ stream, isEnabled: true, discardStdin: false, color: coloured ? 'cyan' : false });
  let last = Number.NEGATIVE_INFINITY;
  return {
    show: (text) => {
      const now = clock();
      if (now - last < REDRAW) return;
      last = now;
      drawn.text = harmlessText(oneLine(text));
      drawn.render();
    },
    end: () => {
      // Nothing was drawn: ora would move the cursor all the same.
      if (last === Number.NEGATIVE_INFINITY) return;
      drawn.clear();
      drawn.stop();
    },
  };
}
