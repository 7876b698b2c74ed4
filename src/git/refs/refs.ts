/** Pointers: refs, STAGE and HEAD, read as Git reads them and moved under Git's own lock files. */
import { CtxError, damaged } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import {
  type Durability,
  exists,
  LINES_LIMIT,
  listFolder,
  readIfThere,
  removeFile,
  writeDurably,
} from '../../platform/files.ts';
import { stampOf } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { type Layout, MAIN } from '../layout.ts';
import { lost, moved, older } from './errors.ts';
import { clearLeftoversOfMoves } from './leftovers.ts';
import { type RefLock, takeRefLock, waitForRefLock } from './lock.ts';
import { type PackedRefs, packedRefsOf } from './packed-lookup.ts';
import { withoutRef } from './packed-refs.ts';
import type { PointerMove, Story } from './pointer.ts';
import { appendReflog, checkReflog, dropReflog, hasMovedOn, lastOfReflog } from './reflog.ts';
import { hasLatelyLeft } from './reflog-end.ts';

const OID = /^[0-9a-f]{40}$/;
const STAGE_LINE = /^ref: (refs\/[0-9A-Za-z/-]+)\n$/;

export interface Refs {
  /** Returns the object id of a ref, or null. @throws {CtxError} damaged, if its file is torn */
  read: (ref: string) => string | null;
  /**
   * Returns the object id of a ref even if the reflog says that the ref has left it, as after a restored older file: for
   * checks.
   * @throws {CtxError} damaged
   */
  readUnchecked: (ref: string) => string | null;
  /** Returns the ref that STAGE names, or null if no session is active. @throws {CtxError} damaged */
  stage: () => string | null;
  /** Returns the names of the refs below a prefix that ends in a slash, sorted, whatever their files contain. */
  names: (prefix: string) => string[];
  /** Returns the names of those that have a file of their own: of ended sessions the most recent ones. */
  looseNames: (prefix: string) => string[];
  /** Returns a text that changes with the state of packed-refs; empty if there is none. */
  packedStamp: () => string;
  /** Returns the refs below a prefix that ends in a slash, with their values. */
  list: (prefix: string) => Map<string, string>;
  /**
   * Returns them as their files have them, without a look at the reflog of each: for what can be made again. One that is torn is
   * left out.
   * @throws {CtxError} damaged, if packed-refs is
   */
  heads: (prefix: string) => Map<string, string>;
  /** Returns a text that changes with the values that `heads` returns for some prefixes; it takes little time if most refs are packed. */
  stampOf: (prefixes: readonly string[]) => string;
  /**
   * Checks that every move is possible now: each pointer has the old value, and none is locked. Only under LOCK.
   * @throws {CtxError} busy, damaged
   */
  expect: (moves: readonly PointerMove[]) => void;
  /** Moves one pointer by compare-and-swap. Only under LOCK. @throws {CtxError} busy, not_found, damaged, io */
  move: (move: PointerMove, story: Story) => void;
  /** Sets a ref that cannot be read to a value. Only under LOCK. @throws {CtxError} busy, io */
  restore: (ref: string, value: string, story: Story) => void;
  /** Cleans up after a killed process of ctx that was moving a pointer. Only under LOCK. */
  clearLeftovers: () => void;
}

/**
 * Yields the moves of a ref in the operation log, newest first.
 * @param withBegun whether to include an unfinished operation (default: true)
 */
export type LoggedMoves = (ref: string, withBegun?: boolean) => Iterable<PointerMove>;

export class FileRefs implements Refs {
  readonly #movesOf: LoggedMoves;
  readonly #layout: Layout;
  readonly #durability: Durability;
  /** Longest wait for a lock file of Git's, in milliseconds. */
  readonly #wait: number;
  readonly #packed: PackedRefs;
  /** Checked values of refs: a command reads the same ref several times. */
  readonly #right = new Map<string, string>();

  constructor(layout: Layout, durability: Durability, wait: number, movesOf: LoggedMoves = () => []) {
    this.#movesOf = movesOf;
    this.#layout = layout;
    this.#durability = durability;
    this.#wait = wait;
    this.#packed = packedRefsOf(layout.packedRefs, layout.pointers.isPointer);
  }

