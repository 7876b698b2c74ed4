/** From the command line to an exit code. Only what the command uses is loaded. */
import { commandWord, guardVerbatim, parseQuick } from './quick.ts';
import { reportUncaught, runLine } from './run.ts';
import { HOT_COMMANDS } from './table.ts';

/** Runs a command line; gives the exit code. */
export async function main(given: readonly string[]): Promise<number> {
  const words = guardVerbatim(given);
  const code = await runLine(words, async () => {
    const quick = parseQuick(words, HOT_COMMANDS);
    return quick ?? (await import('./parser.ts')).parseFully(words);
  });
  // An agent takes some codes of a hook for an order to stop: even a line that cannot be read is none.
  return commandWord(given) === 'hook' ? 0 : code;
}

/** Reports an error that no command has caught; returns the exit code. */
export function crashed(error: unknown, given: readonly string[]): number {
  const code = reportUncaught(error, given);
  return commandWord(given) === 'hook' ? 0 : code;
}
