/** The object store: loose objects and packs, read with their hash checked, written durably. */

import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { type Clock, machineTime } from '../../platform/clock.ts';
import {
  createFile,
  type Durability,
  exists,
  freshen,
  ioError,
  listFolder,
  makeFolder,
  readIfThere,
  renameDurably,
  rootCode,
  syncFolder,
} from '../../platform/files.ts';
import type { IdSource } from '../../platform/ids.ts';
import { linkFile } from '../../platform/publish.ts';
import { isResourceError } from '../../platform/resource-errors.ts';
import { checkFolder } from '../guard.ts';
import { type Layout, LOOSE_LIMIT } from '../layout.ts';
import type { StoreFiles } from '../store-files.ts';
import {
  contentAs,
  decodeLoose,
  deflate,
  frame,
  type GitObject,
  loosePath,
  missing,
  type ObjectType,
  sha1,
} from './loose.ts';
import { openPack, type Pack } from './pack.ts';
import { hintForMissing } from './pack-faults.ts';
import { isIndexName } from './pack-names.ts';
import { SecondNames } from './second-names.ts';

export interface ObjectStore {
  /** Returns an object. @throws {CtxError} damaged, if it is torn, does not match its id, or is missing */
  read: (oid: string) => GitObject;
  /** Returns the content of an object of the given type. @throws {CtxError} damaged */
  readAs: (oid: string, type: ObjectType) => Buffer;
  /** Returns whether the object exists and is whole. Moves a torn one into `lost/`. */
  holds: (oid: string) => boolean;
  /** Writes an object durably, unless it exists and is whole; returns its id. */
  write: (type: ObjectType, content: Buffer) => string;
  /** Takes over an object file from elsewhere, under its own name. The file stays where it is. */
  adopt: (file: string, oid: string) => void;
  /** Makes a loose copy of a packed object. */
  loosen: (oid: string) => void;
  /** Returns object ids that begin with a prefix, at most `limit` of them. */
  withPrefix: (prefix: string, limit: number) => string[];
  /** Closes the open packs; later reads open them again. */
  close: () => void;
}

/** Returns an object store as a plain value, since its methods may be those of a class. */
export const plainStore = (objects: ObjectStore): ObjectStore => ({
  read: (oid) => objects.read(oid),
  readAs: (oid, type) => objects.readAs(oid, type),
  holds: (oid) => objects.holds(oid),
  write: (type, content) => objects.write(type, content),
  adopt: (file, oid) => objects.adopt(file, oid),
  loosen: (oid) => objects.loosen(oid),
  withPrefix: (prefix, limit) => objects.withPrefix(prefix, limit),
  close: () => objects.close(),
});

/** The part of a store that is about objects. */
export interface ObjectFiles extends StoreFiles {
  objects: ObjectStore;
  /** Protects recently written objects from a concurrent `git prune`. */
  secondNames: SecondNames;
}

const RECENT_SIZE = 16 * 1024;
const RECENT_COUNT = 64;
/** Number of attempts to write an object that Git keeps removing. */
const WRITE_TRIES = 20;
const LISTINGS = 3;
/**
 * Age in milliseconds below which the name of a folder may not be on disk if nobody has synced it: systems write back
 * everything older than half a minute.
 */
const UNSETTLED = 60_000;

/** Returns whether the name of a folder is on disk, by its age; without a birth time its last change counts. */
const isSettled = ({ birthtimeMs, ctimeMs }: Stats): boolean => Date.now() - (birthtimeMs || ctimeMs) > UNSETTLED;

export class FileObjectStore implements ObjectStore {
  readonly #layout: Layout;
  readonly #ids: IdSource;
  readonly #durability: Durability;
  readonly secondNames: SecondNames;
  #packs: Map<string, Pack> | null = null;
  /** The first small objects that were read: a command reads the trees of its head more than once. */
  readonly #recent = new Map<string, GitObject>();

