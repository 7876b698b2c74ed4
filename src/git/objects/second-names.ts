/** Second names of recently written objects, by which they are restored if a concurrent `git prune` removes them. */
import { accessSync, constants, type Dir, opendirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { below } from '../../platform/below.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  createFile,
  type Durability,
  exists,
  ioError,
  isAbsent,
  listFolder,
  makeFolder,
  publishTemporary,
  readIfThere,
  removeEmptyFolder,
  removeFile,
  rootCode,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import type { IdSource } from '../../platform/ids.ts';
import { runsIn } from '../../platform/processes.ts';
import { linkFile } from '../../platform/publish.ts';
import { isResourceError, throwResourceError } from '../../platform/resource-errors.ts';
import { checkFolder, entriesOf } from '../guard.ts';
import { type Layout, LOOSE_LIMIT } from '../layout.ts';
import { runningGc } from '../running-gc.ts';
import { decodeLoose, loosePath } from './loose.ts';

// Git walks the refs first, and removes later: an object that was written in between, and that a ref names by now, is
// removed all the same if the user has passed `--prune=now`. Such an object is restored by its second name.

/** Names of this period share a folder, in seconds: an hour. A second name stays for one to two periods. */
const SPAN = 3600;
/** Number of old names that a command with other work removes: so few that nobody notices. */
const FEW = 32;

/** The folder of new names. */
interface Current {
  /** The number of the hour that names the folder. */
  slot: number;
  /** Null if it is not writable: objects have no second names then. */
  folder: string | null;
}

export class SecondNames {
  readonly #layout: Layout;
  readonly #ids: IdSource;
  readonly #durability: Durability;
  readonly #isPacked: (oid: string) => boolean;
  readonly #now: Clock;
  #current: Current | undefined;
  /** Folders with names that may not be on disk yet. */
  readonly #fresh = new Set<string>();

  /** @param now the machine's own time, in Unix seconds @param isPacked returns whether a pack has an object now */
  constructor(layout: Layout, ids: IdSource, durability: Durability, now: Clock, isPacked: (oid: string) => boolean) {
    this.#layout = layout;
    this.#now = now;
    this.#durability = durability;
    this.#isPacked = isPacked;
    this.#ids = ids;
  }

  /** Returns the path of a new file that is to become an object: Git removes temporary files with names of its own. */
  temporary(oid: string): string {
    const folder = this.#currentFolder();
    const place = dirname(loosePath(this.#layout.objects, oid));
    return folder === null ? below(place, `tmp_obj_${this.#ids()}`) : below(folder, `${oid}-${this.#ids()}`);
  }

  /**
   * Makes an object of a complete file: it gets its second name first, then its own.
   * @throws {CtxError} io, with ENOENT as its root cause if the file, or the folder of the object, has been removed
   * meanwhile
   */
  publish(temporary: string, oid: string, durability: Durability): void {
    const path = loosePath(this.#layout.objects, oid);
    if (dirname(temporary) === dirname(path)) {
      publishTemporary(temporary, path, durability);
      return;
    }
    // The file may have been started hours ago, in a folder that is old by now.
    const folder = this.#currentFolder() ?? dirname(temporary);
    const place = below(folder, oid);
    publishTemporary(temporary, place, { fsync: false });
    this.#fresh.add(folder);
    try {
      linkFile(place, path);
    } catch (error) {
      if (isResourceError(error)) throw ioError('write', path, error);
      // Git has removed the folder just now, or the file system has no hard links.
      if (isAbsent(error)) throw error;
      const file = readIfThere(place, LOOSE_LIMIT);
      if (file) writeDurably(path, below(dirname(path), `tmp_obj_${this.#ids()}`), file, durability);
    }
  }

  /** Gives an object file its second name; returns false if the file is gone. Does nothing without hard links. */
  add(file: string, oid: string): boolean {
    const folder = this.#currentFolder();
    if (folder === null) return exists(file);
    try {
      linkFile(file, below(folder, oid));
      this.#fresh.add(folder);
      return true;
    } catch (error) {
      if (isResourceError(error)) throw ioError('write', file, error);
      return !isAbsent(error) || exists(file);
    }
  }

  /** Waits until the names are on disk. */
  sync(): void {
    for (const folder of this.#fresh) if (exists(folder)) syncFolder(folder, this.#durability);
    this.#fresh.clear();
  }

  /**
   * Reads the file of an object that a concurrent or finished prune of Git may have removed; returns undefined if there is
   * none, or no sign of such a prune.
   */
  lost(oid: string): Buffer | undefined {
    for (const folder of this.#folders()) {
      const path = below(folder, oid);
      if (exists(path) && this.#mayBePruned()) return readIfThere(path, LOOSE_LIMIT);
    }
    return undefined;
  }

  /** Returns whether a `git prune` has ended since the last look. Without a sign of one, a missing object is damage. */
  #wasPruned(): boolean {
    return !exists(this.#layout.witness) && unlessClosed(() => exists(this.#layout.secondNames), false);
  }

  /** Returns whether the store has an object, loose or in a pack, without reading it. */
  isThere(oid: string): boolean {
    return exists(loosePath(this.#layout.objects, oid)) || this.#isPacked(oid);
  }

  #mayBePruned(): boolean {
    const { root } = this.#layout;
    const isAtWork = (): boolean => this.#isGcAtWork() || runsIn(dirname(root), root, /\bprune\b/);
    // The second look is for a prune that has ended while the processes were listed.
    return this.#wasPruned() || isAtWork() || this.#wasPruned();
  }

  /**
   * Returns whether a `git gc` is running. An odd entry in the place of gc.pid is refused when it is taken, and reported by
   * fsck.
   */
  #isGcAtWork(): boolean {
    try {
      return runningGc(this.#layout) !== null;
    } catch (error) {
      throwResourceError(error);
      return false;
    }
  }

  /** Restores objects that a finished `git prune`, or a running `git gc`, has removed. */
  restoreLost(): void {
    if (this.#wasPruned() || this.#isGcAtWork()) this.restore();
  }

  /** Restores every object that has a second name and is missing in the store. */
  restore(): void {
    // First: a prune that ends meanwhile removes the witness again.
    this.makeWitness();
    for (const folder of this.#folders())
      for (const name of listFolder(folder).filter(isOid)) if (!this.isThere(name)) this.#putBack(folder, name);
  }

  /** A torn object, or one that cannot be restored here, stays missing: its readers report it. */
  #putBack(folder: string, oid: string): void {
    const place = below(folder, oid);
    try {
      const file = readIfThere(place, LOOSE_LIMIT);
      if (file === undefined) return;
      decodeLoose(file, oid);
      linkFile(place, loosePath(this.#layout.objects, oid));
    } catch (error) {
      throwResourceError(error);
    }
  }

  /** Removes the names of packed objects: no Git that packs removes those. */
  dropPacked(): void {
    this.#drop((oid) => this.#isPacked(oid));
  }

  /** Removes the names of forgotten objects, and files that are being written to become one of them. */
  dropThese(gone: ReadonlySet<string>): void {
    const isGone = (oid: string): boolean => gone.has(oid);
    this.#drop(isGone, isGone);
  }

  /**
   * @param goes decides whether the name of an object is removed
   * @param isUnwanted decides whether a file is removed that a process may still be writing to become that object
   */
  #drop(goes: (oid: string) => boolean, isUnwanted: (oid: string) => boolean = () => false): void {
    for (const folder of this.#folders()) {
      const temporaryGoes = this.#isOld(folder) ? () => true : isUnwanted;
      for (const entry of entriesOf(folder))
        if (entry.isFile() && (isOid(entry.name) ? goes : temporaryGoes)(entry.name.slice(0, 40)))
          removeFile(below(folder, entry.name));
      removeEmptyFolder(folder);
    }
    this.#current = undefined;
  }

  /** Returns whether there are old names. */
  hasOld(): boolean {
    return this.#folders().some((folder) => this.#isOld(folder));
  }

  /** Removes old names: a Git that has walked the refs before that has ended. @param most how many of them */
  dropOld(most = FEW): void {
    let left = most;
    for (const folder of this.#folders()) {
      if (left === 0) return;
      if (!this.#isOld(folder)) continue;
      for (const name of someOf(folder, left)) {
        if (isOid(name) && !this.isThere(name)) this.#putBack(folder, name);
        removeFile(below(folder, name));
        left -= 1;
      }
      removeEmptyFolder(folder);
    }
  }

  /** Returns whether the newest name in a folder is older than a whole period. */
  #isOld(folder: string): boolean {
    return Number(basename(folder)) < this.#slot() - 1;
  }

  #slot(): number {
    return Math.floor(this.#now() / SPAN);
  }

  #folders(): string[] {
    const { secondNames } = this.#layout;
    return unlessClosed(() => entriesOf(secondNames), [])
      .filter((entry) => entry.isDirectory() && /^\d{1,9}$/.test(entry.name))
      .map(({ name }) => below(secondNames, name))
      .sort();
  }

  /** Returns the folder of new names for the present time, since a process may live for days; null if it is not writable. */
  #currentFolder(): string | null {
    const slot = this.#slot();
    if (this.#current?.slot !== slot)
      this.#current = { slot, folder: unlessClosed(() => this.#makeCurrent(slot), null) };
    return this.#current.folder;
  }

  #makeCurrent(slot: number): string {
    const folder = below(this.#layout.secondNames, String(slot));
    checkFolder(this.#layout, folder);
    // A prune may have ended since the store was opened.
    if (this.#wasPruned()) this.restore();
    makeFolder(folder, this.#durability);
    accessSync(folder, constants.W_OK | constants.X_OK);
    this.makeWitness();
    return folder;
  }

  /** Creates a file that `git prune` removes after everything else, and that no other Git touches. */
  makeWitness(): void {
    const { witness } = this.#layout;
    if (exists(witness)) return;
    try {
      createFile(witness, '', { fsync: false });
    } catch (error) {
      throwResourceError(error);
      // Another command was faster, or this store is read-only.
    }
  }
}

/** Runs a function that the user's permissions may forbid; second names are optional. */
function unlessClosed<Seen>(look: () => Seen, otherwise: Seen): Seen {
  try {
    return look();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(rootCode(error))) throw error;
    return otherwise;
  }
}

const isOid = (name: string): boolean => /^[0-9a-f]{40}$/.test(name);

/** Returns the names of at most so many files of a folder, without listing a very large folder as a whole. */
function someOf(folder: string, most: number): string[] {
  const names: string[] = [];
  let open: Dir | undefined;
  try {
    open = opendirSync(folder);
    for (let entry = open.readSync(); entry && names.length < most; entry = open.readSync())
      if (entry.isFile()) names.push(entry.name);
  } finally {
    open?.closeSync();
  }
  return names;
}
