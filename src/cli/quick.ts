/** Reads a plain command line of a hot command without any library; whatever it does not understand it leaves to commander. */
import {
  type ArgumentSpec,
  type Command,
  GLOBAL_OPTIONS,
  type GlobalInput,
  type OptionSpec,
  optionKey,
  type RawInput,
  takesValue,
} from './command.ts';

/** What was asked for instead of a command, and its words. */
export interface Told {
  told: 'help' | 'version';
  text: string;
}

export interface Parsed {
  command: Command;
  globals: GlobalInput;
  input: RawInput;
}

/** Finds an option by the word on the command line: `-m`, `--message`. */
function findOption(specs: readonly OptionSpec[], word: string): OptionSpec | undefined {
  return specs.find(({ flags }) => flags.includes(word) && flags.split(/[ ,]+/).includes(word));
}

/** Returns the index of the command's first word, behind the global options; -1 if there is none. */
function commandAt(words: readonly string[]): number {
  for (let at = 0; at < words.length; at += 1) {
    const spec = findOption(GLOBAL_OPTIONS, words[at] as string);
    if (!spec) return at;
    if (takesValue(spec)) at += 1;
  }
  return -1;
}

/** The first word of the command. */
export const commandWord = (words: readonly string[]): string | undefined => words[commandAt(words)];

/** A command line for Git is Git's own: everything behind `git` goes to it as it is. */
export function guardVerbatim(words: readonly string[]): readonly string[] {
  const at = commandAt(words);
  return words[at] === 'git' && words[at + 1] !== '--help'
    ? [...words.slice(0, at + 1), '--', ...behind(words, at)]
    : words;
}

const behind = (words: readonly string[], at: number): readonly string[] =>
  words.slice(words[at + 1] === '--' ? at + 2 : at + 1);

/** Parses the value of an option; undefined if commander should report what is wrong with the value. */
function valueFor(spec: OptionSpec, word: string | undefined): unknown {
  if (word === undefined || (word.startsWith('-') && word !== '-')) return undefined;
  if (spec.kind === 'integer') return /^\d{1,15}$/.test(word) ? Number(word) : undefined;
  return spec.choices && !spec.choices.includes(word) ? undefined : word;
}

function store(into: RawInput, spec: OptionSpec, value: unknown): void {
  const key = optionKey(spec);
  into[key] = spec.many ? [...((into[key] as unknown[] | undefined) ?? []), value] : value;
}

/** Assigns the words to the arguments; null if there are too few or too many. */
export function bindArguments(specs: readonly ArgumentSpec[], words: readonly string[]): RawInput | null {
  const input: RawInput = {};
  const left = [...words];
  for (const spec of specs) {
    if (left.length === 0) {
      if (spec.optional) continue;
      return null;
    }
    if (spec.rest) {
      const rest = left.splice(0);
      input[spec.name] = spec.rest === 'words' ? rest.join(' ') : rest;
    } else input[spec.name] = left.shift();
  }
  return left.length > 0 ? null : input;
}

/** @returns null if the command line is not one of a hot command, or has anything unusual in it */
export function parseQuick(words: readonly string[], commands: readonly Command[]): Parsed | null {
  const globals: RawInput = {};
  const input: RawInput = {};
  const plain: string[] = [];
  let command: Command | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') {
      plain.push(...words.slice(at + 1));
      break;
    }
    if (word.startsWith('-') && word !== '-') {
      const own = command && findOption(command.options ?? [], word);
      const spec = own ?? findOption(GLOBAL_OPTIONS, word);
      if (!spec) return null;
      if (takesValue(spec)) at += 1;
      const value = takesValue(spec) ? valueFor(spec, words[at]) : true;
      if (value === undefined) return null;
      store(own ? input : globals, spec, value);
      continue;
    }
    plain.push(word);
    if (command) continue;
    command = commands.find((candidate) => candidate.name === plain.join(' '));
    if (command) plain.length = 0;
  }
  const missing = command?.options?.some((spec) => spec.required && !(optionKey(spec) in input));
  const bound = command && !missing && bindArguments(command.arguments ?? [], plain);
  return command && bound ? { command, globals: globals as GlobalInput, input: { ...input, ...bound } } : null;
}
