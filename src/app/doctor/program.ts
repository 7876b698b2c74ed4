/** Examines whether `ctx` on the command line is this program: another one of that name exists. */
import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { quoted } from '../../core/text.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { isFile } from '../setup/hook-places.ts';
import type { HookOptions } from '../setup/hooks.ts';
import { type DoctorFinding, note } from './finding.ts';

/** A script that starts ctx names it among so many bytes. */
const SCRIPT = 64 * 1024;

/** Checks if a file is this program, another installation of it, or a script that starts one. */
function isOwn(path: string): boolean {
  try {
    if (basename(realpathSync(path)) === 'ctx.cjs') return true;
    return readLinkedIfThere(path)?.subarray(0, SCRIPT).includes('ctx.cjs') === true;
  } catch {
    // A file that cannot be read is no script of ours.
    return false;
  }
}

/** Yields a note if the first `ctx` on PATH is another program. Hooks call ctx by its path. */
export function* lookAtProgram({ environment, program }: HookOptions): Generator<DoctorFinding> {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const first = folders.map((folder) => join(folder, 'ctx')).find(isFile);
  if (first === undefined || isOwn(first)) return;
  const hint = `Call this one by its path, ${quoted(program)}, or put its folder first on PATH. Hooks do not depend on it.`;
  yield note('program', `${first} is another program called ctx, and comes first on PATH.`, hint);
}
