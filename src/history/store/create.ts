/** Making the folders and files of a new store; HEAD comes last, so that a store is there whole or not at all. */
import { dirname } from 'node:path';
import type { Layout } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { exists, makeFolder, syncFolder, writeDurably } from '../../platform/files.ts';
import { unpinFolder } from '../../platform/pinned-folders.ts';

/** What HEAD says: the one branch that a store has. */
export const HEAD = 'ref: refs/heads/main\n';

/** Folders that every store has, by their names from its root. */
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

/** Makes what is missing of a store's skeleton; true if there was no store before. */
export function createLayout(layout: Layout, config: string, unique: string): boolean {
  const isNew = !exists(layout.head);
  const durability = { fsync: true };
  unpinFolder(layout.root);
  for (const name of SKELETON) makeFolder(below(layout.root, name), durability);
  // Somebody may have made some of them who was killed, or is at it still, and has not waited for the disk.
  const holding = [dirname(layout.root), layout.root, layout.objects, below(layout.root, 'refs')];
  if (isNew) for (const folder of holding) syncFolder(folder, durability);
  if (!exists(layout.config)) writeDurably(layout.config, `${layout.config}.${unique}.tmp`, config, durability);
  return isNew;
}

/** Writes HEAD: from now on it is a store. */
export function writeHead(layout: Layout, unique: string): void {
  if (exists(layout.head)) return;
  writeDurably(layout.head, `${layout.head}.${unique}.tmp`, HEAD, { fsync: true });
}

/** What never leaves the machine, also where the Git repository around the store tracks it: the key above all. */
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

/** Tells Git to leave alone what is this machine's alone. */
export function hideFromGit(layout: Layout, unique: string): void {
  const path = below(layout.root, '.gitignore');
  if (!exists(path)) writeDurably(path, `${path}.${unique}.tmp`, `${OWN.join('\n')}\n`, { fsync: true });
}
