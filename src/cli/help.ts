/** Builds the text below a command's help: examples, exit codes, the options that every command has. */
import { EXIT_MEANINGS } from './exit-codes.ts';
import type { Command } from './frame/command.ts';

const EVERYWHERE = '-C <dir>, --json, --quiet, --no-color and --session <id> work with every command.';

/** Examples and exit codes of one command. */
export function helpFooter(command: Command): string {
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
export function topFooter(): string {
  const codes = EXIT_MEANINGS.map(([code, what]) => `  ${String(code).padEnd(2)}  ${what}`);
  const environment = VARIABLES.map(([names, meaning]) => `  ${names.padEnd(20)}  ${meaning}`);
  return `\n${['Exit codes:', ...codes, '', 'Environment:', ...environment, '', 'Every text argument takes - for standard input.'].join('\n')}\n`;
}
