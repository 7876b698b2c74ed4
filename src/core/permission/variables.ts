/** Finds the variables that a command of the shell sets for the commands behind it. */
import type { Word } from './shell.ts';

/** Variables by which another program is run, or the one that is meant does something else. */
export const RISKY =
  /^(?:PATH|IFS|ENV|HOME|SHELL|CDPATH|BASH.*|LD_.*|DYLD_.*|GIT_.*|NODE_(?!ENV$).*|npm_config_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|PS\d|PROMPT_COMMAND|XDG_CONFIG_HOME|ZDOTDIR)$|(?:OPTIONS|OPTS?|FLAGS|WRAPPER|PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|COMMAND)$/i;

/** Commands of the shell that set variables, as an assignment does. */
const DECLARES = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);
/** Commands of the shell that set the variables that they name. */
const READS = new Set(['read', 'mapfile', 'readarray', 'getopts']);

const nameIn = (text: string): string => /^[A-Za-z_]\w*/.exec(text)?.[0] ?? '';

export interface VariablesSet {
  names: string[];
  /** True if that is all that the command does: a rule need not be about it. */
  isAll: boolean;
  /** False if only the shell will know which variables are set. */
  isWhole: boolean;
}

/** Returns the variables that a command sets; null if it sets none. @param words its arguments */
export function variablesSet(program: string, words: readonly Word[]): VariablesSet | null {
  const texts = words.map(({ text }) => text);
  if (DECLARES.has(program)) {
    const names = texts.filter((text) => text.includes('=')).map(nameIn);
    const isAll = texts.every((text) => nameIn(text) !== '' || /^[-+][aAgirtxp]+$/.test(text));
    return { names, isAll, isWhole: words.every(({ text, open }) => open === 'no' || nameIn(text) !== '') };
  }
  const isWhole = words.every(({ open }) => open === 'no');
  if (READS.has(program)) return { names: texts.map(nameIn), isAll: false, isWhole };
  if (program !== 'printf') return null;
  const names = texts.flatMap((text, at) =>
    texts[at - 1] === '-v' ? text : text.startsWith('-v') ? text.slice(2) : [],
  );
  return { names, isAll: false, isWhole: words[0]?.open === 'no' };
}
