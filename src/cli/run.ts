/** From a command that was read to an exit code: run it, print what it gives. */
import { existsSync } from 'node:fs';
import {
  CHUNK_SIZE,
  checkOpened,
  existingFolder,
  findStore,
  metered,
  openRepository,
  type Repository,
} from '../app/open.ts';
import type { TextInput } from '../app/session/text.ts';
import { asDamage } from '../app/unreadable.ts';
import { harmless } from '../core/harmless.ts';
import { bytesInWords } from '../core/text.ts';
import {
  isTerminal,
  readInput,
  readInputAsItComes,
  readInputLine,
  writeOutput,
  writeStream,
} from '../platform/stdio.ts';
import type { App, Command, GlobalInput, Progress } from './frame/command.ts';
import { colours, PLAIN, type Theme } from './frame/theme.ts';
import { ended, printError, printResult, showOn, tell, tellOn, writeAnswer } from './print.ts';
import type { Parsed, Told } from './quick.ts';

const INTERRUPTED =
  'warning: A rewind of files was interrupted: some files are as they were, others as asked. The next command that writes finishes it: ctx flush';
const SILENT: Progress = { show: () => undefined, end: () => undefined };

/** The meaning of a line: a command, or a text to print instead of running one. */
export type Meaning = Parsed | Told;

/** Runs the command of a line, and returns the exit code. @param words the line, as `parse` reads it */
export async function runLine(words: readonly string[], parse: () => Meaning | Promise<Meaning>): Promise<number> {
  // With --json the output is JSON, even if the rest of the line cannot be read.
  const dashes = words.includes('--') ? words.indexOf('--') : words.length;
  const beforeRest = words.slice(0, dashes);
  const behindDashes = words.slice(dashes + 1);
  const json = beforeRest.includes('--json');
  const theme = await themeFor(beforeRest.includes('--no-color'));
  try {
    const parsed = await parse();
    if (!('told' in parsed)) return await runCommand(parsed, theme, behindDashes);
    if (json) printResult({ [parsed.told]: parsed.text.trimEnd() });
    else writeAnswer([parsed.text]);
    return 0;
  } catch (error) {
    return report(error, json, theme);
  }
}

/** Prints an error; if printing it fails, prints that failure, so that the exit code is right in any case. */
function report(error: unknown, json: boolean, theme: Theme): number {
  try {
    return printError(error, json, theme);
  } catch (second) {
    return printError(second, false, theme);
  }
}

/** Prints an error that nothing has caught; returns the exit code. @param words the command line */
export const reportUncaught = (error: unknown, words: readonly string[]): number =>
  report(error, words.includes('--json'), PLAIN);

async function themeFor(noColor: boolean): Promise<Theme> {
  const wanted = !noColor && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return wanted && (isTerminal(1) || isTerminal(2)) ? colours() : PLAIN;
}

async function runCommand(
  { command, globals, input }: Parsed,
  theme: Theme,
  behindDashes: readonly string[],
): Promise<number> {
  const progress = await progressFor(globals, theme);
  const isStreamed = command.isStreamed?.(input, globals.json === true) ?? false;
  const app = makeApp(globals, progress, { behindDashes, isStreamed });
  try {
    return await runAndPrint({ command, globals, input }, app, theme);
  } catch (error) {
    throw readAsDamage(error, app);
  }
}

async function runAndPrint({ command, globals, input }: Parsed, app: App, theme: Theme): Promise<number> {
  let result: unknown;
  try {
    result = await command.run(app, input);
    app.checkStore();
    await app.mirror();
    await app.finishFiles(command.mutates && input.dry_run !== true);
  } finally {
    app.progress.end();
  }
  if (command.isStreamed?.(input, globals.json === true)) {
    for (const notice of globals.json || globals.quiet ? [] : app.notices()) tell(notice);
  } else if (globals.json) {
    printResult(result);
    if (!globals.quiet) for (const remark of command.remarks?.(result) ?? []) tell(`hint: ${remark}`);
  } else {
    for (const problem of command.problems?.(result) ?? []) tell(`warning: ${problem}`);
    const look = { ...(isTerminal(1) ? theme : PLAIN), columns: outputColumns };
    const isAsked = command.isAsked?.(result, input) ?? (!command.mutates || input.dry_run === true);
    if (globals.quiet && !isAsked) return command.exit?.(result, input) ?? 0;
    const verbatim = isTerminal(1) ? null : (command.verbatim?.(result) ?? null);
    if (verbatim !== null) writeAnswer([verbatim]);
    else await printAnswer(command, () => ended(command.render(harmless(result), look, input)));
    if (!globals.quiet) for (const notice of app.notices()) tell(notice);
    if (!globals.quiet)
      for (const hint of [...(command.remarks?.(result) ?? []), ...(command.hints?.(result) ?? [])])
        tell(`hint: ${hint}`);
  }
  return command.exit?.(result, input) ?? 0;
}

