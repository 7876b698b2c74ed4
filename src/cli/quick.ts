/** Reads a plain command line with Node's own parser; a line that it refuses is left to commander, which explains it. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  type ArgumentSpec,
  type Command,
  GLOBAL_OPTIONS,
  type GlobalInput,
  globalsOf,
  mayLackValue,
  namesOf,
  type OptionSpec,
  optionKey,
  type RawInput,
  takesValue,
} from './frame/command.ts';

type ParseArgsOptionsConfig = NonNullable<ParseArgsConfig['options']>;

/** A question that is no command, and its words. */
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
export function optionOf(specs: readonly OptionSpec[], word: string): OptionSpec | undefined {
  return specs.find(({ flags }) => flags.includes(word) && flags.split(/[ ,]+/).includes(word));
}

/** Returns the index of the command's first word, behind the global options; -1 if there is none. */
export function commandAt(words: readonly string[]): number {
  for (let at = 0; at < words.length; at += 1) {
    const spec = optionOf(GLOBAL_OPTIONS, words[at] as string);
    if (!spec) return at;
    if (takesValue(spec)) at += 1;
  }
  return -1;
}

/** Returns the global options of a line, whatever command it has. */
export function parseGlobals(words: readonly string[]): GlobalInput {
  const { values } = parseArgs({ args: [...words], options: optionsOf(GLOBAL_OPTIONS), strict: false });
  return valuesOf(GLOBAL_OPTIONS, values) as GlobalInput;
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

/** Returns the long and the short name of an option: `message` and `m` of `-m, --message <text>`. */
function optionNames({ flags }: OptionSpec): { long: string; short: string | undefined } {
  const [, long = ''] = /--([a-z-]+)/.exec(flags) ?? [];
  return { long, short: /^-(\w)/.exec(flags)?.[1] };
}

/** The options of a command as Node's own parser takes them. */
function optionsOf(specs: readonly OptionSpec[]): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = {};
  for (const spec of specs) {
    const { long, short } = optionNames(spec);
    const type = takesValue(spec) ? 'string' : 'boolean';
    options[long] = { type, multiple: spec.many === true, ...(short !== undefined && { short }) };
  }
  return options;
}

/** A value as its option takes it; undefined if commander should say what is wrong with it. */
function valueFor(spec: OptionSpec, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value;
  if (spec.kind === 'integer') return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  return spec.choices && !spec.choices.includes(value) ? undefined : value;
}

/** The values of some options; null if one is not as its option takes it, or is missing. */
function valuesOf(specs: readonly OptionSpec[], read: Readonly<Record<string, unknown>>): RawInput | null {
  const values: RawInput = {};
  for (const spec of specs) {
    const given = read[optionNames(spec).long] as string | boolean | (string | boolean)[] | undefined;
    if (given === undefined) {
      if (spec.required) return null;
      continue;
    }
    const each = [given].flat().map((value) => valueFor(spec, value));
    if (each.includes(undefined)) return null;
    values[optionKey(spec)] = spec.many ? each : each[0];
  }
  return values;
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

/** Returns a line whose words with one dash are what the command takes them for. What is behind `--` stays. */
export const withDashes = (words: readonly string[], command: Command): string[] =>
  withDashed(withDigits(withValues(words, command.options ?? []), command.options ?? []), command);

/** Returns a line with `--launch=codex` for `--launch codex`, and `--launch=` for `--launch` alone. */
function withValues(words: readonly string[], specs: readonly OptionSpec[]): string[] {
  if (!specs.some(mayLackValue)) return [...words];
  const line: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') return [...line, ...words.slice(at)];
    const spec = optionOf(specs, word);
    const next = words[at + 1];
    const isGiven = next !== undefined && !next.startsWith('-');
    if (!spec || !mayLackValue(spec)) line.push(word);
    else {
      line.push(`--${optionNames(spec).long}=${isGiven ? next : ''}`);
      if (isGiven) at += 1;
    }
  }
  return line;
}

