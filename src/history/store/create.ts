/** Creates the folders and files of a new store; HEAD comes last, so that a store exists completely or not at all. */
import { dirname } from 'node:path';
import type { Layout } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { exists, makeFolder, syncFolder, writeDurably } from '../../platform/files.ts';
import { unpinFolder } from '../../platform/pinned-folders.ts';

/** Content of HEAD: the only branch of a store. */
export const HEAD = 'ref: refs/heads/main\n';

/** Folders of every store, by their names from its root. */
export const SKELETON = [
  'objects/info',
  'objects/pack',
  'refs/heads',
  'refs/tags',
  'refs/sessions',
  'refs/archive',
  'oplog',
  'pending',
];

/** Creates the missing parts of a store's skeleton; returns true if there was no store before. */
export function createLayout(layout: Layout, config: string, unique: string): boolean {
  const isNew = !exists(layout.head);
  const durability = { fsync: true };
  unpinFolder(layout.root);
  for (const name of SKELETON) makeFolder(below(layout.root, name), durability);
  // Another process may have made some of them and was killed, or is still running, before they were on disk.
  const holding = [dirname(layout.root), layout.root, layout.objects, below(layout.root, 'refs')];
  if (isNew) for (const folder of holding) syncFolder(folder, durability);
  if (!exists(layout.config)) writeDurably(layout.config, `${layout.config}.${unique}.tmp`, config, durability);
  return isNew;
}

/** Writes HEAD, which makes it a store. */
export function writeHead(layout: Layout, unique: string): void {
  if (exists(layout.head)) return;
  writeDurably(layout.head, `${layout.head}.${unique}.tmp`, HEAD, { fsync: true });
}

/** Files that never leave the machine, even if the Git repository around the store tracks it: above all the key. */
const OWN = [
  'key',
  'key.*',
  'forgotten.json',
  'forgetting/',
  'LOCK*',
  'cache/',
  'lost/',
  'hook-errors.jsonl',
  '*.lock',
  '*.tmp',
];

/** Writes a .gitignore for the files that never leave the machine. */
export function hideFromGit(layout: Layout, unique: string): void {
  const path = below(layout.root, '.gitignore');
  if (!exists(path)) writeDurably(path, `${path}.${unique}.tmp`, `${OWN.join('\n')}\n`, { fsync: true });
}
