/** Git's tree objects: entries to bytes and back, in Git's order, with Git's rules for names. */
import { CtxError, damaged } from './errors.ts';

export type EntryMode = '100644' | '40000';

export interface TreeEntry {
  mode: string;
  name: string;
  oid: string;
}

/** Object id of the tree without entries. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const isTree = (entry: TreeEntry): boolean => entry.mode === '40000';

/** Git compares names by bytes, a folder's as if it ended in a slash. */
function compareEntries(a: TreeEntry, b: TreeEntry): number {
  return Buffer.compare(Buffer.from(isTree(a) ? `${a.name}/` : a.name), Buffer.from(isTree(b) ? `${b.name}/` : b.name));
}

const MODE = /^[1-7][0-7]{4,5}$/;

/** A name that may not stand in a tree: it would lead out of a folder. */
const isUnsafeName = (name: string): boolean => name === '' || name === '.' || name === '..' || name.includes('/');

/** Bytes of a tree object. Order does not matter; names must be unique. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const unsafe = entries.find((entry) => isUnsafeName(entry.name) || entry.name.includes('\0'));
  if (unsafe) throw new CtxError('bug', `a tree entry cannot be named ${JSON.stringify(unsafe.name)}`);
  const sorted = [...entries].sort(compareEntries);
  return Buffer.concat(
    sorted.flatMap((entry) => [Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(entry.oid, 'hex')]),
  );
}

/**
 * Entries of a tree object.
 * @throws {CtxError} damaged, where it is cut off, has a name twice, one that leads out of its folder, or one that is no text
 */
export function decodeTree(content: Buffer, oid: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const names = new Set<string>();
  let at = 0;
  while (at < content.length) {
    const blank = content.indexOf(0x20, at);
    const end = blank < 0 ? -1 : content.indexOf(0, blank);
    if (end < 0 || end + 21 > content.length) throw damaged(`tree ${oid}`, 'it is cut off');
    const name = content.toString('utf8', blank + 1, end);
    if (isUnsafeName(name) || names.has(name)) throw damaged(`tree ${oid}`, `it has the entry ${JSON.stringify(name)}`);
    // What is no UTF-8 would come out as another name, and be written back as that.
    if (name.includes('\ufffd') && !content.subarray(blank + 1, end).equals(Buffer.from(name)))
      throw damaged(`tree ${oid}`, `the name ${JSON.stringify(name)} in it is no UTF-8`);
    const mode = content.toString('latin1', at, blank);
    if (!MODE.test(mode)) throw damaged(`tree ${oid}`, `its entry ${JSON.stringify(name)} has no mode`);
    names.add(name);
    entries.push({
      mode,
      name,
      oid: content.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}
