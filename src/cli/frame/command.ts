/** A command is a value: what it is called, what it takes, what it does, and how its result reads. It returns; it never prints. */
import type { ZodMiniType } from 'zod/mini';
import type { Repository } from '../../app/open.ts';
import type { TextInput } from '../../app/session/text.ts';
import type { Schemas } from './schema.ts';
import type { Theme } from './theme.ts';

/** Source from which a shell completes a value: words, or names from the store or the agents. */
export type Completes = 'sessions' | 'open sessions' | 'files' | 'folders' | 'agents' | readonly string[];

/** An option, in the one form that help, the quick reader and commander are made from. */
export interface OptionSpec {
  /** As in `-m, --message <text>`; with `[…]` it may lack its value, which is empty then; without either it is a switch. */
  flags: string;
  description: string;
  /** Kind of its value; a text if absent. */
  kind?: 'integer' | undefined;
  choices?: readonly string[] | undefined;
  /** Source from which a shell completes its value; its choices if absent. */
  completes?: Completes | undefined;
  /** The command cannot do without it. */
  required?: boolean | undefined;
  /** It may come several times; the values are a list. */
  many?: boolean | undefined;
  /** A number behind a dash is its value: `-3` for `-n 3`. */
  digits?: boolean | undefined;
}

export interface ArgumentSpec {
  name: string;
  description: string;
  optional?: boolean | undefined;
  /** `words`: all that follow, joined by blanks; `list`: all that follow, as a list. */
  rest?: 'words' | 'list' | undefined;
  /** Words of it may begin with a dash: `-error`, which is no option. */
  dashed?: boolean | undefined;
  /** Source from which a shell completes it; nothing if absent. */
  completes?: Completes | undefined;
}

/** The surroundings of a command, beside its input. */
export interface App {
  /** The store; opened at the first call, one that is damaged too where it is to be checked. @throws {CtxError} not_a_repository, … */
  repository: (options?: { toCheck: boolean }) => Repository;
  /** The same, with progress on a terminal: how many bytes of the store are read and written for what is done. */
  watched: (doing: string, options?: { toCheck: boolean }) => Repository;
  /** Runs work that Ctrl-C ends at any instruction, and says then what was done. The work must be safe to kill. */
  interruptible: <T>(work: () => T | Promise<T>, said: () => string) => Promise<T>;
  /** Checks that the store which was opened is still at its path. @throws {CtxError} not_a_repository, if it is gone or replaced */
  checkStore: () => void;
  /** Mirrors the sessions that the command has paused or ended, if the project asks for that. */
  mirror: () => Promise<void>;
  /** Finishes a rewind of files that was killed on its way; if the command may not write, says that there is one. */
  finishFiles: (mayWrite: boolean) => Promise<void>;
  /** Returns what was done beside what was asked for, a sentence each. */
  notices: () => readonly string[];
  /** Folder in which paths on the command line start. */
  directory: string;
  /** The store's folder where CTX_DIR names it. */
  store: string | undefined;
  /** The variables that the program was started with: where the home folder is, and what is on PATH. */
  environment: Readonly<Record<string, string | undefined>>;
  /** A text argument: itself, or standard input in pieces where it is `-`. */
  text: (value: string) => TextInput;
  /** True if the answer is one JSON object: then nothing else may reach standard output. */
  json: boolean;
  /** Prints a problem that no answer holds on standard error at once, with --json too. */
  remark: (problem: string) => void;
  /** Streams the output of another program to standard output; null if that is no terminal, for which nothing is escaped. */
  readonly answer: ((text: string) => void) | null;
  /** Streams the output of another program to standard error; null if that is no terminal, for which nothing is escaped. */
  readonly story: ((text: string) => void) | null;
  /** Writes bytes to standard output as they are: an answer that is no text. */
  bytes: (pieces: Iterable<Buffer>) => void;
  /** Writes to standard output while the command runs; resolves with false if nobody reads it any more. */
  output: (content: Buffer | string) => Promise<boolean>;
  /** Prints a sentence on standard error at once; prints nothing with --json or --quiet. */
  note: (text: string) => void;
  /** Prints a problem with a part of the input on standard error at once; prints nothing with --json, if the answer holds it. */
  warn: (problem: string) => void;
  /** The words behind `--` on the command line, which are among the arguments too. */
  behindDashes: readonly string[];
  /** Standard input as a stream, for a command that does other work while it waits for more. */
  readonly stdin: NodeJS.ReadableStream;
  /** Standard input in pieces, each as soon as it comes; for a limited time in milliseconds, as far as the system lets. */
  input: (limit?: number) => Iterable<Buffer>;
  /** Asks a question on the terminal; returns null without calling `question` if there is no terminal to ask on. */
  ask: (question: () => string) => string | null;
  /** True if there is a terminal to choose something on. */
  canPick: boolean;
  /** Shows a spinner with this text on a terminal, and nothing elsewhere. */
  progress: Progress;
}

