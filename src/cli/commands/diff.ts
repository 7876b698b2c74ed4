/** `ctx diff`. */
import { resolve } from 'node:path';
import { type DiffResult, diffRevisions, type FileDiff } from '../../app/diff.ts';
import { CtxError } from '../../core/errors.ts';
import { normalisePath, recordPath } from '../../core/file-path.ts';
import { oneLine } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import { patchText } from '../frame/patch.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  revisions: string[];
}

function renderFile(file: FileDiff, theme: Theme): string {
  const path = oneLine(file.path, 1024);
  const [before, after] = [file.old_oid ? `a/${path}` : '/dev/null', file.new_oid ? `b/${path}` : '/dev/null'];
  const head = `${theme.strong(`diff --ctx a/${path} b/${path}`)}\n`;
  if (file.patch === null) return `${head}Binary or large files ${before} and ${after} differ\n`;
  return head + patchText(before, after, file.patch, theme);
}

export const diffCommand = defineCommand<Input, DiffResult>({
  name: 'diff',
  summary: 'show how the files of two revisions differ',
  arguments: [
    {
      name: 'revisions',
      description: 'one or two revisions, then -- and a path; the second is STAGE, else HEAD',
      rest: 'list',
    },
  ],
  examples: [
    ['ctx diff HEAD~1 HEAD', 'what the last session changed'],
    ['ctx diff HEAD -- src', 'what the active session changed below src'],
  ],
  exits: [
    [1, 'there is no such revision'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  input: (z) => z.object({ revisions: z.array(z.string()).check(z.minLength(1)) }),
  run: (app, input) => {
    const repository = app.repository();
    const paths = app.behindDashes;
    const revisions = input.revisions.slice(0, input.revisions.length - paths.length);
    const [a, b, ...more] = revisions;
    if (a === undefined || more.length > 0 || paths.length > 1) {
      throw new CtxError('usage', 'diff takes one or two revisions, and one path behind --.', {
        hint: 'See: ctx diff --help',
      });
    }
    const path = paths[0] === undefined ? undefined : recordPath(resolve(app.directory, paths[0]), repository.project);
    return diffRevisions(repository, a, b, path === normalisePath(repository.project) ? undefined : path);
  },
  render: (result, theme) =>
    result.files.length === 0 ? 'No difference.\n' : result.files.map((file) => renderFile(file, theme)).join(''),
});
