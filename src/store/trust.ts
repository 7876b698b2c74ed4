/** Whether a store is the user's own: only then may its settings name a program. What came along with a project may not. */
import { realpathSync } from 'node:fs';
import type * as Os from 'node:os';
import { join } from 'node:path';
import { builtIn } from '../platform/built-in.ts';
import { exists, writeDurably } from '../platform/files.ts';
import { sha256 } from '../platform/hash.ts';
import type { Repository } from './repository.ts';
import { readKey, secretKey } from './secret-key.ts';

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

/** The user's home; where the environment names it, node:os need not be loaded: a prompt would wait for it. */
const home = (): string => process.env.HOME || (builtIn('node:os') as typeof Os).homedir();

/** Where the user's own stores are remembered, outside of all of them (XDG Base Directory Specification: state). */
const stateFolder = (): string => join(process.env.XDG_STATE_HOME || join(home(), '.local', 'state'), 'ctx', 'trusted');

/**
 * A file named after the store's key and its place: a store that somebody else made does not fit it, nor does a copy of one's
 * own that came back from elsewhere.
 */
function markOf(store: Store, key: Buffer): string {
  const place = Buffer.from(`\0${realpathSync(store.layout.root)}`);
  return join(stateFolder(), sha256(Buffer.concat([key, place])).slice(0, 32));
}

/** Whether the user has made this store on this machine, or has said that it is trusted. */
export function isTrusted(store: Store): boolean {
  const key = readKey(store);
  return key !== null && exists(markOf(store, key));
}

/** Remembers a store as the user's own; where nothing can be remembered, it is not, and that is safe. */
export function trust(store: Store): void {
  const mark = markOf(store, secretKey(store));
  try {
    if (!exists(mark)) writeDurably(mark, `${mark}.${store.ids()}.tmp`, `${store.layout.root}\n`, { fsync: false });
  } catch {
    // A home that cannot be written to: the settings of this store run no program.
  }
}
