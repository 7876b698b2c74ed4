/** The moments at which files were kept, of all sessions, in one file beside the snapshots. */
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Mark } from '../../core/world/changes.ts';
import { readIfThere, syncFile, writeAll } from '../../platform/files.ts';
import type { Snapshots } from './private-git.ts';

const fileOf = ({ folder }: Snapshots): string => join(folder, 'marks');
const POINTS = ['message', 'turn_end', 'rewind'] as const satisfies readonly Mark['point'][];
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

/** Appends a mark: one line, written at once. */
export function appendMark(snapshots: Snapshots, { id, at, session, point, tree }: Mark): void {
  const file = fileOf(snapshots);
  const handle = openSync(file, APPEND, 0o600);
  try {
    writeAll(handle, Buffer.from(`${[id, at, session, point, tree].join(' ')}\n`));
  } finally {
    closeSync(handle);
  }
  if (snapshots.repository.durability.fsync) syncFile(file);
}

/** Reads the marks. A line that a power cut has torn is passed over. */
export function readMarks(snapshots: Snapshots): Mark[] {
  const text = readIfThere(fileOf(snapshots))?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => {
    const [id = '', at = '', session = '', named = '', tree = ''] = line.split(' ');
    const point = POINTS.find((one) => one === named);
    return point && /^[0-9a-f]{40}$/.test(tree) ? [{ id, at: Number(at), session, point, tree }] : [];
  });
}
