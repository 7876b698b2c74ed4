/** Second names of the objects written lately. A `git prune` beside us removes what it did not reach, and none of these. */

import { accessSync, constants } from 'node:fs';
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
import { gitAtWork } from '../git-at-work.ts';
import { checkFolder, entriesOf } from '../guard.ts';
import type { Layout } from '../layout.ts';
import { LOOSE_LIMIT } from '../layout.ts';
import { decodeLoose, loosePath } from './loose.ts';
import { someOf } from './some-names.ts';

// Git walks what the refs name, and only then removes: an object that was written in between, and that a ref names by now, is
// removed all the same where the user has said `--prune=now`. Here such an object has a second name, by which it is put back.

/** What is written within so long is in one folder, in seconds: an hour. A second name stays for one to two of them. */
const SPAN = 3600;
/** How many old names a command removes that has other work to do: as many as nobody notices. */
const FEW = 32;

/** The folder of new names. */
interface Current {
  /** The number of the hour that the folder is named by. */
  slot: number;
  /** Null if it may not be written to: objects have no second names then. */
  folder: string | null;
}

export class SecondNames {
  readonly #layout: Layout;
  readonly #ids: IdSource;
  readonly #durability: Durability;
  readonly #isPacked: (oid: string) => boolean;
  readonly #now: Clock;
  #current: Current | undefined;
  /** Folders with names that the disk may not have yet. */
  readonly #fresh = new Set<string>();

  /**
   * @param now the machine's own time, in Unix seconds
   * @param isPacked whether a pack has an object now
   */
  constructor(layout: Layout, ids: IdSource, durability: Durability, now: Clock, isPacked: (oid: string) => boolean) {
    this.#layout = layout;
    this.#now = now;
    this.#durability = durability;
    this.#isPacked = isPacked;
    this.#ids = ids;
  }

  /** Path of a new file that is to become an object: Git removes those that have a name of its own. */
  temporary(oid: string): string {
    const folder = this.#currentFolder();
    const place = dirname(loosePath(this.#layout.objects, oid));
    return folder === null ? below(place, `tmp_obj_${this.#ids()}`) : below(folder, `${oid}-${this.#ids()}`);
  }

  /**
   * Makes an object of a complete file: it gets its second name first, then its own.
   * @throws {CtxError} io, with ENOENT as its root if the file, or the folder of the object, has been removed meanwhile
   */
  publish(temporary: string, oid: string, durability: Durability): void {
    const path = loosePath(this.#layout.objects, oid);
    if (dirname(temporary) === dirname(path)) {
      publishTemporary(temporary, path, durability);
      return;
    }
    // The file may have been begun hours ago, in a folder that is old by now.
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

  /** Gives a file its second name as an object; false if it is gone. Without hard links there is none. */
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

  /** Waits until the disk has the names. */
  settle(): void {
    for (const folder of this.#fresh) if (exists(folder)) syncFolder(folder, this.#durability);
    this.#fresh.clear();
  }

  /** The file of an object that Git may have removed beside us, or just now; undefined if there is none, or nothing tells of a Git that does. */
  lost(oid: string): Buffer | undefined {
    for (const folder of this.#folders()) {
      const path = below(folder, oid);
      if (exists(path) && this.#mayBePruned()) return readIfThere(path, LOOSE_LIMIT);
    }
    return undefined;
  }

  /** Whether a `git prune` has ended since the last look. Without a word of one, what is missing is damage. */
  #wasPruned(): boolean {
    return !exists(this.#layout.witness) && unlessClosed(() => exists(this.#layout.secondNames), false);
  }

  /** Whether the store has an object, loose or in a pack; it is not read. */
  isThere(oid: string): boolean {
    return exists(loosePath(this.#layout.objects, oid)) || this.#isPacked(oid);
  }

  #mayBePruned(): boolean {
    const { root } = this.#layout;
    const isAtWork = (): boolean => this.#isGcAtWork() || runsIn(dirname(root), root, /\bprune\b/);
    // The last look is for one that has ended while the processes were looked through.
    return this.#wasPruned() || isAtWork() || this.#wasPruned();
  }

  /** Whether a `git gc` is at work. What is in the place of its gc.pid and is none is refused by those that take it, and named by fsck. */
  #isGcAtWork(): boolean {
    try {
      return gitAtWork(this.#layout) !== null;
    } catch (error) {
      throwResourceError(error);
      return false;
    }
  }

  /** Puts back what a `git prune` that has ended has removed, or a `git gc` that is at work. */
  restoreLost(): void {
    if (this.#wasPruned() || this.#isGcAtWork()) this.restore();
  }

  /** Puts back every object that has a second name, and is in the store no more. */
  restore(): void {
    // First: what ends while this is at work takes it away once more.
    this.#bearWitness();
    for (const folder of this.#folders())
      for (const name of listFolder(folder).filter(isOid)) if (!this.isThere(name)) this.#putBack(folder, name);
  }

  /** What is torn, or cannot be put back here, stays away: whoever needs it says so. */
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

  /** Removes the names of objects that a pack holds: no Git that packs removes those. */
  dropPacked(): void {
    this.#drop((oid) => this.#isPacked(oid));
  }

  /** Removes the names of objects that are forgotten, and what is being written to become one of them. */
  dropThese(gone: ReadonlySet<string>): void {
    const isGone = (oid: string): boolean => gone.has(oid);
    this.#drop(isGone, isGone);
  }

  /**
   * @param goes whether the name of an object is removed
   * @param isUnwanted whether a file is removed too that a process may still be writing, to make an object of it
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

  /** Whether there are names that are old. */
  hasOld(): boolean {
    return this.#folders().some((folder) => this.#isOld(folder));
  }

  /**
   * Removes names that are old: a Git that has walked the refs that long ago has ended.
   * @param most how many of them
   */
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

  /** Whether the youngest name in a folder is older than a whole span. */
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

  /** The folder of new names by the time that it is now, for a process may live for days; null if it may not be written to. */
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
    this.#bearWitness();
    return folder;
  }

  /** A file that `git prune` removes when it has removed all else, and that no other Git minds. */
  #bearWitness(): void {
    const { witness } = this.#layout;
    if (exists(witness)) return;
    try {
      createFile(witness, '', { fsync: false });
    } catch (error) {
      throwResourceError(error);
      // Another command was faster, or this store can only be read.
    }
  }
}

/** Runs a look at what the user may have closed; whatever has second names can do without them. */
function unlessClosed<Seen>(look: () => Seen, otherwise: Seen): Seen {
  try {
    return look();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(rootCode(error))) throw error;
    return otherwise;
  }
}

const isOid = (name: string): boolean => /^[0-9a-f]{40}$/.test(name);
