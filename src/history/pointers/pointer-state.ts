/** Reads the state of all pointers, and their moves in the operation log. */

import { CtxError, damaged } from '../../core/errors.ts';
import { type Layout, MAIN } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { readPackedRefs } from '../../git/refs/packed-refs.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { lastOfReflog } from '../../git/refs/reflog.ts';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { ARCHIVE, isPointer, SESSIONS } from '../names/layout.ts';
import { stageAfter } from '../operations/operation.ts';
import { operationFiles, readableOperations } from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';

export interface PointerState {
  /** The commit of each ref, or the error about it; absent refs are omitted. */
  refs: ReadonlyMap<string, string | CtxError>;
  /** The value of each ref in `packed-refs`; empty if it cannot be read. */
  packed: ReadonlyMap<string, string>;
  /** Folders of refs that cannot be listed. */
  unlisted: readonly [prefix: string, error: CtxError][];
  /** The ref that STAGE names, or the error about it. */
  stage: string | null | CtxError;
  /** The moves of each pointer in the readable operations, newest first. */
  logged: ReadonlyMap<string, readonly PointerMove[]>;
  /** True if there are unreadable operations: later moves may be missing. */
  hasGaps: boolean;
  /** The moves of main by undo. */
  takenBack: readonly PointerMove[];
  /** Pointers of a begun operation: each may have the old or the new value. */
  moving: ReadonlySet<string>;
}

/** The result of one look. */
type Look = Omit<PointerState, 'packed'>;

/** Number of looks at a store that others are changing. */
const LOOKS = 10;

/** Reads every pointer until two looks agree: concurrent moves are no finding. */
export function readPointerState(repository: Repository): PointerState {
  for (let look = 1, before = ''; ; look += 1) {
    const stock = takeLook(repository);
    const shown = stampOf(stock);
    if (shown === before || look === LOOKS) {
      const packed = tried(() => readPackedRefs(repository.layout.packedRefs, isPointer));
      return { ...stock, refs: judged(repository, stock), packed: packed instanceof CtxError ? new Map() : packed };
    }
    before = shown;
  }
}

function takeLook(repository: Repository): Look {
  const refs = new Map<string, string | CtxError>();
  const unlisted: [string, CtxError][] = [];
  const look = (ref: string): void => {
    const value = tried(() => repository.refs.readUnchecked(ref));
    if (value !== null) refs.set(ref, value);
  };
  look(MAIN);
  for (const prefix of [SESSIONS, ARCHIVE]) {
    const names = tried(() => repository.refs.names(prefix));
    if (names instanceof CtxError) unlisted.push([prefix, names]);
    for (const ref of names instanceof CtxError ? looseNames(repository, prefix) : names) look(ref);
  }
  const stage = tried(() => repository.refs.stage());
  return { refs, unlisted, stage, ...readLog(repository) };
}

/** Returns the refs that have a file of their own: they can be checked even if the others are unknown. */
function looseNames({ layout }: Repository, prefix: string): string[] {
  const names = tried(() => listFolder(below(layout.root, prefix)));
  return names instanceof CtxError ? [] : names.map((name) => prefix + name).filter(isPointer);
}

/** Adds errors about refs that name impossible values. */
function judged(repository: Repository, stock: Look): PointerState['refs'] {
  const judge = (ref: string, value: string | CtxError): string | CtxError =>
    isValue(value) ? (strayValue(repository, stock, ref, value) ?? value) : value;
  return new Map([...stock.refs].map(([ref, value]) => [ref, judge(ref, value)]));
}

/**
 * Returns why ctx cannot have set a ref to a value; null if it can. A missing object may be lost: then other checks report
 * the ref.
 */
function strayValue({ objects, layout }: Repository, { logged }: Look, ref: string, value: string): CtxError | null {
  const kind = kindOf(objects, value);
  if (kind === 'commit' || kind instanceof CtxError) return null;
  if (kind !== 'absent') return damaged(ref, `it names ${value}, which is a ${kind} and no commit`);
  const newest = logged.get(ref)?.[0]?.new;
  const last = lastOfReflog(layout.root, ref) ?? newest;
  if (last === undefined || last === null || [last, newest].includes(value)) return null;
  return damaged(ref, `it names ${value}, which is not in the store, and was last set to ${last}`);
}

function tried<T>(look: () => T): T | CtxError {
  try {
    return look();
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return error;
    throw error;
  }
}

/** Reads the operation log after the pointers: it may be newer than they are, never older. */
function readLog(repository: Repository): Pick<PointerState, 'logged' | 'hasGaps' | 'takenBack' | 'moving'> {
  const operations = tried(() => [...readableOperations(repository.layout)]);
  const files = tried(() => [...operationFiles(repository)].map(({ read }) => tried(read)));
  const logged = new Map<string, PointerMove[]>();
  const takenBack: PointerMove[] = [];
  const moving = new Set<string>();
  // If the folder itself is not a folder, that is reported separately.
  for (const { command, moves, begun } of operations instanceof CtxError ? [] : operations) {
    for (const move of moves) {
      const known = logged.get(move.pointer);
      if (known) known.push(move);
      else logged.set(move.pointer, [move]);
      if (begun) moving.add(move.pointer);
      if (command === 'undo' && move.pointer === MAIN) takenBack.push(move);
    }
  }
  const isTorn = files instanceof CtxError || files.some((operation) => operation instanceof CtxError);
  const readable = operations instanceof CtxError ? [] : operations;
  const last = readable.find((operation) => stageAfter(operation) !== undefined)?.id ?? '';
  const hasGaps = isTorn || setAsideSince(repository.layout, last).length > 0;
  return { logged, hasGaps, takenBack, moving };
}

/**
 * Returns the operations that a repair has moved aside and that are newer than the last one that records STAGE: each may
 * have moved it. The newest first.
 */
export function setAsideSince(layout: Layout, last: string): string[] {
  const lost = tried(() => listFolder(layout.lost));
  if (lost instanceof CtxError) return [];
  // An operation that had only begun counts from the time when it was moved aside.
  const idIn = (name: string): string =>
    name.slice(SET_ASIDE.length).replace(/^(segments-|(begun|newest)\.json\.)/, '');
  const found = lost.filter((name) => name.startsWith(SET_ASIDE) && idIn(name) > last);
  return found.sort((a, b) => (idIn(a) < idIn(b) ? 1 : -1)).map((name) => `lost/${name}`);
}
/** Prefix of an operation's name in `lost/`; its id follows. */
const SET_ASIDE = 'oplog-';

function stampOf({ refs, stage, moving, logged }: Look): string {
  const word = (value: string | null | CtxError): string => (value instanceof CtxError ? value.message : String(value));
  const newest = [...logged].map(([pointer, moves]) => [pointer, moves.length, moves[0]?.new]);
  return JSON.stringify([[...refs].map(([ref, value]) => [ref, word(value)]), word(stage), [...moving], newest]);
}

/** Returns whether a value was read: neither absent nor damaged. */
export const isValue = (value: string | null | undefined | CtxError): value is string => typeof value === 'string';
