/** Processes of other programs: whether one works in a folder, and whether one has a file open. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { below } from './below.ts';

/**
 * Returns whether a process with certain words in its command line runs in a folder, or names a path. Only Linux shows that.
 * @param folder the process runs in it, or in a folder below it
 */
export function runsIn(folder: string, path: string, words: RegExp): boolean {
  return entriesOf('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (!words.test(line.replaceAll('\0', ' '))) return false;
      const at = readlinkSync(`/proc/${pid}/cwd`);
      return line.includes(path) || at === folder || at.startsWith(`${folder}/`);
    } catch {
      // It has ended, or is another user's.
      return false;
    }
  });
}

/**
 * Returns whether any of some files is open in a process that may be examined; true if that cannot be determined. Absent
 * files do not count.
 */
export function mayBeOpen(paths: readonly string[]): boolean {
  const files = new Set(paths.map(fileOf));
  files.delete(undefined);
  if (files.size === 0) return false;
  const processes = entriesOf('/proc').filter((name) => /^\d+$/.test(name));
  // Only Linux shows open files, and at least those of this process.
  if (!processes.includes(String(process.pid))) return true;
  return processes.some((pid) => {
    const folder = `/proc/${pid}/fd`;
    return entriesOf(folder).some((handle) => files.has(fileOf(below(folder, handle))));
  });
}

/** Returns the device and inode of a file. */
function fileOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  } catch {
    return undefined;
  }
}

/** Returns the names in a folder; empty if it cannot be read: it is of another user's process, or the process has ended. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
