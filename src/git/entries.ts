/** Lists every file and folder of a store, whichever program wrote it. */
import { below } from '../platform/below.ts';
import { exists } from '../platform/files.ts';
import { entriesOf } from './guard.ts';
import type { Layout } from './layout.ts';

/** Yields every file below a folder of the store, by its name from the store's root. */
export function* filesBelow(layout: Layout, folder = ''): Generator<string> {
  for (const entry of entriesOf(below(layout.root, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(layout, name);
    else yield name;
  }
}

/** A file or a folder of the store, by its name from the store's root. */
export interface Entry {
  name: string;
  isFolder: boolean;
  /** True if it is a regular file: a link, a pipe or a device is neither. */
  isFile: boolean;
  /** True if it is a folder without any file below it. */
  isEmpty: boolean;
}

/** Yields everything below a folder of the store, each folder before its content. */
export function* everyEntry(layout: Layout, folder = ''): Generator<Entry> {
  for (const entry of entriesOf(below(layout.root, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    // An entry that cannot be looked up by its name is reported as an unreadable file.
    const isFolder = entry.isDirectory() && exists(below(layout.root, name));
    const isFile = entry.isFile();
    yield { name, isFolder, isFile, isEmpty: isFolder && filesBelow(layout, name).next().done === true };
    if (isFolder) yield* everyEntry(layout, name);
  }
}
