/** Taking stock: where every pointer stands, and what the operation log tells of it. */

import { CtxError, damaged } from '../../core/errors.ts';
import { ARCHIVE, isPointer, type Layout, MAIN, SESSIONS } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/kind-of.ts';
import { readPackedRefs } from '../../git/refs/packed-refs.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { lastOfReflog } from '../../git/refs/reflog.ts';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { stageAfter } from '../operations/operation.ts';
import { operationFiles, readableOperations } from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';

export interface Stock {
  /** The commit that each ref names, or why there is none; a ref that is not there is not in it. */
  refs: ReadonlyMap<string, string | CtxError>;
  /** What `packed-refs` has for each ref; nothing where it cannot be read. */
  packed: ReadonlyMap<string, string>;
  /** Folders of refs that cannot be listed. */
  unlisted: readonly [prefix: string, error: CtxError][];
  /** What STAGE names, or why that cannot be told. */
  stage: string | null | CtxError;
  /** The moves of each pointer by the operations that can be read, newest first. */
  told: ReadonlyMap<string, readonly PointerMove[]>;
  /** Whether there are operations that cannot be read: what the others tell may not be the last word. */
  hasGaps: boolean;
  /** The same for main, of undos alone. */
  takenBack: readonly PointerMove[];
  /** Pointers of an operation that has begun and not finished: each may stand at either end of its move. */
  moving: ReadonlySet<string>;
}

/** What one look shows. */
type Look = Omit<Stock, 'packed'>;

/** How often a store that others work on is looked at anew. */
const LOOKS = 10;

/** Looks at every pointer until two looks show the same: what others move meanwhile is no finding. */
export function takeStock(repository: Repository): Stock {
  for (let look = 1, before = ''; ; look += 1) {
    const stock = takeLook(repository);
    const shown = stampOf(stock);
    if (shown === before || look === LOOKS) {
      const packed = tried(() => readPackedRefs(repository.layout.packedRefs));
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

/** Refs that have a file of their own: where what else there is cannot be told, they can be checked all the same. */
function looseNames({ layout }: Repository, prefix: string): string[] {
  const names = tried(() => listFolder(below(layout.root, prefix)));
  return names instanceof CtxError ? [] : names.map((name) => prefix + name).filter(isPointer);
}

/** The refs with a word about those that name what no ref of ours names. */
function judged(repository: Repository, stock: Look): Stock['refs'] {
  const judge = (ref: string, value: string | CtxError): string | CtxError =>
    isValue(value) ? (strayValue(repository, stock, ref, value) ?? value) : value;
  return new Map([...stock.refs].map(([ref, value]) => [ref, judge(ref, value)]));
}

/**
 * Why a value cannot be one that ctx has given a ref; null where it can. An object that the store does not have may be lost: then
 * whatever tells of the ref tells of it.
 */
function strayValue({ objects, layout }: Repository, { told }: Look, ref: string, value: string): CtxError | null {
  const kind = kindOf(objects, value);
  if (kind === 'commit' || kind instanceof CtxError) return null;
  if (kind !== 'absent') return damaged(ref, `it names ${value}, which is a ${kind} and no commit`);
  const newest = told.get(ref)?.[0]?.new;
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

/** The operation log is read after the pointers: what it tells may be younger than they are, never older. */
function readLog(repository: Repository): Pick<Stock, 'told' | 'hasGaps' | 'takenBack' | 'moving'> {
  const operations = tried(() => [...readableOperations(repository.layout)]);
  const files = tried(() => [...operationFiles(repository)].map(({ read }) => tried(read)));
  const told = new Map<string, PointerMove[]>();
  const takenBack: PointerMove[] = [];
  const moving = new Set<string>();
  // Where the folder itself is none, that is told by itself.
  for (const { command, moves, begun } of operations instanceof CtxError ? [] : operations) {
    for (const move of moves) {
      const known = told.get(move.pointer);
      if (known) known.push(move);
      else told.set(move.pointer, [move]);
      if (begun) moving.add(move.pointer);
      if (command === 'undo' && move.pointer === MAIN) takenBack.push(move);
    }
  }
  const isTorn = files instanceof CtxError || files.some((operation) => operation instanceof CtxError);
  const readable = operations instanceof CtxError ? [] : operations;
  const last = readable.find((operation) => stageAfter(operation) !== undefined)?.id ?? '';
  const hasGaps = isTorn || setAsideSince(repository.layout, last).length > 0;
  return { told, hasGaps, takenBack, moving };
}

/** Operations that a repair has set aside and that are younger than the last one to tell of STAGE: each may have moved that. The newest first. */
export function setAsideSince(layout: Layout, last: string): string[] {
  const lost = tried(() => listFolder(layout.lost));
  if (lost instanceof CtxError) return [];
  // One that had only begun is as young as it was when it was set aside.
  const idIn = (name: string): string =>
    name.slice(SET_ASIDE.length).replace(/^(segments-|(begun|newest)\.json\.)/, '');
  const found = lost.filter((name) => name.startsWith(SET_ASIDE) && idIn(name) > last);
  return found.sort((a, b) => (idIn(a) < idIn(b) ? 1 : -1)).map((name) => `lost/${name}`);
}
/** What the name of an operation begins with in `lost/`; its id follows. */
const SET_ASIDE = 'oplog-';

function stampOf({ refs, stage, moving, told }: Look): string {
  const word = (value: string | null | CtxError): string => (value instanceof CtxError ? value.message : String(value));
  const newest = [...told].map(([pointer, moves]) => [pointer, moves.length, moves[0]?.new]);
  return JSON.stringify([[...refs].map(([ref, value]) => [ref, word(value)]), word(stage), [...moving], newest]);
}

/** Whether a value was read: neither absent nor damaged. */
export const isValue = (value: string | null | undefined | CtxError): value is string => typeof value === 'string';
