/** Folders and files that hold several conversations, such as a database: one line in the list for each kind of them. */
import { acpConnections } from './acp-connections.ts';
import type { Collected, Collection } from './collection.ts';
import { opencodeCollection } from './opencode-collections.ts';

/** Every kind, in the order in which they are asked. */
export const COLLECTIONS: readonly Collection[] = [opencodeCollection, acpConnections];

/** What a path holds, if it is a collection. @throws {CtxError} invalid_input, io */
export function collectionAt(path: string, isFolder: boolean, agent: string | undefined): Iterable<Collected> | null {
  for (const kind of COLLECTIONS) {
    if (agent !== undefined && kind.agent !== agent) continue;
    const found = kind.look(path, isFolder);
    if (found) return found;
  }
  return null;
}

/** Whose collection a file is; undefined where it is none. @throws {CtxError} invalid_input, io */
export function collectionOwner(file: string): string | undefined {
  return COLLECTIONS.find((kind) => kind.look(file, false) !== null)?.agent;
}
