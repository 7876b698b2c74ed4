/** Edits a nested tree: only the folders that change are read and written. */
import { damaged, MOST_PATHS, tooLarge } from '../../core/errors.ts';
import { decodeTree, EMPTY_TREE, encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from './objects.ts';
import { isChunked } from './payload.ts';

interface Folder {
  entries: Map<string, TreeEntry>;
  /** Opened folders by name, which take precedence over the entries. */
  open: Map<string, Folder>;
}

export interface TreeEditor {
  /** Returns the entry at a path, or null. */
  get: (path: readonly string[]) => TreeEntry | null;
  /** Sets the entry at a path; replaces a file on the way, or a folder of that name. Returns the replaced paths. */
  set: (path: readonly string[], mode: string, oid: string) => string[];
  /** Removes the entry at a path; returns the removed files. */
  remove: (path: readonly string[]) => string[];
  /** Writes the changed folders; returns the tree's id, or null if it is empty. */
  write: () => string | null;
}

export function readTree(objects: Pick<ObjectStore, 'readAs'>, oid: string): TreeEntry[] {
  return oid === EMPTY_TREE ? [] : decodeTree(objects.readAs(oid, 'tree'), oid);
}

/**
 * Yields every file below a tree as path and entry, in the tree's order; contents that are stored in chunks count as files.
 * @throws {CtxError} unsupported_store, if there are too many: a few trees that contain each other have more paths than can
 * be listed
 */
export function* walkFiles(
  objects: Pick<ObjectStore, 'readAs'>,
  oid: string,
  prefix = '',
  seen = { count: 0 },
): Generator<[path: string, entry: TreeEntry]> {
  for (const entry of readTree(objects, oid)) {
    const path = prefix + entry.name;
    seen.count += 1;
    if (seen.count > MOST_PATHS) throw tooLarge(`There are too many paths in files/${topOf(path)}`);
    // A path of so many code units has more than 1,024 bytes.
    if (path.length > 2048) throw damaged(`files/${path.slice(0, 80)}…`, 'it is longer than any path may be');
    if (isTree(entry) && !isChunked(readTree(objects, entry.oid)))
      yield* walkFiles(objects, entry.oid, `${path}/`, seen);
    else yield [path, entry];
  }
}

/** Returns the first folder of a path, for messages; empty for a file that is in none. */
const topOf = (path: string): string => path.slice(0, path.indexOf('/') + 1).slice(0, 80);

/** Opens a tree (null: an empty one) for editing. */
export function editTree(objects: Pick<ObjectStore, 'readAs' | 'write'>, root: string | null): TreeEditor {
  const load = (oid: string | null): Folder => ({
    entries: new Map((oid === null ? [] : readTree(objects, oid)).map((entry) => [entry.name, entry])),
    open: new Map(),
  });
  // Loaded on first use: most steps change no file.
  let opened: Folder | null = null;
  const top = (): Folder => {
    opened ??= load(root);
    return opened;
  };

  /** Returns the folder below another, or null if there is none and none is to be made. */
  const enter = (folder: Folder, name: string, make: boolean): Folder | null => {
    const opened = folder.open.get(name);
    if (opened) return opened;
    const entry = folder.entries.get(name);
    // The chunks of a large file are no folder.
    const isFolder = entry && isTree(entry) && !isChunked(readTree(objects, entry.oid));
    if (!isFolder && !make) return null;
    const loaded = load(isFolder ? entry.oid : null);
    folder.open.set(name, loaded);
    return loaded;
  };

  const find = (path: readonly string[]): { folder: Folder; name: string } | null => {
    let folder: Folder | null = top();
    for (const name of path.slice(0, -1)) folder = folder && enter(folder, name, false);
    return folder ? { folder, name: path.at(-1) as string } : null;
  };

  const filesBelow = (folder: Folder, name: string, path: string): string[] => {
    const opened = folder.open.get(name);
    const entry = folder.entries.get(name);
    if (opened) {
      const names = new Set([...opened.entries.keys(), ...opened.open.keys()]);
      return [...names].flatMap((child) => filesBelow(opened, child, `${path}/${child}`));
    }
    if (entry && isTree(entry)) return [...walkFiles(objects, entry.oid, `${path}/`)].map(([file]) => file);
    return entry ? [path] : [];
  };

  const set = (path: readonly string[], mode: string, oid: string): string[] => {
    const gone: string[] = [];
    let folder = top();
    path.slice(0, -1).forEach((name, depth) => {
      const entry = folder.entries.get(name);
      if (entry && !folder.open.has(name) && (!isTree(entry) || isChunked(readTree(objects, entry.oid)))) {
        gone.push(path.slice(0, depth + 1).join('/'));
        folder.entries.delete(name);
      }
      folder = enter(folder, name, true) as Folder;
    });
    const name = path.at(-1) as string;
    const entry = folder.entries.get(name);
    const isFolder = folder.open.has(name) || (entry && isTree(entry) && !isChunked(readTree(objects, entry.oid)));
    if (isFolder) gone.push(...filesBelow(folder, name, path.join('/')));
    folder.open.delete(name);
    folder.entries.set(name, { mode, name, oid });
    return gone;
  };

  const write = (folder: Folder): string | null => {
    for (const [name, child] of folder.open) {
      const oid = write(child);
      if (oid === null) folder.entries.delete(name);
      else folder.entries.set(name, { mode: '40000', name, oid });
    }
    return folder.entries.size === 0 ? null : objects.write('tree', encodeTree([...folder.entries.values()]));
  };

  return {
    get: (path) => {
      const place = find(path);
      if (!place) return null;
      return place.folder.open.has(place.name)
        ? { mode: '40000', name: place.name, oid: EMPTY_TREE }
        : (place.folder.entries.get(place.name) ?? null);
    },
    set,
    remove: (path) => {
      const place = find(path);
      if (!place) return [];
      const gone = filesBelow(place.folder, place.name, path.join('/'));
      place.folder.open.delete(place.name);
      place.folder.entries.delete(place.name);
      return gone;
    },
    write: () => (opened ? write(opened) : root === EMPTY_TREE ? null : root),
  };
}

/** Returns the entry at a path below a tree, or null; reads only the folders on the way. */
export function lookUp(objects: Pick<ObjectStore, 'readAs'>, root: string, path: readonly string[]): TreeEntry | null {
  let oid = root;
  let entry: TreeEntry | undefined;
  for (const [depth, name] of path.entries()) {
    entry = readTree(objects, oid).find((candidate) => candidate.name === name);
    if (!entry || (depth < path.length - 1 && !isTree(entry))) return null;
    oid = entry.oid;
  }
  return entry ?? null;
}
