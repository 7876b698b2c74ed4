/** Whether any process has a file open, as far as this machine tells. */
import { readdirSync, statSync } from 'node:fs';
import { below } from './below.ts';

/** Whether any of some files is open in a process that may be looked at; so too where there is no telling. Files that are gone are none. */
export function mayBeOpen(paths: readonly string[]): boolean {
  const files = new Set(paths.map(fileOf));
  files.delete(undefined);
  if (files.size === 0) return false;
  const processes = entriesOf('/proc').filter((name) => /^\d+$/.test(name));
  // Only Linux tells by files, and that of us at the least.
  if (!processes.includes(String(process.pid))) return true;
  return processes.some((pid) => {
    const folder = `/proc/${pid}/fd`;
    return entriesOf(folder).some((handle) => files.has(fileOf(below(folder, handle))));
  });
}

/** What tells one file from another, whatever its names. */
function fileOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  } catch {
    return undefined;
  }
}

/** Another user's process cannot be looked into, and one may end meanwhile. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
