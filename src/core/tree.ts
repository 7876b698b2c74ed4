/** Git's tree objects: entries to bytes and back, in Git's order, with Git's rules for names. */
import { CtxError, damaged, MOST_PATHS, tooLarge } from './errors.ts';

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

/** A name that may not be in a tree: it would lead out of a folder. */
const isUnsafeName = (name: string): boolean => name === '' || name === '.' || name === '..' || name.includes('/');

/** Bytes of a tree object. Order does not matter; names must be unique. @throws {CtxError} unsupported_store, if there are too many */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  // A tree that could not be read again must not be written.
  if (entries.length > MOST_PATHS) throw tooMany(`A folder with ${entries[0]?.name} in it`);
  const unsafe = entries.find((entry) => isUnsafeName(entry.name) || entry.name.includes('\0'));
  if (unsafe) throw new CtxError('bug', `a tree entry cannot be named ${JSON.stringify(unsafe.name)}`);
  const sorted = [...entries].sort(compareEntries);
  const sizeOf = ({ mode, name }: TreeEntry): number => mode.length + Buffer.byteLength(name) + 2 + OID_BYTES;
  const bytes = Buffer.alloc(sorted.reduce((sum, entry) => sum + sizeOf(entry), 0));
  let at = 0;
  for (const { mode, name, oid } of sorted) {
    at += bytes.write(`${mode} ${name}\0`, at);
    at += bytes.write(oid, at, 'hex');
  }
  return bytes;
}

const OID_BYTES = 20;
/** Fewest bytes of an entry: its mode, a blank, a name of one byte, its end, its object id. */
const LEAST = 28;

const tooMany = (what: string): CtxError => tooLarge(`${what} has too many entries`);

/** Checks if a tree has more entries than are worked with; looks at nothing but where they end. */
function hasTooMany(content: Buffer): boolean {
  if (content.length <= MOST_PATHS * LEAST) return false;
  let count = 0;
  for (let at = 0; at < content.length; count += 1) {
    const end = content.indexOf(0, at);
    if (end < 0) break;
    at = end + 1 + OID_BYTES;
  }
  return count > MOST_PATHS;
}

/**
 * Entries of a tree object.
 * @throws {CtxError} unsupported_store, if it has too many; damaged, if it is cut off, has a name twice, one that leads out of its folder, or one that is no text
 */
export function decodeTree(content: Buffer, oid: string): TreeEntry[] {
  if (hasTooMany(content)) throw tooMany(`Tree ${oid}`);
  const entries: TreeEntry[] = [];
  const names = new Set<string>();
  let at = 0;
  while (at < content.length) {
    const blank = content.indexOf(0x20, at);
    const end = blank < 0 ? -1 : content.indexOf(0, blank);
    if (end < 0 || end + 21 > content.length) throw damaged(`tree ${oid}`, 'it is cut off');
    const name = content.toString('utf8', blank + 1, end);
    if (isUnsafeName(name) || names.has(name)) throw damaged(`tree ${oid}`, `it has the entry ${JSON.stringify(name)}`);
    // A name that is no UTF-8 would come out as another name, and be written back as that.
    if (name.includes('\ufffd') && !content.subarray(blank + 1, end).equals(Buffer.from(name)))
      throw damaged(`tree ${oid}`, `the name ${JSON.stringify(name)} in it is no UTF-8`);
    const mode = content.toString('latin1', at, blank);
    if (mode !== '100644' && mode !== '40000' && !MODE.test(mode))
      throw damaged(`tree ${oid}`, `its entry ${JSON.stringify(name)} has no mode`);
    names.add(name);
    entries.push({
      // One text for all of them: most entries are files.
      mode: mode === '100644' ? '100644' : mode,
      name,
      oid: content.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}
