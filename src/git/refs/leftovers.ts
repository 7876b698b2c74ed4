/** What a killed process of ours has left of the move of a pointer: its locks, and a reflog that does not tell of it yet. */
import { statSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { type Durability, exists, LINES_LIMIT, readIfThere, removeFile } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { isPointer, type Layout } from '../layout.ts';
import { settleStore } from '../settle.ts';
import { clearOwn, everyFile, rootLocks } from './lock.ts';
import { ownLocks } from './own-locks.ts';
import { readPackedRefs } from './packed-refs.ts';
import { appendReflog, lastOfReflog } from './reflog.ts';

const OID = /^[0-9a-f]{40}$/;

/** Takes it away, and tells the reflog. Only under LOCK. @throws {CtxError} io, damaged, where a reflog is */
export function clearLeftoversOfMoves(layout: Layout, durability: Durability): void {
  const { refMarker, packedMarker, root, packedRefs, config } = layout;
  const markers = [refMarker, packedMarker].filter(exists);
  if (markers.length === 0) return;
  const isOurs = ownLocks(layout);
  // A forgetting moves refs of anybody's.
  const names = [...everyFile(below(root, 'refs'))];
  tellLate(layout, durability, names);
  const others = [...rootLocks(root).map((name) => below(root, name)), `${packedRefs}.lock`, `${config}.lock`];
  for (const path of [...names.filter((name) => name.endsWith('.lock')), ...others])
    if (isOurs(path)) removeFile(path);
    else clearOwn(path);
  // What the killed process had moved, its successors believe: the disk must have it before they build on it.
  settleStore(layout, durability);
  for (const marker of markers) {
    removeFile(`${marker}.new`);
    removeFile(marker);
  }
}

/** Tells of a ref that was given the value of the marker, and whose process was killed before the reflog told of it. */
function tellLate({ root, refMarker, packedRefs }: Layout, durability: Durability, names: readonly string[]): void {
  const text = readIfThere(refMarker, LINES_LIMIT)?.toString('latin1') ?? '';
  const value = text.trimEnd();
  if (!OID.test(value)) return;
  const at = Math.floor(statSync(refMarker).mtimeMs / 1000);
  const tell = (ref: string): void => {
    const last = isPointer(ref) ? lastOfReflog(root, ref) : value;
    if (last === value) return;
    const move = { pointer: ref, old: last, new: value };
    appendReflog(root, move, { at, message: 'told after a kill' }, durability);
  };
  for (const path of names) if (saysThis(path, text)) tell(path.slice(root.length + 1));
  // Git may have packed it since. Looked at after its file, as Git removes that last.
  for (const [ref, packed] of packedIfWhole(packedRefs)) if (packed === value && !exists(below(root, ref))) tell(ref);
}

/** What is packed; nothing where that is damaged, which whoever reads it is told. */
function packedIfWhole(path: string): ReadonlyMap<string, string> {
  try {
    return readPackedRefs(path);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return new Map();
    throw error;
  }
}

/** Whether a file can be read and has just this text. */
function saysThis(path: string, text: string): boolean {
  try {
    return readIfThere(path, LINES_LIMIT)?.toString('latin1') === text;
  } catch (error) {
    throwResourceError(error);
    return false;
  }
}
