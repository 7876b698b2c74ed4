/** Command lines as commander reads them, and the help that it prints, from the same values as the rest. */
import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import { distance } from 'fastest-levenshtein';
import type { CtxError } from '../core/errors.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import {
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
import { bindArguments, commandAt, commandMeant, type Parsed, type Told, withDashes } from './quick.ts';
import { GROUPS } from './table.ts';
import { usage } from './usage.ts';
import { VERSION } from './version.ts';

const EVERYWHERE = '-C <dir>, --json, --quiet, --no-color and --session <id> work with every command.';

/** Examples and exit codes of one command. */
function helpFooter(command: Command): string {
  const width = Math.max(...command.examples.map(([line]) => line.length));
  const examples = command.examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`);
  const own = command.exits ?? [];
  const usual = [[0, 'done'] as const, [2, 'the command line is wrong'] as const];
  const exits = own.some(([code]) => code === 0) ? own : [...usual, ...own];
  const codes = [...exits].sort((a, b) => a[0] - b[0]).map(([code, what]) => `  ${code}  ${what}`);
  return `\n${['Examples:', ...examples, '', 'Exit codes:', ...codes, '', EVERYWHERE].join('\n')}`;
}

/** The variables that people set, with what each means. */
export const VARIABLES: readonly (readonly [names: string, meaning: string])[] = [
  ['CTX_DIR', 'the store, if it is not the nearest .ctx upwards'],
  ['CTX_SESSION', 'the session to work on'],
  ['CTX_NOW', 'the time to record: Unix seconds or an ISO time'],
  ['CTX_PAGER, PAGER', 'the pager of log, show and diff'],
  ['NO_COLOR', 'no colours'],
];

/** The text below the help of ctx itself. */
function topFooter(): string {
  const codes = EXIT_MEANINGS.map(([code, what]) => `  ${String(code).padEnd(2)}  ${what}`);
  const environment = VARIABLES.map(([names, meaning]) => `  ${names.padEnd(20)}  ${meaning}`);
  return `\n${['Exit codes:', ...codes, '', 'Environment:', ...environment, '', 'Every text argument takes - for standard input.'].join('\n')}\n`;
}

function integer(value: string): number {
  if (/^-?\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number.');
}

function makeOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.many ? `${spec.description}; may be repeated` : spec.description);
  if (spec.choices) option.choices([...spec.choices]);
  const read = (value: string): unknown => {
    if (spec.choices && !spec.choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${spec.choices.join(', ')}.`);
    }
    return spec.kind === 'integer' ? integer(value) : value;
  };
  if (mayLackValue(spec)) option.preset('');
  if (takesValue(spec)) {
    option.argParser((value: string, previous: unknown) =>
      spec.many ? [...((previous as unknown[] | undefined) ?? []), read(value)] : read(value),
    );
  }
  return option;
}

/** Collects the options that commander has read, under our keys. A `--no-x` switch that was not given is true with commander and absent with us. */
function collect(specs: readonly OptionSpec[], commander: Commander): RawInput {
  const input: RawInput = {};
  for (const spec of specs) {
    const option = makeOption(spec);
    const name = option.attributeName();
    const source = commander.getOptionValueSource(name);
    if (source === undefined || source === 'default') continue;
    const value: unknown = commander.getOptionValue(name);
    // A switch and its opposite have one value in commander.
    if (!takesValue(spec) && value === option.negate) continue;
    input[optionKey(spec)] = takesValue(spec) ? value : true;
  }
  return input;
}

/** Adds a command under each of its names, below the group of a name of two words. */
function addCommand(
  program: Commander,
  command: Command,
  found: (commander: Commander, words: string[]) => void,
): void {
  for (const name of namesOf(command)) addNamed(program, command, name, found);
}

function addNamed(
  program: Commander,
  command: Command,
  name: string,
  found: (commander: Commander, words: string[]) => void,
): void {
  const names = name.split(' ');
  const parent = names.length === 1 ? program : groupOf(program, names[0] as string);
  const commander = parent
    .command(names.at(-1) as string)
    .description(command.summary)
    .summary(command.summary);
  for (const spec of command.arguments ?? []) {
    const name = spec.rest ? `${spec.name}...` : spec.name;
    commander.argument(spec.optional ? `[${name}]` : `<${name}>`, spec.description);
  }
  for (const spec of [...(command.options ?? []), ...globalsOf(command)]) {
    const option = makeOption(spec);
    if (GLOBAL_OPTIONS.includes(spec)) option.hideHelp();
    commander.addOption(option);
  }
  commander.addHelpText('after', helpFooter(command));
  // A command that is a group, too, leaves to each command below it the options behind that one's name.
  commander.enablePositionalOptions();
  commander.action(() => found(commander, commander.args));
}

function groupOf(program: Commander, name: string): Commander {
  const known = program.commands.find((candidate) => candidate.name() === name);
  return (
    known ??
    program
      .command(name)
      .description(GROUPS[name] ?? '')
      .summary(GROUPS[name] ?? '')
  );
}

