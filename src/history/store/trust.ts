/** Decides whether a store is trusted: only then may its settings name a program. A store that came with a project is not. */
import { lstatSync, realpathSync } from 'node:fs';
import type * as Os from 'node:os';
import { dirname, join } from 'node:path';
import { builtIn } from '../../platform/built-in.ts';
import { exists, LINES_LIMIT, listFolder, readIfThere, removeFile, writeDurably } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { exitOf } from '../../platform/program.ts';
import { gitFolder } from './exclude.ts';
import type { Repository } from './repository.ts';
import { readKey, secretKey } from './secret-key.ts';

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

/** Returns the user's home; if the environment names it, node:os need not be loaded, for which a prompt would wait. */
const home = (): string => process.env.HOME || (builtIn('node:os') as typeof Os).homedir();

/** Returns the folder of what ctx keeps outside of all stores (XDG Base Directory Specification: state). */
export const stateFolder = (): string => join(process.env.XDG_STATE_HOME || join(home(), '.local', 'state'), 'ctx');

/** Returns the folder of the marks of trusted stores. */
const marksFolder = (): string => join(stateFolder(), 'trusted');

/**
 * Returns the mark of a store, a file named after its key and its place: another user's store has no such mark, nor has a
 * copy of one's own from elsewhere.
 */
function markOf(store: Store, key: Buffer): string {
  const place = Buffer.from(`\0${realpathSync(store.layout.root)}`);
  return join(marksFolder(), sha256(Buffer.concat([key, place])).slice(0, 32));
}

/**
 * Last line of a mark if the user has called the store trusted; the mark of a store that was only made here just names its
 * place.
 */
const SAID = 'trusted\n';

/** Answers of Git whether it tracks a file of an opened store, by its path: one look suffices for a command. */
const tracked = new WeakMap<Store['layout'], Map<string, boolean>>();

/**
 * Returns whether the settings of a store may run a program: see `isTrusted`.
 * @param timeout for Git's answer whether it tracks them, in milliseconds
 */
export const mayRunPrograms = (store: Store, timeout: number): boolean =>
  isTrusted(store, store.layout.settings, timeout);

/**
 * Returns whether a file of a store is the user's: the user has trusted the store, or made it on this machine. One that Git tracks
 * may have come with another person's commit since: that needs the user's trust.
 * @param timeout for Git's answer whether it tracks the file, in milliseconds
 */
export function isTrusted(store: Store, file: string, timeout: number): boolean {
  const key = readKey(store);
  const mark = key === null ? undefined : readIfThere(markOf(store, key), LINES_LIMIT)?.toString('utf8');
  return mark !== undefined && (mark.endsWith(SAID) || !isTracked(store.layout, file, timeout));
}

/**
 * Returns whether the Git repository around a store tracks a file of it; true if Git does not answer. False without a
 * repository, or without a Git that could have brought them.
 */
function isTracked(layout: Store['layout'], file: string, timeout: number): boolean {
  const answers = tracked.get(layout) ?? new Map<string, boolean>();
  const known = answers.get(file);
  if (known !== undefined) return known;
  const { root } = layout;
  if (gitFolder(dirname(root)) === null) return false;
  const look = ['git', '-C', dirname(root), 'ls-files', '--error-unmatch', '--', file];
  const exit = timeout > 0 ? exitOf(look, timeout) : null;
  const is = exit !== 1 && exit !== 'absent';
  tracked.set(layout, answers.set(file, is));
  return is;
}

/** Age in milliseconds from which the mark of a store that is gone is removed: a disk may only be unplugged. */
const GONE_FOR = 30 * 86_400_000;

/** Removes the marks of stores that have been gone for long. @param now the machine's own time, in milliseconds */
export function cleanMarks(now = Date.now()): void {
  const folder = marksFolder();
  for (const name of marksIn(folder)) {
    const mark = join(folder, name);
    try {
      const [place = ''] = (readIfThere(mark, LINES_LIMIT)?.toString('utf8') ?? '').split('\n');
      const isOld = now - (lstatSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? now) > GONE_FOR;
      if (isOld && place !== '' && !exists(place)) removeFile(mark);
    } catch {
      // A file that cannot be read or removed stays: nothing depends on it.
    }
  }
}

function marksIn(folder: string): string[] {
  try {
    return listFolder(folder);
  } catch {
    return [];
  }
}

/**
 * Marks a store as trusted; if the mark cannot be written, the store stays untrusted, which is safe.
 * @param isSaid whether the user has said so, and not only made the store
 */
export function trust(store: Store, isSaid: boolean): void {
  const mark = markOf(store, secretKey(store));
  cleanMarks();
  const text = `${store.layout.root}\n${isSaid ? SAID : ''}`;
  try {
    writeDurably(mark, `${mark}.${store.ids()}.tmp`, text, { fsync: false });
  } catch {
    // The home is not writable: the settings of this store run no program.
  }
}
