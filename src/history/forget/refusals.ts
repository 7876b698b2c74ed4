/** Refuses a forgetting before it begins if something depends on the old history and could not be rewritten. */
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { quoted } from '../../core/text.ts';
import { byteFiles, forShell } from '../../git/byte-names.ts';
import type { Layout } from '../../git/layout.ts';
import { packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { below } from '../../platform/below.ts';
import { exists, LINES_LIMIT, listFolder, readIfThere } from '../../platform/files.ts';
import { isOld, isTakenApart } from './objects.ts';

/** Checks the store. @throws {CtxError} unsupported_store, naming the obstacle and its remedy */
export function checkForgettable(layout: Layout): void {
  checkNames(layout);
  checkWorktrees(layout);
  checkPacks(layout);
}

/** Refuses refs and reflogs whose names are no UTF-8: they cannot be opened by name, nor written to a plan. */
function checkNames(layout: Layout): void {
  for (const folder of ['refs', 'logs'])
    for (const { name } of byteFiles(layout, folder)) {
      if (name.endsWith('.lock')) continue;
      throw refuse(`the name of ${name} is no UTF-8, and it could not be brought along.`, hintForName(layout, name));
    }
}

function hintForName({ root }: Layout, name: string): string {
  const ref = name.replace(/^logs\//, '');
  const branch = ref.replace(/^refs\/heads\//, '');
  const git = `git --git-dir=${quoted(root)}`;
  const rename =
    branch === ref
      ? `${git} update-ref ${dirname(ref)}/<new-name> ${forShell(ref)} && ${git} update-ref -d ${forShell(ref)}`
      : `${git} branch -m ${forShell(branch)} <new-name>`;
  return `Give it another name: ${rename}. If Git knows of no such ref, move the file out of the store.`;
}

/** Refuses worktrees of the user: each has a HEAD, an index and files that are based on the present history. */
function checkWorktrees({ root }: Layout): void {
  const folder = below(root, 'worktrees');
  const [name] = isFolder(folder) ? listFolder(folder) : [];
  if (name === undefined) return;
  const gitFile = below(folder, name, 'gitdir');
  const path = isFolder(below(folder, name))
    ? readIfThere(gitFile, LINES_LIMIT)?.toString('utf8').trimEnd()
    : undefined;
  const which = path === undefined ? `worktrees/${name}` : `the worktree ${dirname(path)}`;
  const remove = path === undefined || !exists(path) ? 'prune' : `remove ${quoted(dirname(path))}`;
  throw refuse(
    `${which} is based on the history of this store, which would be rewritten.`,
    `Commit what is in it to a branch, then take it away: ctx git worktree ${remove}`,
  );
}

/** Refuses packs without an index, unless Git is about to name it: their objects are unknown, and may be needed. */
function checkPacks(layout: Layout): void {
  const path = packsWithoutIndex(layout).find((pack) => isOld(pack) && !isTakenApart(pack));
  if (path === undefined) return;
  const name = basename(path);
  throw refuse(
    `objects/pack/${name} has no index, and may hold it.`,
    'Make one with: ctx fsck --repair; if that cannot, move the pack out of the store. Then run the command again.',
  );
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const refuse = (why: string, hint: string): CtxError =>
  new CtxError('unsupported_store', `Nothing was forgotten: ${why}`, { hint });