  /** @param now the machine's own time, in Unix seconds */
  constructor(layout: Layout, ids: IdSource, durability: Durability, now: Clock = machineTime) {
    this.#layout = layout;
    this.#ids = ids;
    this.#durability = durability;
    this.secondNames = new SecondNames(layout, ids, durability, now, (oid) => this.#isPacked(oid));
  }

  read(oid: string): GitObject {
    const object = this.#recent.get(oid) ?? this.#find(oid);
    if (!object) throw this.#missing(oid);
    if (object.content.length <= RECENT_SIZE && this.#recent.size < RECENT_COUNT) this.#recent.set(oid, object);
    return object;
  }

  readAs(oid: string, type: ObjectType): Buffer {
    return contentAs(this.read(oid), type, oid);
  }

  holds(oid: string): boolean {
    return this.#isWhole(oid, (wanted) => this.#find(wanted));
  }

  #isWhole(oid: string, find: (oid: string) => GitObject | null): boolean {
    const path = loosePath(this.#layout.objects, oid);
    try {
      return find(oid) !== null;
    } catch (error) {
      // It is torn: the caller writes it again; the torn file is kept in `lost/`.
      if (!(error instanceof CtxError) || error.code !== 'damaged' || !exists(path)) throw error;
      renameDurably(path, below(this.#layout.lost, `${oid}.${this.#ids()}`), this.#durability);
      return false;
    }
  }

  write(type: ObjectType, content: Buffer): string {
    const framed = frame(type, content);
    const oid = sha1(framed);
    // The times of a loose object are set to now, so that no prune removes it, and it is synced, since its writer may have
    // been killed. An object that only a pack has is written again: searching hundreds of packs takes far longer.
    if (this.#isWhole(oid, (wanted) => this.#readLoose(wanted)) && this.#freshen(oid)) return oid;
    this.#writeLoose(oid, deflate(framed));
    return oid;
  }

  adopt(file: string, oid: string): void {
    // Its times are set to now and it is synced: its writer may have been killed before its name was on disk.
    if (this.holds(oid) && this.#freshen(oid)) return;
    const content = readIfThere(file, LOOSE_LIMIT);
    if (content === undefined) throw missing(oid);
    decodeLoose(content, oid);
    const path = loosePath(this.#layout.objects, oid);
    const settled = this.#makeFolder(dirname(path));
    try {
      // The file may be weeks old: under its new name it must be new, or a concurrent prune removes it.
      freshen(file, { fsync: false });
      this.secondNames.add(file, oid);
      linkFile(file, path);
      syncFolder(dirname(path), this.#durability);
      if (!settled) syncFolder(this.#layout.objects, this.#durability);
    } catch (error) {
      if (isResourceError(error)) throw ioError('write', path, error);
      // The file system has no hard links: the object is copied.
      this.#writeLoose(oid, content);
    }
  }

  /** Sets the times of a loose object to now and syncs it; returns false if there is none. */
  #freshen(oid: string): boolean {
    const path = loosePath(this.#layout.objects, oid);
    if (!this.secondNames.add(path, oid) || !freshen(path, this.#durability)) return false;
    const folder = this.#durability.fsync ? lstatSync(dirname(path), { throwIfNoEntry: false }) : undefined;
    if (folder && !isSettled(folder)) syncFolder(this.#layout.objects, this.#durability);
    return true;
  }

  /**
   * Makes a folder of objects if it is absent.
   * @returns whether its name is on disk: an ingest outside of LOCK, or Git, may just have made it
   */
  #makeFolder(folder: string): boolean {
    const found = checkFolder(this.#layout, folder);
    return found ? isSettled(found) : makeFolder(folder, this.#durability);
  }

  #writeLoose(oid: string, file: Buffer): void {
    const path = loosePath(this.#layout.objects, oid);
    const settled = this.#makeFolder(dirname(path));
    for (let left = WRITE_TRIES; ; left -= 1) {
      const temporary = this.secondNames.temporary(oid);
      createFile(temporary, file, this.#durability);
      try {
        this.secondNames.publish(temporary, oid, this.#durability);
        syncFolder(dirname(path), this.#durability);
        if (!settled) syncFolder(this.#layout.objects, this.#durability);
        return;
      } catch (error) {
        // A running `git gc` has packed it, and removed it with its folder, before its name was on disk.
        if (rootCode(error) !== 'ENOENT' || left === 0) throw error;
        if (this.#readPacked(oid, true)) return;
      }
    }
  }

  #isPacked(oid: string): boolean {
    const isIn = (packs: Map<string, Pack>): boolean =>
      [...packs.values()].some(({ index }) => index.find(oid) !== null);
    return isIn(this.#openPacks(false)) || isIn(this.#openPacks(true));
  }

  loosen(oid: string): void {
    if (this.#readLoose(oid)) return;
    const { type, content } = this.read(oid);
    this.#writeLoose(oid, deflate(frame(type, content)));
  }

  withPrefix(prefix: string, limit: number): string[] {
    const folder = prefix.slice(0, 2);
    const loose = listFolder(below(this.#layout.objects, folder)).map((name) => folder + name);
    const found = new Set(loose.filter((oid) => /^[0-9a-f]{40}$/.test(oid) && oid.startsWith(prefix)));
    for (const pack of this.#openPacks(true).values()) {
      for (const oid of pack.index.withPrefix(prefix, limit)) found.add(oid);
    }
    if (found.size === 0) this.#checkIndexes();
    return [...found].slice(0, limit);
  }

  close(): void {
    for (const pack of this.#packs?.values() ?? []) pack.close();
    this.#packs = null;
  }

  /**
   * Makes the error for a missing object.
   * @throws {CtxError} damaged, if an index is torn: objects that it does not find may exist
   */
  #missing(oid: string): CtxError {
    this.#checkIndexes();
    return missing(oid, hintForMissing(this.#layout));
  }

  #checkIndexes(): void {
    for (const pack of this.#openPacks(false).values()) pack.index.check();
  }

  #find(oid: string): GitObject | null {
    const found = this.#readLoose(oid) ?? this.#readPacked(oid, false);
    // Git may have packed the object and removed its file since the first look.
    return found ?? this.#readPacked(oid, true) ?? this.#readLoose(oid) ?? this.#putBack(oid);
  }

  /** Restores an object that a concurrent `git prune` has removed. The prune may have removed more: all of them are restored. */
  #putBack(oid: string): GitObject | null {
    const file = this.secondNames.lost(oid);
    // Another command may have restored it by now.
    if (file === undefined) return this.#readLoose(oid);
    this.secondNames.restore();
    return decodeLoose(file, oid);
  }

  #readLoose(oid: string): GitObject | null {
    const file = readIfThere(loosePath(this.#layout.objects, oid), LOOSE_LIMIT);
    return file === undefined ? null : decodeLoose(file, oid);
  }

  #readPacked(oid: string, again: boolean): GitObject | null {
    for (const pack of this.#openPacks(again).values()) {
      const object = pack.read(oid);
      if (object) return object;
    }
    return null;
  }

  /**
   * Returns the packs, opened once; `again` opens new ones and closes those that are gone.
   * @param left how often to list them again if a listed one is gone: Git has replaced it
   */
  #openPacks(again: boolean, left = LISTINGS): Map<string, Pack> {
    if (this.#packs && !again) return this.#packs;
    const known = this.#packs ?? new Map<string, Pack>();
    const names = listFolder(this.#layout.pack).filter(isIndexName);
    const packs = new Map<string, Pack>();
    try {
      for (const name of names) {
        const path = below(this.#layout.pack, name.replace(/\.idx$/, '.pack'));
        const pack = known.get(name) ?? this.#openIfThere(path);
        if (pack) packs.set(name, pack);
      }
    } catch (error) {
      for (const [name, pack] of packs) if (!known.has(name)) pack.close();
      throw error;
    }
    for (const [name, pack] of known) if (!packs.has(name)) pack.close();
    this.#packs = packs;
    return packs.size < names.length && left > 0 ? this.#openPacks(true, left - 1) : packs;
  }

  #openIfThere(path: string): Pack | null {
    try {
      return openPack(path);
    } catch (error) {
      // Git may have replaced the pack since the listing.
      if (!exists(path)) return null;
      throw error instanceof CtxError ? error : ioError('read', path, error);
    }
  }
}
