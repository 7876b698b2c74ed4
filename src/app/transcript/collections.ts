/** Lists the kinds of folders and files that hold several conversations, such as a database. */
import { acpConnections } from './acp-connections.ts';
import type { Collected, Collection } from './collection.ts';
import { opencodeCollection } from './opencode-collections.ts';

/** Every kind, in the order in which they are tried. */
const COLLECTIONS: readonly Collection[] = [opencodeCollection, acpConnections];

/** Returns the conversations at a path if it is a collection, else null. @throws {CtxError} invalid_input, io */
export function collectionAt(path: string, isFolder: boolean, agent: string | undefined): Iterable<Collected> | null {
  for (const kind of COLLECTIONS) {
    if (agent !== undefined && kind.agent !== agent) continue;
    const found = kind.look(path, isFolder);
    if (found) return found;
  }
  return null;
}

/**
 * Returns the name of the agent whose collection a file is; undefined if it is none.
 * @throws {CtxError} invalid_input, io
 */
export function collectionOwner(file: string): string | undefined {
  return COLLECTIONS.find((kind) => kind.look(file, false) !== null)?.agent;
}
