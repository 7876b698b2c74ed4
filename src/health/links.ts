/** Links in the place of ctx's files: never followed; a repair removes them and keeps their targets' paths. */
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { strangeEntries } from '../git/guard.ts';
import type { Layout } from '../git/layout.ts';
import { keepText } from '../git/set-aside.ts';
import { isPointer } from '../history/names/layout.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { removeFile, syncFolder } from '../platform/files.ts';
import { throwResourceError } from '../platform/resource-errors.ts';

/** Files that only ctx makes, and that it can do without or restore. */
const FILE =
  /^(objects\/[0-9a-f]{2}\/[0-9a-f]{38}|oplog\/[^/]+\.json|oplog\/segments\/[^/]+\.jsonl|choices\/[^/]+\.json|pending\/[^/]+\/([^/]+\.json|objects\/[0-9a-f]{40}))$/;

/** Returns whether there is a link in the place of such a file that leads to no folder: removing it loses nothing. */
export function isLostLink({ root }: Layout, name: string): boolean {
  const isOurs = FILE.test(name) || isPointer(name) || isPointer(name.replace(/^logs\//, ''));
  return (
    isOurs &&
    (lstatSync(below(root, name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false) &&
    !isFolder(below(root, name))
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throwResourceError(error);
    // It leads nowhere, or in a circle.
    return false;
  }
}

/** Places in which a repair reads, writes and removes by name. Files at the top are checked before anything is opened. */
const TOUCHED =
  /^((objects|refs|logs|oplog|pending|choices|lost|cache|forgetting)$|objects\/(pack|[0-9a-f]{2})(\/|$)|(logs\/)?refs(\/(heads|sessions|archive)(\/|$)|$)|(oplog|pending|choices|lost|cache|forgetting)\/)/;

/**
 * Yields entries that are neither files nor folders, in places where a repair works and cannot remove them: it would leave
 * the store, or wait.
 */
export function* obstacles(layout: Layout): Generator<[name: string, what: string]> {
  for (const [name, what] of strangeEntries(layout))
    if (TOUCHED.test(name) && !isLostLink(layout, name)) yield [name, what];
}

/** Removes such links; yields a sentence for each. Only under LOCK. */
export function* repairLinks(repository: Repository): Generator<string> {
  const { layout, durability } = repository;
  for (const [name] of [...strangeEntries(layout)]) {
    if (!isLostLink(layout, name)) continue;
    const path = below(layout.root, name);
    keepText(repository, path, `${readlinkSync(path)}\n`);
    if (removeFile(path)) syncFolder(dirname(path), durability);
    yield `Removed the link ${name}: what it led to is as it was, and its path is in lost/.`;
  }
}
