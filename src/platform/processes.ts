/** Processes of other programs that work at a place, as far as this machine tells. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Whether a process with certain words in its command line runs in a folder, or names a path. Only Linux tells.
 * @param folder it, or one below it, is where the process runs
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

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