/** Checks if an error is commander's own: the line means none of the commands, or says it wrong. */
export const refuses = (error: unknown): error is CommanderError => error instanceof CommanderError;

/** Most letters by which a word may differ from the command that is suggested, for each letter of the word. */
const ALIKE = 0.4;

/** Returns the commands that an unknown word may mean, by their last words: those of this name, else those with a name alike. */
function suggestionsFor(word: string, commands: readonly Command[]): string[] {
  const lastWord = (name: string): string => name.split(' ').at(-1) as string;
  // The shorter name of a command is the one to suggest.
  const all = [...new Set(commands.map(({ name, alias }) => alias ?? name))];
  const names = all.filter((name) => name === lastWord(name) || !all.includes(lastWord(name)));
  const far = (name: string): number => (lastWord(name).startsWith(word) ? 0 : distance(lastWord(name), word));
  const nearest = Math.min(...names.map(far));
  return nearest <= Math.max(1, word.length * ALIKE) ? names.filter((name) => far(name) === nearest) : [];
}

/** Returns the error for a line that begins with no command. */
function unknownCommand(words: readonly string[], group: string, commands: readonly Command[]): CtxError {
  const typed = words.filter((word) => !word.startsWith('-'));
  const word = (group === '' ? typed[0] : typed[typed.indexOf(group) + 1]) ?? '';
  const meant = suggestionsFor(word, commands).slice(0, 3);
  const question = meant.length > 0 ? `. Did you mean: ${meant.map((one) => `ctx ${one}`).join(', ')}` : '';
  return usage(`Unknown command '${word}'${question}`, group);
}

/** Commander's error in our words. */
export function explained(error: CommanderError, words: readonly string[], commands: readonly Command[]): CtxError {
  const group = groupIn(words);
  if (error.code === 'commander.unknownCommand') return unknownCommand(words, group, commands);
  if (error.code === 'commander.help') {
    const names = commands
      .map((command) => command.name.split(' '))
      .filter(([first]) => group === '' || first === group)
      .map((name) => name[group === '' ? 0 : 1]);
    return usage(`${`ctx ${group}`.trim()} needs a command: ${[...new Set(names)].join(', ')}`, group);
  }
  const message = error.message.replace(/^error: /, '').replace(/^./, (letter) => letter.toUpperCase());
  return usage(message, nameOf(commands, words) || group);
}

/**
 * Parses a line that names one of these commands; returns the help or the version if the line asks only for that.
 * @throws {CommanderError} where it means none of them, or says it wrong
 * @throws {CtxError} usage, if the line gives the command other arguments than the command takes
 */
export function read(words: readonly string[], commands: readonly Command[]): Parsed | Told {
  let help = '';
  let parsed: { command: Command; commander: Commander; words: string[] } | undefined;
  const program = new Commander('ctx')
    .description(
      'Git-style memory for coding agents: each task is a session that survives pauses, crashes and machines.',
    )
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => {
        help += text;
      },
      writeErr: () => undefined,
    })
    .version(VERSION, '-V, --version', 'print the version')
    .addHelpText('after', topFooter());
  for (const spec of GLOBAL_OPTIONS) program.addOption(makeOption(spec));
  for (const command of commands) {
    addCommand(program, command, (commander, given) => {
      parsed = { command, commander, words: given };
    });
  }
  if (words.length === 0) {
    return { told: 'help', text: program.helpInformation() + topFooter() };
  }
  try {
    const command = commandMeant(words.slice(Math.max(0, commandAt(words))), commands)?.command;
    program.parse(command ? withDashes(words, command) : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    return { told: error.code === 'commander.version' ? 'version' : 'help', text: help };
  }
  if (!parsed) throw usage('There is no such command.', '');
  return collected(parsed.command, parsed.commander, parsed.words, program);
}

/** Returns the group that a line names, such as `stage`; empty if the line names none. */
function groupIn(words: readonly string[]): string {
  return words.find((word) => Object.hasOwn(GROUPS, word)) ?? '';
}

/** The command that a line seems to mean, for the hint. */
function nameOf(commands: readonly Command[], words: readonly string[]): string {
  const line = `${words.filter((word) => !word.startsWith('-')).join(' ')} `;
  const names = commands.flatMap(namesOf).filter((name) => line.startsWith(`${name} `));
  return names.sort((a, b) => b.length - a.length)[0] ?? '';
}

function collected(command: Command, commander: Commander, words: string[], program: Commander): Parsed {
  const globals = { ...collect(GLOBAL_OPTIONS, program), ...collect(globalsOf(command), commander) } as GlobalInput;
  const bound = bindArguments(command.arguments ?? [], words);
  if (!bound) throw usage(`${command.name} takes other arguments.`, command.name);
  return { command, globals, input: { ...collect(command.options ?? [], commander), ...bound } };
}
