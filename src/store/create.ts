/** Making the folders and files of a new store; HEAD comes last, so that a store is there whole or not at all. */
import { join } from 'node:path';
import { exists, makeFolder, writeDurably } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/** Makes what is missing of a store's skeleton; true if there was no store before. */
export function createLayout(layout: Layout, config: string, unique: string): boolean {
  const isNew = !exists(layout.head);
  const folders = [
    join(layout.objects, 'info'),
    layout.pack,
    join(layout.root, 'refs', 'heads'),
    join(layout.root, 'refs', 'tags'),
    join(layout.root, 'refs', 'sessions'),
    join(layout.root, 'refs', 'archive'),
    layout.oplog,
    layout.pending,
  ];
  const durability = { fsync: true };
  for (const folder of folders) makeFolder(folder, durability);
  if (!exists(layout.config)) writeDurably(layout.config, `${layout.config}.${unique}.tmp`, config, durability);
  return isNew;
}

/** Writes HEAD: from now on it is a store. */
export function writeHead(layout: Layout, unique: string): void {
  if (exists(layout.head)) return;
  writeDurably(layout.head, `${layout.head}.${unique}.tmp`, 'ref: refs/heads/main\n', { fsync: true });
}
