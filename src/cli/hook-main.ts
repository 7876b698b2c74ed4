/** The command line of `ctx hook` alone: a build of its own, since agents wait for it at every prompt and every tool. */
import { hookCommand } from './commands/hook.ts';
import { parseQuick } from './quick.ts';
import { runLine } from './run.ts';

/** Runs a plain line of `ctx hook`; returns null for any other line, and for one with anything unusual in it. */
export async function hookMain(words: readonly string[]): Promise<number | null> {
  const quick = parseQuick(words, [hookCommand]);
  if (!quick) return null;
  await runLine(words, () => quick);
  // An agent takes some codes of a hook for an order to stop.
  return 0;
}
