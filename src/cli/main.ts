/** From the command line to an exit code. Only what the command uses is loaded. */
import { commandAt, commandWord, guardVerbatim, parseQuick } from './quick.ts';
import { reportUncaught, runLine } from './run.ts';
import { HOT_COMMANDS, isCommandWord } from './table.ts';

/** Runs a command line; gives the exit code. */
export async function main(given: readonly string[]): Promise<number> {
  const word = commandWord(given);
  const named = word === 'help' ? given[commandAt(given) + 1] : word;
  const mayBeAlias = named !== undefined && !named.startsWith('-') && !isCommandWord(named);
  const code = await (mayBeAlias ? runAlias(given) : runWords(given));
  // An agent takes some codes of a hook for an order to stop: even a line that cannot be read is none.
  return word === 'hook' ? 0 : code;
}

/** Runs a line whose first word is a command. */
function runWords(given: readonly string[]): Promise<number> {
  const words = guardVerbatim(given);
  return runLine(words, async () => {
    const quick = parseQuick(words, HOT_COMMANDS);
    return quick ?? (await import('./parser.ts')).parseFully(words);
  });
}

/** Runs the line that an alias names; one without an alias fails as it is. */
async function runAlias(given: readonly string[]): Promise<number> {
  let words: readonly string[] | null;
  try {
    words = (await import('./alias.ts')).expandAlias(given);
  } catch (error) {
    return runLine(given, () => {
      throw error;
    });
  }
  return runWords(words ?? given);
}

/** Reports an error that no command has caught; returns the exit code. */
export function crashed(error: unknown, given: readonly string[]): number {
  const code = reportUncaught(error, given);
  return commandWord(given) === 'hook' ? 0 : code;
}
