/** `ctx why` and `ctx blame`: which sessions touched a path, and which step wrote each line. */
import { type BlameResult, blamePath, type LineOrigin, type WhyResult, whyPath } from '../../app/find/why.ts';
import { systemClock } from '../../app/open.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { localDay } from '../../core/listing/day.ts';
import { oneLine } from '../../core/text.ts';
import { pad, widest } from '../frame/columns.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

/** Names for a line's origin if no step wrote it. */
const NO_STEP: Record<Exclude<LineOrigin['origin'], 'step' | 'after'>, string> = {
  older: 'older than what ctx remembers',
  outside: 'changed outside of any session',
  unsaved: 'in no session yet',
};

/** Splits `<path>:<line>`. */
function pathAndLine(given: string): { path: string; line: number | null } {
  const match = /^(.+):(\d{1,9})$/s.exec(given);
  return match ? { path: match[1] as string, line: Number(match[2]) } : { path: given, line: null };
}

function originWords(line: LineOrigin, theme: Theme): string {
  if (line.origin !== 'step' && line.origin !== 'after') return NO_STEP[line.origin];
  const who = `step ${line.step} of ${theme.accent(line.short_id ?? '')} ${theme.strong(oneLine(line.title ?? '', 80))}`;
  return line.origin === 'step' ? `written by ${who}` : `not seen being written; ${who} wrote something unseen before`;
}

function* renderWhy({ path, touches, line }: WhyResult, theme: Theme): Generator<string> {
  const now = systemClock()();
  if (line) {
    yield `${oneLine(path, 4096)}:${line.line}: ${oneLine(line.text, 200)}\n  ${originWords(line, theme)}\n`;
    if (line.at !== null) yield `  ${theme.faint(`${ageInWords(line.at, now)}  ${line.agent ?? '-'}`)}\n`;
    if (line.prompt !== null) yield `  ${theme.faint('user:')} ${oneLine(line.prompt, 200)}\n`;
    return;
  }
  let isFirst = true;
  for (const { short_id, title, agent, did, step, at, prompt } of touches) {
    yield `${isFirst ? '' : '\n'}${theme.strong(oneLine(title, 80))}\n`;
    yield `  ${theme.accent(short_id)}  ${theme.faint(`${ageInWords(at, now)}  ${agent ?? '-'}  ${did} in step ${step}`)}\n`;
    if (prompt !== null) yield `    ${theme.faint('user:')} ${oneLine(prompt, 200)}\n`;
    isFirst = false;
  }
}

/** Name that Git prints for a line that is in no commit. */
const NO_COMMIT = '0'.repeat(40);

interface BlameInput {
  path: string;
  porcelain?: boolean | undefined;
}

function* renderBlame({ path, lines }: BlameResult, theme: Theme, { porcelain }: BlameInput): Generator<string> {
  if (porcelain) return yield* porcelainLines({ path, lines });
  const cells = lines.map((line) => [
    line.short_id ?? (line.origin === 'unsaved' ? '-' : line.origin),
    line.step === null ? '' : `${line.origin === 'after' ? '~' : ''}${line.step}`,
    line.at === null ? '' : localDay(line.at),
    oneLine(line.agent ?? '', 16),
  ]);
  const widths = [0, 1, 2, 3].map((column) => widest(cells.map((row) => row[column] as string)));
  const digits = String(lines.length).length;
  for (const [index, { line, text }] of lines.entries()) {
    const [id = '', step = '', day = '', agent = ''] = (cells[index] as string[]).map((cell, column) =>
      pad(cell, widths[column] as number),
    );
    yield `${theme.accent(id)} ${theme.faint(`(${step} ${day} ${agent}`)} ${String(line).padStart(digits)}) ${text}\n`;
  }
}

/** Yields the lines as `git blame --porcelain` does: the headers of a commit at its first line. */
function* porcelainLines({ path, lines }: BlameResult): Generator<string> {
  const seen = new Set<string>();
  const commitOf = ({ commit }: LineOrigin): string => commit ?? NO_COMMIT;
  for (const [index, line] of lines.entries()) {
    const commit = commitOf(line);
    const isGroup =
      index === 0 ||
      commitOf(lines[index - 1] as LineOrigin) !== commit ||
      (lines[index - 1] as LineOrigin).original_line !== line.original_line - 1;
    let count = 1;
    while (
      index + count < lines.length &&
      commitOf(lines[index + count] as LineOrigin) === commit &&
      (lines[index + count] as LineOrigin).original_line === line.original_line + count
    )
      count += 1;
    yield `${commit} ${line.original_line} ${line.line}${isGroup ? ` ${count}` : ''}\n`;
    if (!seen.has(commit)) yield* headersOf(line, commit, path);
    seen.add(commit);
    yield `\t${line.text}\n`;
  }
}

function* headersOf({ agent, at, title, origin }: LineOrigin, commit: string, path: string): Generator<string> {
  const isNone = commit === NO_COMMIT;
  const name = isNone ? NO_STEP[origin === 'step' || origin === 'after' ? 'outside' : origin] : oneLine(agent ?? 'ctx');
  for (const role of ['author', 'committer'])
    yield `${role} ${name}\n${role}-mail <ctx@localhost>\n${role}-time ${at ?? 0}\n${role}-tz +0000\n`;
  yield `summary ${isNone ? name : oneLine(title ?? '')}\nfilename ${path}\n`;
}

export const whyCommands: readonly Command[] = [
  defineCommand<{ path: string }, WhyResult>({
    name: 'why',
    summary: 'say which sessions touched a path, and which step wrote a line',
    arguments: [{ name: 'path', description: 'a file, or <file>:<line>' }],
    examples: [
      ['ctx why src/retry.ts', 'the sessions that touched it, the newest first, with the prompt that led to it'],
      ['ctx why src/retry.ts:12', 'which step wrote line 12, and what it was asked for'],
    ],
    exits: [
      [1, 'no session touched it, or it has no such line'],
      [5, 'the store is damaged'],
    ],
    mutates: false,
    paged: true,
    input: (z) => z.object({ path: z.string() }),
    run: (app, input) => {
      const { path, line } = pathAndLine(input.path);
      return whyPath(app.repository(), path, line, {
        directory: app.directory,
        catalog: { warn: app.remark, progress: app.progress },
      });
    },
    render: renderWhy,
  }),
  defineCommand<BlameInput, BlameResult>({
    name: 'blame',
    summary: 'say of each line of a file which step wrote it',
    arguments: [{ name: 'path', description: 'a file' }],
    options: [{ flags: '--porcelain', description: "print Git's porcelain format, for programs that read it" }],
    examples: [
      ['ctx blame src/retry.ts', 'each line with its session, step, day and agent'],
      ['ctx blame --porcelain src/retry.ts', 'for an editor that shows git blame'],
    ],
    exits: [
      [1, 'no session touched it'],
      [5, 'the store is damaged'],
    ],
    mutates: false,
    paged: true,
    input: (z) => z.object({ path: z.string(), porcelain: z.optional(z.boolean()) }),
    run: (app, { path }) =>
      blamePath(app.repository(), path, {
        directory: app.directory,
        catalog: { warn: app.remark, progress: app.progress },
      }),
    render: renderBlame,
  }),
];
