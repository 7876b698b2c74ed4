/** A pager, as Git uses one: CTX_PAGER, PAGER, else less; `cat` or nothing means none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeAnswer } from './print.ts';

/** Exit code of a shell that did not find the program. */
const NOT_FOUND = 127;

const ignore = (): void => undefined;

/** Shows a long answer in the pager; prints it if the pager cannot be started. @param render renders the answer again */
export async function page(render: () => Iterable<string>): Promise<void> {
  const pager = process.env.CTX_PAGER ?? process.env.PAGER ?? 'less';
  if (pager === '' || pager === 'cat') return writeAnswer(render());
  // Nothing to show needs none.
  if (render()[Symbol.iterator]().next().done === true) return;
  const environment = { LESS: 'FRX', LV: '-c', ...process.env };
  // A pager takes Control-C for a command of its own.
  process.on('SIGINT', ignore);
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: environment });
  const closed = once(child, 'close');
  // A pager that is quit early closes its end: what is left need not be written.
  const gone = new Promise<void>((done) => child.stdin.on('error', () => done()));
  for (const piece of render()) {
    if (child.stdin.destroyed || !child.stdin.writable) break;
    if (!child.stdin.write(piece)) {
      await Promise.race([new Promise<void>((done) => child.stdin.once('drain', () => done())), gone, closed]);
    }
  }
  child.stdin.end();
  const [code] = await closed;
  process.off('SIGINT', ignore);
  if (code === NOT_FOUND) writeAnswer(render());
}
