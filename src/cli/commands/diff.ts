/** `ctx diff`. */
import { resolve } from 'node:path';
import { type DiffResult, diffActive, diffRevisions, type FileDiff } from '../../app/diff.ts';
import { CtxError } from '../../core/errors.ts';
import { selectedPath } from '../../core/file-path.ts';
import { oneLine, plural } from '../../core/text.ts';
import { pad, widest } from '../frame/columns.ts';
import { type App, defineCommand } from '../frame/command.ts';
import { patchText } from '../frame/patch.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  revisions?: string[] | undefined;
  stat?: boolean | undefined;
  path?: string | undefined;
}

/** Returns what a path on the command line selects, as records name it; empty if it is the project, or a folder around it. */
export const pathSelected = (app: App, path: string): string =>
  selectedPath(resolve(app.directory, path), app.repository().project);

export function renderFile(file: FileDiff, theme: Theme): string {
  const path = oneLine(file.path, 1024);
  const [before, after] = [file.old_oid ? `a/${path}` : '/dev/null', file.new_oid ? `b/${path}` : '/dev/null'];
  const head = `${theme.strong(`diff --ctx a/${path} b/${path}`)}\n`;
  if (file.patch === null) return `${head}Binary or large files ${before} and ${after} differ\n`;
  return head + patchText(before, after, file.patch, theme);
}

/** Widest bar of signs that `--stat` draws for a file, in characters. */
const WIDEST_BAR = 40;

/** Returns the lines of `--stat`: for each file how many lines were added and removed, then the sums. */
export function statLines(files: readonly FileDiff[], theme: Theme): string {
  const width = widest(files.map((file) => oneLine(file.path, 1024)));
  const most = Math.max(1, ...files.map((file) => file.added + file.removed));
  const scale = Math.min(1, WIDEST_BAR / most);
  const bar = (count: number, sign: string): string =>
    sign.repeat(count === 0 ? 0 : Math.max(1, Math.round(count * scale)));
  const lines = files.map((file) => {
    const name = pad(oneLine(file.path, 1024), width);
    if (file.patch === null) return ` ${name} | not compared\n`;
    const count = String(file.added + file.removed).padStart(String(most).length);
    return ` ${name} | ${count} ${theme.good(bar(file.added, '+'))}${theme.bad(bar(file.removed, '-'))}\n`;
  });
  const sum = (of: (file: FileDiff) => number): number => files.reduce((total, file) => total + of(file), 0);
  const total = `${plural(files.length, 'file')} changed, ${plural(
    sum((file) => file.added),
    'insertion',
  )}(+), ${plural(
    sum((file) => file.removed),
    'deletion',
  )}(-)`;
  return `${lines.join('')} ${total}\n`;
}

/** Reads `a..b` as two revisions; an empty side is HEAD, as in Git. */
function revisionsOf(given: readonly string[]): string[] {
  const [only] = given;
  const range = given.length === 1 && only !== undefined ? /^(.*?)\.\.(.*)$/.exec(only) : null;
  return range ? [range[1] || 'HEAD', range[2] || 'HEAD'] : [...given];
}

export const diffCommand = defineCommand<Input, DiffResult>({
  name: 'diff',
  summary: 'show what the active session changed, or how the files of two revisions differ',
  arguments: [
    {
      name: 'revisions',
      description: 'one or two revisions or a..b, then -- and a path; of one revision, the second is STAGE, else HEAD',
      rest: 'list',
      optional: true,
      completes: 'sessions',
    },
  ],
  options: [
    { flags: '--stat', description: 'only how many lines changed in which file' },
    { flags: '--path <path>', description: 'only files at or below it, as with a path behind --', completes: 'files' },
  ],
  examples: [
    ['ctx diff', 'what the active session changed'],
    ['ctx diff HEAD~1 HEAD', 'what the last session changed'],
    ['ctx diff HEAD -- src', 'how the active session differs from the last commit below src'],
  ],
  exits: [
    [1, 'there is no such revision, or no session is active'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  input: (z) =>
    z.object({
      revisions: z.optional(z.array(z.string())),
      stat: z.optional(z.boolean()),
      path: z.optional(z.string()),
    }),
  run: (app, input) => {
    const repository = app.repository();
    const paths = app.behindDashes;
    const given = input.revisions ?? [];
    const [a, b, ...more] = revisionsOf(given.slice(0, given.length - paths.length));
    if (more.length > 0 || paths.length > (input.path === undefined ? 1 : 0)) {
      throw new CtxError('usage', 'diff takes at most two revisions, and one path, behind -- or by --path.', {
        hint: 'See: ctx diff --help',
      });
    }
    const [named = input.path] = paths;
    const path = named === undefined ? undefined : pathSelected(app, named);
    return a === undefined ? diffActive(repository, path) : diffRevisions(repository, a, b, path);
  },
  render: ({ files }, theme, { stat }) => {
    if (files.length === 0) return 'No difference.\n';
    return stat ? statLines(files, theme) : files.map((file) => renderFile(file, theme)).join('');
  },
});