/** Returns a line with the words of an argument behind `--` that begin with a dash. */
function withDashed(words: string[], { arguments: given = [], options = [] }: Command): string[] {
  if (!given.some(({ dashed }) => dashed)) return words;
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const isDashed = (word: string, index: number): boolean =>
    index < end && /^-\p{L}{2}/u.test(word) && !takesNext(words[index - 1], options);
  const dashed = words.filter(isDashed);
  if (dashed.length === 0) return words;
  const before = words.slice(0, end).filter((word, index) => !isDashed(word, index));
  return [...before, '--', ...dashed, ...words.slice(end + 1)];
}

/** Returns a line with `--limit=3` for `-3` if the command has such an option. */
function withDigits(words: readonly string[], specs: readonly OptionSpec[]): string[] {
  const spec = specs.find(({ digits }) => digits);
  if (!spec) return [...words];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const isNumber = (word: string, index: number): boolean =>
    index < end && /^-\d+$/.test(word) && !takesNext(words[index - 1], specs);
  return words.map((word, index) => (isNumber(word, index) ? `--${optionNames(spec).long}=${word.slice(1)}` : word));
}

/** Checks if a word is an option whose value is the next word. */
function takesNext(word: string | undefined, specs: readonly OptionSpec[]): boolean {
  const spec = word === undefined ? undefined : optionOf([...GLOBAL_OPTIONS, ...specs], word);
  return spec !== undefined && takesValue(spec);
}

/** Returns the words of a line that are no options, and no values of these options. */
export function withoutOptions(words: readonly string[], specs: readonly OptionSpec[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') return [...kept, ...words.slice(at + 1)];
    const spec = optionOf(specs, word);
    if (spec && takesValue(spec)) at += 1;
    else if (!spec && !/^-./.test(word)) kept.push(word);
  }
  return kept;
}

/** Returns the command that a line begins with, and how many words of the line name it. */
export function commandMeant(
  words: readonly string[],
  commands: readonly Command[],
): { command: Command; length: number } | undefined {
  let meant: { command: Command; length: number } | undefined;
  for (const command of commands) {
    for (const name of namesOf(command)) {
      const named = name.split(' ');
      // `context compact` is not the command `context`.
      if (named.length > (meant?.length ?? 0) && named.every((word, index) => words[index] === word))
        meant = { command, length: named.length };
    }
  }
  return meant;
}

/** Checks if a word is a global option in whose place the command has one of its own. */
function isHidden(word: string, shared: readonly OptionSpec[]): boolean {
  const spec = optionOf(GLOBAL_OPTIONS, word);
  return spec !== undefined && !shared.includes(spec);
}

/** Returns whether words may be more than arguments: Node's parser, which takes long to load, reads no others. */
const hasOptions = (words: readonly string[]): boolean => words.some((word) => word.startsWith('-'));

/** @returns null if the command line is not one of a hot command, or has anything unusual in it */
export function parseQuick(words: readonly string[], commands: readonly Command[]): Parsed | null {
  const at = commandAt(words);
  const meant = commandMeant(words.slice(Math.max(at, 0)), commands);
  if (!meant) return null;
  const { command, length } = meant;
  const own = command.options ?? [];
  const shared = globalsOf(command);
  // Before the command, `--session <id>` is the global option also if the command has a switch of that name.
  if (words.slice(0, at).some((word) => isHidden(word, shared))) return null;
  const args = withDashes(words.toSpliced(at, length), command);
  try {
    const options = optionsOf([...shared, ...own]);
    const { values, positionals, tokens } = hasOptions(args)
      ? parseArgs({ args, options, strict: true, allowPositionals: true, tokens: true })
      : { values: {}, positionals: args, tokens: [] };
    // Commander checks each value of an option that is repeated, and a switch and its opposite are one option to it.
    const named = tokens.flatMap((token) => (token.kind === 'option' ? token.name.replace(/^no-/, '') : []));
    if (new Set(named).size < named.length) return null;
    // An option may be between the two words of a command whose first word is one, too.
    if (commandMeant([command.name, ...positionals].join(' ').split(' '), commands)?.command !== command) return null;
    const globals = valuesOf(shared, values) as GlobalInput | null;
    const input = valuesOf(own, values);
    const bound = bindArguments(command.arguments ?? [], positionals);
    return globals && input && bound ? { command, globals, input: { ...input, ...bound } } : null;
  } catch {
    // Commander says what is wrong with the line.
    return null;
  }
}
