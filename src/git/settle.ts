/** After a kill: what the killed process changed and may not have waited for. */

import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { type Durability, exists, listFolder, syncFolder } from '../platform/files.ts';
import { ARCHIVE, type Layout, SESSIONS } from './layout.ts';

/**
 * Waits until the disk has every name that a killed process may have changed: its successors see them and build on them, and
 * a power cut must not take them back then. The bytes of files are on the disk before they get their names.
 */
export function settleStore(layout: Layout, durability: Durability): void {
  // With the folders that hold others: those may be new.
  const refs = ['refs', 'refs/heads', SESSIONS, ARCHIVE].map((folder) => below(layout.root, folder));
  const logs = ['', 'refs', 'refs/heads', SESSIONS, ARCHIVE].map((folder) => below(layout.root, 'logs', folder));
  const waiting = namesIn(layout.pending).map((name) => below(layout.pending, name));
  const log = [layout.oplog, layout.segments];
  const single = [layout.objects, layout.pack, ...log, layout.choices, layout.lost, layout.pending];
  for (const folder of [layout.root, ...single, ...refs, ...logs, ...waiting])
    if (exists(folder)) syncFolder(folder, durability);
}

/** Names in a folder; none where it is no folder, which is told by whoever needs it. */
function namesIn(folder: string): string[] {
  try {
    return listFolder(folder);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return [];
    throw error;
  }
}
