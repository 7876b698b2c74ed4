/** Whether a store is the user's own: only then may its settings name a program. What came along with a project may not. */
import { realpathSync } from 'node:fs';
import type * as Os from 'node:os';
import { dirname, join } from 'node:path';
import { builtIn } from '../../platform/built-in.ts';
import { LINES_LIMIT, readIfThere, writeDurably } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { exitOf } from '../../platform/program.ts';
import { gitFolder } from './exclude.ts';
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

/** What a mark says of a store that the user has called trusted; of one that was only made here it says where that lies. */
const SAID = 'trusted\n';

/** Whether Git tracks the settings of an opened store: one look is enough for a command. */
const tracked = new WeakMap<Store['layout'], boolean>();

/**
 * Whether the settings of a store may run a program: the user has said so, or has made the store on this machine. What Git tracks
 * there may have come with somebody's commit since: that the user has to have said.
 * @param timeout how long Git may take to say whether it tracks them, in milliseconds
 */
export function mayRunPrograms(store: Store, timeout: number): boolean {
  const key = readKey(store);
  const mark = key === null ? undefined : readIfThere(markOf(store, key), LINES_LIMIT)?.toString('utf8');
  return mark !== undefined && (mark.endsWith(SAID) || !isTracked(store.layout, timeout));
}

/**
 * Whether the Git repository around a store tracks its settings; so it is where Git does not say. It does not where there is no
 * repository, or no Git that could have brought them.
 */
function isTracked(layout: Store['layout'], timeout: number): boolean {
  const known = tracked.get(layout);
  if (known !== undefined) return known;
  const { root, settings } = layout;
  if (gitFolder(dirname(root)) === null) return false;
  const look = ['git', '-C', dirname(root), 'ls-files', '--error-unmatch', '--', settings];
  const exit = timeout > 0 ? exitOf(look, timeout) : null;
  const is = exit !== 1 && exit !== 'absent';
  tracked.set(layout, is);
  return is;
}

/**
 * Remembers a store as the user's own; where nothing can be remembered, it is not, and that is safe.
 * @param isSaid whether the user has said so, and not only made the store
 */
export function trust(store: Store, isSaid: boolean): void {
  const mark = markOf(store, secretKey(store));
  const text = `${store.layout.root}\n${isSaid ? SAID : ''}`;
  try {
    writeDurably(mark, `${mark}.${store.ids()}.tmp`, text, { fsync: false });
  } catch {
    // A home that cannot be written to: the settings of this store run no program.
  }
}