/** Returns the width of standard output: what COLUMNS says, else that of its terminal; null if it is none. */
function outputColumns(): number | null {
  const given = Number(process.env.COLUMNS);
  if (Number.isSafeInteger(given) && given > 0) return given;
  return isTerminal(1) ? process.stdout.columns || null : null;
}

/** Turns a failed read of the store into damage, also when the failure comes while the answer is printed. */
function readAsDamage(error: unknown, app: App): unknown {
  try {
    app.checkStore();
  } catch (gone) {
    return gone;
  }
  try {
    return asDamage(error, () => app.store ?? findStore(app.directory));
  } catch {
    return error;
  }
}

async function printAnswer(command: Command, render: () => Iterable<string>): Promise<void> {
  if (command.paged && isTerminal(1)) await (await import('./pager.ts')).page(render);
  else writeAnswer(render());
}

async function progressFor(globals: GlobalInput, theme: Theme): Promise<Progress> {
  // A terminal that does not know its width cannot take a line back, nor can a dumb one.
  if (globals.quiet || globals.json || !isTerminal(2) || !process.stderr.columns) return SILENT;
  if (process.env.TERM === 'dumb' || 'CI' in process.env) return SILENT;
  return (await import('./spinner.ts')).spinner(theme !== PLAIN);
}

function makeApp(
  globals: GlobalInput,
  progress: Progress,
  { behindDashes, isStreamed }: Pick<App, 'behindDashes'> & { isStreamed: boolean },
): App {
  let folder: string | undefined;
  const directory = (): string => {
    folder ??= existingFolder(globals.directory);
    return folder;
  };
  const store = process.env.CTX_DIR || undefined;
  let opened: Repository | undefined;
  const open = (toCheck: boolean): Repository => {
    const session = globals.session ?? (process.env.CTX_SESSION || null);
    const repository = openRepository({ directory: directory(), store, session, toCheck });
    if (repository.unknownSettings.length > 0 && !globals.quiet) {
      tell(`warning: settings.json has keys that this version does not know: ${repository.unknownSettings.join(', ')}`);
    }
    return repository;
  };
  const repository: App['repository'] = (options) => {
    opened ??= open(options?.toCheck === true);
    return opened;
  };
  const warn = (problem: string): void => {
    progress.end();
    tell(`warning: ${problem}`);
  };
  return {
    repository,
    watched: (doing, options) => {
      const store = repository(options);
      if (progress === SILENT) return store;
      return metered(store, (bytes) => progress.show(() => `${doing}: ${bytesInWords(bytes)}`));
    },
    interruptible: async (work, said) => {
      const { runInterruptible } = await import('../app/interruption.ts');
      return runInterruptible(work, () => {
        progress.end();
        if (!globals.json && !globals.quiet) tell(`Interrupted: ${said()}`);
      });
    },
    checkStore: () => {
      if (opened) checkOpened(opened);
    },
    notices: () => opened?.notices ?? [],
    mirror: async () => {
      if (!opened || opened.settings.conversations === null || opened.saved.size === 0) return;
      const { mirrorSaved } = await import('../app/mirror/saved.ts');
      opened.notices.push(...mirrorSaved(opened));
    },
    finishFiles: async (mayWrite) => {
      if (!opened || !existsSync(opened.layout.restore)) return;
      const { finishRestore } = await import('../app/conversation/snapshots.ts');
      if (mayWrite) opened.notices.push(finishRestore(opened) ?? '');
      else if (!globals.quiet) tell(INTERRUPTED);
    },
    get directory() {
      return directory();
    },
    store,
    environment: process.env,
    text: (value): TextInput => (value === '-' ? readInput(CHUNK_SIZE) : value),
    json: globals.json === true,
    get answer() {
      return isTerminal(1) ? showOn : null;
    },
    get story() {
      return isTerminal(2) ? tellOn : null;
    },
    bytes: (pieces) => {
      for (const piece of pieces) if (!writeStream(1, piece)) return;
    },
    output: writeOutput,
    note: (text) => {
      if (!globals.json && !globals.quiet) tell(text);
    },
    warn: (problem) => {
      if (!globals.json || isStreamed) warn(problem);
    },
    remark: warn,
    behindDashes,
    get stdin() {
      return process.stdin;
    },
    input: (limit) => readInputAsItComes(CHUNK_SIZE, limit),
    ask: (question) => {
      if (globals.json || !isTerminal(0) || !isTerminal(2)) return null;
      progress.end();
      for (const line of question().split('\n')) tell(line);
      return readInputLine();
    },
    get canPick() {
      return !globals.json && isTerminal(0) && isTerminal(2) && process.env.TERM !== 'dumb';
    },
    progress,
  };
}
