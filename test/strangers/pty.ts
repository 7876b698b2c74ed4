// Commands on a real terminal: a pseudo-terminal of `script` or Python, and a judge of the bytes that reach it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folder, NOON, PROGRAM } from '../support/cli.ts';

const PYTHON = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';

const works = (file: string, words: string[]): boolean => spawnSync(file, words, { stdio: 'pipe' }).status === 0;

type Opener = (script: string) => [file: string, words: string[]];

/** Finds the way to open a pseudo-terminal here; null if there is none. */
function findOpener(): Opener | null {
  if (works('script', ['-qec', 'true', '/dev/null']))
    return (script) => ['script', ['-qec', `sh '${script}'`, '/dev/null']];
  if (works('python3', ['-c', 'import pty'])) return (script) => ['python3', ['-c', PYTHON, 'sh', script]];
  return null;
}

export const opener = findOpener();

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export interface Terminal {
  /** Output on the terminal, as text: lines end in line feeds, as they did before the terminal had them. */
  text: string;
  /** Exit code of each command. */
  codes: number[];
}

/** Runs command lines of the built program one after the other on a terminal of 120 columns. @param input what is typed */
export function onTerminal(
  lines: readonly (readonly string[])[],
  { cwd, env = {}, input = '' }: { cwd: string; env?: Record<string, string>; input?: string },
): Terminal {
  if (!opener) throw new Error('there is no pseudo-terminal here');
  const place = folder('terminal-');
  const codes = join(place, 'codes');
  const commands = lines.map(
    (words) => `${[process.execPath, PROGRAM, ...words].map(quote).join(' ')}; echo $? >>${quote(codes)}\n`,
  );
  const script = join(place, 'script.sh');
  writeFileSync(script, `stty cols 120 rows 50 -echo\n${commands.join('')}`);
  writeFileSync(codes, '');
  const [file, words] = opener(script);
  const plain = { PATH: process.env['PATH'] ?? '', HOME: place, TZ: 'UTC', TERM: 'xterm-256color', CTX_PAGER: 'cat' };
  const ran = spawnSync(file, words, {
    cwd,
    env: { ...plain, CTX_NOW: String(NOON), ...env },
    input,
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ran.error) throw ran.error;
  const told = spawnSync('cat', [codes], { encoding: 'utf8' }).stdout.trim().split('\n');
  // Bytes that are no UTF-8 would be single bytes of C1 to some terminals.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(ran.stdout).replaceAll('\r\n', '\n');
  return { text, codes: told.map(Number) };
}

const ESC = '\u001b';

/** The colours of our theme, as the terminal is told of them; no other sequence is ours. */
const COLOURS = new RegExp(`${ESC}\\[(?:1|2|22|31|32|33|36|39)m`, 'g');
/** Matches the sequences of the spinner: hide and show the cursor, draw at once, go to the first column, clear the line. */
const SPINNER = new RegExp(`${ESC}\\[(?:\\?(?:25|2026)[lh]|1G|[02]?K)`, 'g');
/** Matches text that no stored text may bring to a terminal. */
const DANGEROUS = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;

/** Asserts that nothing but printable text, our own colours and, where it may run, our own spinner reached a terminal. */
export function expectCalm(text: string, allowed: { colours: boolean; spinner?: boolean }): void {
  // A colour that came with a stored text looks like ours; what stands around it does not.
  let left = text.replace(new RegExp(`ink${ESC}\\[\\d+mink`, 'g'), 'ink\u0007ink');
  if (allowed.colours) left = left.replace(COLOURS, '');
  if (allowed.spinner) left = left.replace(SPINNER, '').replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '');
  const found = DANGEROUS.exec(left);
  expect(found && JSON.stringify(left.slice(Math.max(0, found.index - 60), found.index + 60))).toBeNull();
}
