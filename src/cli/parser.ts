/** Parses the full command line: quickly if its words allow that, else by commander; zod validates the input, and no error contains a secret. */
import { CtxError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import type { Command } from './frame/command.ts';
import { commandAt, commandMeant, type Parsed, parseQuick, type Told } from './quick.ts';
import { GROUPS, loadCommands, loadCommandsOf } from './table.ts';

/** Longest word of a command line that an error repeats, in UTF-16 code units. */
const WORD_LIMIT = 80;

/** A usage error that repeats no secret of what was typed, and of long words only the beginning. */
async function withoutSecrets(error: CtxError, typed: readonly string[]): Promise<CtxError> {
  const { redactText } = await import('../secrets/index.ts');
  const clean = (text: string): string => redactText(text, undefined, () => '000000').text;
  let { message } = error;
  for (const word of typed.filter((one) => one.length > WORD_LIMIT))
    message = message.replaceAll(word, () => oneLine(clean(word), WORD_LIMIT));
  return new CtxError(error.code, clean(message), { hint: error.hint });
}

/**
 * Reads any command line.
 * @returns the command with its checked input, or what was asked for instead: help, or the version
 * @throws {CtxError} usage
 */
export async function parseFully(given: readonly string[]): Promise<Parsed | Told> {
  try {
    return await parseLine(given);
  } catch (error) {
    throw error instanceof CtxError ? await withoutSecrets(error, given) : error;
  }
}

async function parseLine(given: readonly string[]): Promise<Parsed | Told> {
  // `ctx help stage start` is `ctx stage start --help`.
  const first = given.findIndex((word) => word === '--' || !word.startsWith('-'));
  const words = given[first] === 'help' ? await asHelp(given.toSpliced(first, 1)) : given;
  // Help may be of everything, and so may be what an error proposes: for these alone all commands are loaded.
  const few = words.some((word) => word === '--help' || word === '-h') ? null : await loadCommandsOf(words);
  // A plain line needs no commander: it takes longer to load than most commands take in all.
  const quick = few && parseQuick(words, few);
  if (quick) return check(quick);
  const { explained, read, refuses } = await import('./commander.ts');
  const readBy = async (commands: readonly Command[]): Promise<Parsed | Told> => {
    const parsed = read(words, commands);
    return 'told' in parsed ? parsed : check(parsed, false);
  };
  try {
    if (few) return await readBy(few);
  } catch (error) {
    if (!refuses(error)) throw error;
  }
  const commands = await loadCommands();
  try {
    return await readBy(commands);
  } catch (error) {
    throw refuses(error) ? explained(error, words, commands) : error;
  }
}

/** Returns the line that asks for the help of a line; one that names no command stays, and fails like that line. */
async function asHelp(words: readonly string[]): Promise<readonly string[]> {
  const named = words.slice(Math.max(0, commandAt(words)));
  const isGroup = named.length === 1 && Object.hasOwn(GROUPS, named[0] as string);
  const isKnown = commandAt(words) < 0 || isGroup || commandMeant(named, await loadCommands()) !== undefined;
  return isKnown ? [...words, '--help'] : words;
}

/**
 * @param isQuick true if the quick reader has read it, which leaves out nothing that the options and arguments say of themselves
 * @throws {CtxError} usage, if the arguments are not those that the command takes
 */
async function check(parsed: Parsed, isQuick = true): Promise<Parsed> {
  const { command, globals, input } = parsed;
  if (command.ownSessions && globals.session !== undefined) {
    throw new CtxError('usage', `ctx ${command.name} takes no --session: each conversation has a session of its own.`, {
      hint: 'Leave it out. To continue one of those sessions: ctx switch <id>',
    });
  }
  return isQuick && command.isPlain?.(input) ? parsed : (await import('./checked.ts')).checked(parsed);
}