  read(ref: string): string | null {
    const value = this.readUnchecked(ref);
    if (value === null || this.#right.get(ref) === value) return value;
    if (!this.#isOlder(ref, value)) {
      this.#right.set(ref, value);
      return value;
    }
    // It may have been moved just now.
    const now = this.readUnchecked(ref);
    if (now !== null && now === value && this.#isOlder(ref, now)) throw older(ref, now);
    return now;
  }

  readUnchecked(ref: string): string | null {
    if (!this.#layout.pointers.isPointer(ref) || ref === 'STAGE') throw new CtxError('bug', `${ref} is no ref of ctx`);
    const loose = this.#loose(ref);
    if (loose !== null) return loose;
    for (let before: string | null | undefined; ; ) {
      const packed = this.#packed.get(ref);
      const old =
        packed === null
          ? this.#hadValue(ref)
          : hasMovedOn(this.#layout.root, ref, packed) || this.hasMovedAway(ref, packed);
      // Git packs refs by writing packed-refs first and removing the loose file after: a second look closes the gap.
      const again = this.#loose(ref);
      if (again !== null || !old || this.isUnlogged(ref, packed)) return again ?? packed;
      // Twice the same: nobody is packing now.
      if (packed === before) throw lost(ref, packed);
      before = packed;
    }
  }

  /**
   * Returns whether a ref has a value that its reflog has left: an older file was put back. During a move a ref may have it
   * for a moment, since Git writes the reflog first.
   */
  #isOlder(ref: string, value: string): boolean {
    const { root } = this.#layout;
    if (!hasLatelyLeft(root, ref, value)) return false;
    return !exists(`${below(root, ref)}.lock`) && !this.isUnlogged(ref, value);
  }

  /** Returns whether a value is that of a move which is missing in the reflog: the process was killed between the two writes. */
  isUnlogged(ref: string, value: string | null): boolean {
    if (value === null) return false;
    if (readIfThere(this.#layout.refMarker, LINES_LIMIT)?.toString('latin1') === `${value}\n`) return true;
    const [newest] = this.#movesOf(ref);
    // Main moves only by operations.
    return newest?.new === value && (ref === MAIN || newest.old === lastOfReflog(this.#layout.root, ref));
  }

  /** Returns whether main has left a value according to the operation log, if it has no reflog. */
  hasMovedAway(ref: string, value: string): boolean {
    if (ref !== MAIN || lastOfReflog(this.#layout.root, ref) !== null) return false;
    const [newest, ...before] = this.#movesOf(ref, false);
    return newest?.new !== value && [newest, ...before].some((move) => move?.old === value || move?.new === value);
  }

  /** Returns whether an absent ref still has a reflog: ctx and Git delete the reflog before the ref. */
  #hadValue(ref: string): boolean {
    if (ref === MAIN || lastOfReflog(this.#layout.root, ref) === null) return false;
    const other = this.#layout.pointers.twinOf(ref);
    return !exists(below(this.#layout.root, other)) && this.#packed.get(other) === null;
  }

  stage(): string | null {
    const text = readIfThere(this.#layout.stage, LINES_LIMIT)?.toString('utf8');
    if (text === undefined) return null;
    const ref = STAGE_LINE.exec(text)?.[1];
    const { pointers } = this.#layout;
    if (ref === undefined || !ref.startsWith(pointers.folders[0] as string) || !pointers.isPointer(ref)) {
      throw damaged('STAGE', `it must say "ref: ${pointers.form}", and says ${JSON.stringify(text.slice(0, 80))}`, {
        hint: 'Repair it with: ctx fsck --repair',
      });
    }
    return ref;
  }

  names(prefix: string): string[] {
    // Packing writes packed-refs before it removes the files: in this order, none is missed.
    const found = new Set([...this.looseNames(prefix), ...this.#packed.below(prefix)]);
    // A ref that only has a reflog is lost, or was packed between the two looks.
    for (const name of listFolder(below(this.#layout.root, 'logs', prefix)))
      if (this.#layout.pointers.isPointer(prefix + name) && !found.has(prefix + name) && this.#isThere(prefix + name))
        found.add(prefix + name);
    return [...found].filter(this.#layout.pointers.isPointer).sort();
  }

  looseNames(prefix: string): string[] {
    const names = listFolder(below(this.#layout.root, prefix)).map((name) => prefix + name);
    return names.filter(this.#layout.pointers.isPointer);
  }

  packedStamp(): string {
    return stampOf(this.#layout.packedRefs);
  }

  /** Returns whether a ref exists, or is damaged. */
  #isThere(ref: string): boolean {
    try {
      return this.read(ref) !== null;
    } catch (error) {
      throwResourceError(error);
      return true;
    }
  }

  list(prefix: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const ref of this.names(prefix)) {
      const oid = this.read(ref);
      if (oid !== null) found.set(ref, oid);
    }
    return found;
  }

  heads(prefix: string): Map<string, string> {
    const loose = new Map<string, string | null>();
    // Packing writes packed-refs before it removes the files: in this order, none is missed.
    for (const ref of this.looseNames(prefix)) loose.set(ref, this.#looseOrTorn(ref));
    const found = new Map<string, string>();
    for (const [ref, oid] of this.#packed.all()) if (ref.startsWith(prefix)) found.set(ref, oid);
    for (const [ref, oid] of loose)
      if (oid === 'torn') found.delete(ref);
      else if (oid !== null) found.set(ref, oid);
    return found;
  }

  stampOf(prefixes: readonly string[]): string {
    const names = prefixes.flatMap((prefix) => this.looseNames(prefix)).sort();
    return [this.packedStamp(), ...names.map((ref) => `${ref} ${this.#looseOrTorn(ref)}`)].join('\n');
  }

  #looseOrTorn(ref: string): string | null {
    try {
      return this.#loose(ref);
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
      return 'torn';
    }
  }

  expect(moves: readonly PointerMove[]): void {
    for (const move of moves) this.#expect(move);
    const held = moves.map((move) => below(this.#layout.root, move.pointer));
    if (moves.some((move) => move.new === null && move.pointer !== 'STAGE')) held.push(this.#layout.packedRefs);
    const { root } = this.#layout;
    for (const path of held) waitForRefLock({ path: `${path}.lock`, root, wait: this.#wait });
  }

  #expect(move: PointerMove): void {
    const current = move.pointer === 'STAGE' ? this.stage() : this.read(move.pointer);
    if (current !== move.old) throw moved(move.pointer, move.old, current);
  }

  move(move: PointerMove, story: Story): void {
    this.#move(move, story, () => this.#expect(move));
  }

  restore(ref: string, value: string, story: Story): void {
    const last = lastOfReflog(this.#layout.root, ref);
    this.#move({ pointer: ref, old: last, new: value }, story, () => undefined);
  }

  #move(move: PointerMove, story: Story, check: () => void): void {
    const { pointer } = move;
    if (!this.#layout.pointers.isPointer(pointer)) throw new CtxError('bug', `${pointer} is no pointer of ctx`);
    const path = below(this.#layout.root, pointer);
    const line = pointer === 'STAGE' ? `ref: ${move.new}\n` : `${move.new}\n`;
    checkReflog(this.#layout.root, pointer);
    const lock = this.#lock(`${path}.lock`, this.#layout.refMarker, move.new === null ? '' : line);
    let done = false;
    try {
      check();
      if (move.new === null) this.#remove(pointer, path);
      else {
        lock.publish();
        if (pointer !== 'STAGE') appendReflog(this.#layout.root, move, story, this.#durability);
      }
      done = true;
    } finally {
      lock.release(done);
    }
  }

  clearLeftovers(): void {
    clearLeftoversOfMoves(this.#layout, this.#durability);
  }

  /** Deletes a ref as Git does: from `packed-refs` first, then the loose file, so that no older value appears in between. */
  #remove(pointer: string, path: string): void {
    if (pointer === 'STAGE') {
      removeFile(path);
      return;
    }
    const { root, packedRefs, packedMarker } = this.#layout;
    // Held until the loose file is gone: a Git that is packing would bring the ref back.
    const lock = this.#lock(`${packedRefs}.lock`, packedMarker, '');
    try {
      // First, as Git does: a reflog without its ref means that the ref is lost.
      dropReflog(root, pointer, this.#durability);
      if (this.#packed.get(pointer) !== null) {
        // As bytes: the names of other refs are in any encoding, and stay as they are.
        const text = readIfThere(packedRefs)?.toString('latin1') ?? '';
        const temporary = `${packedMarker}.new`;
        removeFile(temporary);
        writeDurably(packedRefs, temporary, Buffer.from(withoutRef(text, pointer), 'latin1'), this.#durability);
      }
      removeFile(path);
    } finally {
      lock.release(true);
    }
  }

  #lock(path: string, marker: string, content: string): RefLock {
    const { root } = this.#layout;
    return takeRefLock({ path, marker, content, root, wait: this.#wait, durability: this.#durability });
  }

  #loose(ref: string): string | null {
    let text: string | undefined;
    try {
      text = readIfThere(below(this.#layout.root, ref), LINES_LIMIT)?.toString('utf8');
    } catch (error) {
      throwResourceError(error);
      throw damaged(ref, 'its file cannot be read', { cause: error });
    }
    if (text === undefined) return null;
    const oid = text.endsWith('\n') ? text.slice(0, -1) : text;
    if (!OID.test(oid))
      throw damaged(ref, `its file does not hold an object id but ${JSON.stringify(text.slice(0, 80))}`);
    return oid;
  }
}
