/** Syncs, after a kill, the changes that the killed process may not have waited for. */

import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { type Durability, exists, listFolder, syncFolder } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/**
 * Waits until every name that a killed process may have changed is on disk: its successors see and use those names, and a
 * power cut must not undo them later. The bytes of files are on disk before the files get their names.
 */
export function syncStore(layout: Layout, durability: Durability): void {
  // Includes the parent folders, which may be new.
  const refs = ['refs', 'refs/heads', ...layout.pointers.folders].map((folder) => below(layout.root, folder));
  const logs = ['', 'refs', 'refs/heads', ...layout.pointers.folders].map((folder) =>
    below(layout.root, 'logs', folder),
  );
  const waiting = namesIn(layout.pending).map((name) => below(layout.pending, name));
  const log = [layout.oplog, layout.segments];
  const single = [layout.objects, layout.pack, ...log, layout.choices, layout.lost, layout.pending];
  for (const folder of [layout.root, ...single, ...refs, ...logs, ...waiting])
    if (exists(folder)) syncFolder(folder, durability);
}

/** Returns the names in a folder; empty if it is no folder, which is reported when the folder is needed. */
function namesIn(folder: string): string[] {
  try {
    return listFolder(folder);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return [];
    throw error;
  }
}