export interface Progress {
  /** Shows a text, or what the function returns, if it is time for a new picture. */
  show: (text: string | (() => string)) => void;
  end: () => void;
}

export type RawInput = Record<string, unknown>;

export interface Command<Input = RawInput, Result = unknown> {
  /** Its words: `stage status`. */
  name: string;
  /** Shorter words for the same command: `status`. */
  alias?: string | undefined;
  summary: string;
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** Command lines as a user would type them, each with what it does. */
  examples: readonly (readonly [line: string, what: string])[];
  /** Exit codes beside 0, 2 and 70, with what they mean here; all there are where 0 is among them. */
  exits?: readonly (readonly [code: number, what: string])[];
  /** True if each conversation that it takes in goes to a session of its own, so that `--session` can name none. */
  ownSessions?: boolean;
  /** True if it may write to the store. */
  mutates: boolean;
  /** The schema of its input. Without transforms where the command is a hot one: the quick reader does without it. */
  input: (z: Schemas) => ZodMiniType<Input>;
  /** Checks if an input whose options and arguments are as they are declared needs no schema, which takes long to load. */
  isPlain?: (input: Input) => boolean;
  run: (app: App, input: Input) => Result | Promise<Result>;
  /** The answer for a person; in pieces where it may be long. Every text in the result is harmless already. */
  render: (result: Result, theme: Theme, input: Input) => string | Iterable<string>;
  /** Returns a text that is printed as it is unless standard output is a terminal; null if the result has none. */
  verbatim?: (result: Result) => string | null;
  /** Returns the problems with parts of the input, a line each, for standard error. Every text in them is escaped. */
  problems?: (result: Result) => readonly string[];
  /** Returns what must be known to read the answer right, a line each, for standard error, with --json too; not printed with --quiet. */
  remarks?: (result: Result) => readonly string[];
  /** Returns the next commands to type, a line each, for standard error; not printed with --quiet. */
  hints?: (result: Result) => readonly string[];
  /**
   * Checks if a result is an answer that was asked for, and not only what was done: --quiet prints it too. By default it is one if the
   * command changes nothing.
   */
  isAsked?: (result: Result, input: Input) => boolean;
  /** Checks if it writes its answer itself, while it runs: then nothing is printed of its result. */
  isStreamed?: (input: Input, json: boolean) => boolean;
  /** Returns the exit code of a result; 0 if absent. */
  exit?: (result: Result, input: Input) => number;
  /** True if a person reads it through a pager. */
  paged?: boolean;
}

/** Returns the words by which a command can be called: its name, then its alias if it has one. */
export const namesOf = ({ name, alias }: Command): readonly string[] => (alias === undefined ? [name] : [name, alias]);

/** Keeps the types of a command's parts together; the table holds commands whose types are forgotten. */
export function defineCommand<Input, Result>(command: Command<Input, Result>): Command {
  return command as unknown as Command;
}

/** The key of an option in the input: `--exit-code` is `exit_code`, `--no-compact` is `no_compact`. */
export function optionKey(spec: OptionSpec): string {
  return (/--([a-z-]+)/.exec(spec.flags)?.[1] ?? '').replaceAll('-', '_');
}

/** Checks if an option takes a value. */
export const takesValue = (spec: OptionSpec): boolean => spec.flags.includes('<') || mayLackValue(spec);

/** Checks if the value of an option is optional: the next word is its value unless that begins with a dash. */
export const mayLackValue = (spec: OptionSpec): boolean => spec.flags.includes('[');

/** The options that every command has, before it or behind it. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '-C, --directory <dir>', description: 'run as if started in this folder', completes: 'folders' },
  { flags: '--json', description: 'print one JSON object' },
  { flags: '-q, --quiet', description: 'print nothing but the answer that was asked for, and what went wrong' },
  { flags: '--no-color', description: 'no colours' },
  {
    flags: '--session <id>',
    description: 'work on this open session instead of the current one',
    completes: 'open sessions',
  },
];

/** Returns the global options that count behind a command: an option of its own takes the place of one of the same name. */
export const globalsOf = ({ options = [] }: Command): readonly OptionSpec[] =>
  GLOBAL_OPTIONS.filter((spec) => !options.some((own) => optionKey(own) === optionKey(spec)));

export interface GlobalInput {
  directory?: string;
  json?: boolean;
  quiet?: boolean;
  no_color?: boolean;
  session?: string;
}
