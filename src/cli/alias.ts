/** Aliases: names of the user's own for command lines, as `alias.<name>` of the settings gives them. Loaded only for a word that is no command. */
import { existingFolder, mayRunPrograms, openRepository, type Repository } from '../app/open.ts';
import { CtxError } from '../core/errors.ts';
import { splitLine } from './command-line.ts';
import { commandAt, commandWord, parseGlobals } from './quick.ts';
import { isCommandWord } from './table.ts';

/** Longest time for Git's answer whether it tracks the settings, in milliseconds. */
const LOOK = 2_000;

/** Returns the line that replaces a line with an alias; null if its first word is none. @throws {CtxError} invalid_settings */
export function expandAlias(words: readonly string[]): readonly string[] | null {
  const at = commandAt(words);
  const isHelp = words[at] === 'help';
  const name = words[isHelp ? at + 1 : at];
  if (name === undefined || !/^[a-z]/i.test(name)) return null;
  const repository = storeOf(words);
  const line =
    repository && Object.hasOwn(repository.settings.alias, name) ? repository.settings.alias[name] : undefined;
  if (!repository || line === undefined) return null;
  const expanded = expansionOf(name, line);
  if (!mayRunPrograms(repository, LOOK)) {
    throw refusal(
      name,
      'was not run, since the settings may be of somebody else',
      'Trust this store with: ctx init --trust',
    );
  }
  const [first, last] = isHelp ? [at, at + 2] : [at, at + 1];
  return [...words.slice(0, first), ...(isHelp ? ['help'] : []), ...expanded, ...words.slice(last)];
}

const refusal = (name: string, why: string, hint = 'Correct it in .ctx/settings.json.'): CtxError =>
  new CtxError('invalid_settings', `alias.${name} ${why}.`, { hint });

/** Returns the words of an alias. @throws {CtxError} invalid_settings, if they are no command line of ctx */
function expansionOf(name: string, line: string): readonly string[] {
  const expanded = splitLine(line);
  if (expanded === null) throw refusal(name, 'has a quotation without an end');
  const word = commandWord(expanded);
  if (word?.startsWith('!')) throw refusal(name, 'begins with !, and ctx runs no shell');
  if (word !== undefined && isCommandWord(word)) return expanded;
  throw refusal(
    name,
    `begins with no command of ctx: ${word ?? 'nothing'}`,
    'An alias cannot name another alias. See: ctx --help',
  );
}

/** Returns the store that a line works on; null if there is none. */
function storeOf(words: readonly string[]): Repository | null {
  const { directory: given } = parseGlobals(words);
  // Without its value the option is just switched on.
  const directory = typeof given === 'string' ? given : undefined;
  const store = process.env.CTX_DIR || undefined;
  try {
    return openRepository({ directory: existingFolder(directory), store, session: null });
  } catch (error) {
    if (error instanceof CtxError && ['not_a_repository', 'not_found'].includes(error.code)) return null;
    throw error;
  }
}
