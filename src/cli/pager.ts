/** A pager, as Git uses one: CTX_PAGER, PAGER, else less; `cat` or nothing means none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeAnswer } from './print.ts';

/** Shows a long answer; where the pager cannot be started, the answer is printed as it is. */
export async function page(pieces: Iterable<string>): Promise<void> {
  const pager = process.env.CTX_PAGER ?? process.env.PAGER ?? 'less';
  if (pager === '' || pager === 'cat') return writeAnswer(pieces);
  const environment = { LESS: 'FRX', LV: '-c', ...process.env };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: environment });
  // A pager that is quit early closes its end: what is left need not be written.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  for (const piece of pieces) {
    if (child.stdin.destroyed || !child.stdin.writable) break;
    if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, 'drain'), closed]);
  }
  child.stdin.end();
  const [code] = await closed;
  // 127: the shell did not find it.
  if (code === 127) writeAnswer(pieces);
}
