/** The operation log: an operation is written whole before its first pointer moves, and completed by the next command after a kill. */

// An operation is `begun.json` until all of its pointers have moved, and then becomes `newest.json`. Files are never
// appended to or overwritten: a short write would lose the last record of a journal, and everything after a torn one. Each
// change is the rename of a complete file to a free name. An operation takes one sync for its bytes and two for the folder:
// the first also renames the operation before it to its id, so that `newest.json` is replaced only after that name is on
// disk.
import { lstatSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { errorAfterAll, errorAfterBeginning, isObstruction } from '../../git/interruption-errors.ts';
import { type Layout, RECORD_LIMIT } from '../../git/layout.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { readReflog, removeFromReflog } from '../../git/refs/reflog.ts';
import { keepCopy, setAside } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import {
  createFile,
  exists,
  publishTemporary,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
} from '../../platform/files.ts';
import { idAfter, idBefore } from '../../platform/ids.ts';
import { isWholeCommit } from '../chain/whole-commit.ts';
import {
  checkOperationId,
  decodeOperation,
  encodeOperation,
  idShownIn,
  type Operation,
  stageAfter,
} from '../operations/operation.ts';
import { ifReadable, isFiled, newestFile, newestId, singlePath } from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';

/** Returns the id of a new operation. Operations are ordered by id: if the clock has gone back, the id follows the newest. */
export function nextOperationId({ layout, ids }: Repository): string {
  const id = ids();
  const newest = newestId(layout);
  if (newest === null || newest < id) return id;
  checkOperationId(newest, `oplog/${newest}.json`);
  return idAfter(newest);
}

/** Publishes an operation: writes the plan, moves the pointers, files it as done. Only under LOCK. */
export function publish(repository: Repository, meant: Operation): void {
  const { layout, durability } = repository;
  const { begun, oplog } = layout;
  if (lstatSync(oplog, { throwIfNoEntry: false })?.isDirectory() === false)
    throw damaged('oplog', 'it must be a folder');
  // An operation that cannot be completed is not begun: after a refusal everything is as before.
  repository.refs.expect(meant.moves);
  const operation = { ...meant, ...stageOf(layout, meant) };
  const temporary = `${begun}.${operation.id}.tmp`;
  let filed: string | null = null;
  try {
    createFile(temporary, encodeOperation(operation), durability);
    // Not synced by itself: the sync of begun.json covers it.
    filed = fileNewest(layout, operation.id);
    publishTemporary(temporary, begun, durability);
    finish(repository, operation);
  } catch (error) {
    throw isObstruction(error) ? stopped(repository, operation, filed, error) : error;
  }
}

/**
 * Returns the value of STAGE after an operation: from its own moves, else from the operation before it; nothing if that is
 * torn or unknown.
 */
export function stageOf(layout: Layout, operation: Operation): Pick<Operation, 'stage'> {
  const before = ifReadable(newestFile(layout));
  const stage = stageAfter({ ...operation, stage: before && stageAfter(before) });
  return stage === undefined ? {} : { stage };
}

/**
 * Renames the newest operation to its id, which frees `newest.json` for the next one. A torn one may have no readable id.
 * @returns its new path; null if there is none
 */
function fileNewest(layout: Layout, next: string): string | null {
  const file = newestFile(layout);
  if (file === undefined) return null;
  const shown = idShownIn(file.text ?? '');
  const id = shown === undefined || exists(singlePath(layout, shown)) ? idBefore(next) : shown;
  const path = singlePath(layout, id);
  renameDurably(layout.newest, path, { fsync: false });
  return path;
}

/**
 * Makes the error for an interrupted operation. If no pointer has moved it is reverted at once, since the user will run the
 * command again. Otherwise other processes may have seen the move: the next command completes it.
 * @param filed present path of the operation before it
 */
function stopped(
  repository: Repository,
  { id, command, moves }: Operation,
  filed: string | null,
  cause: CtxError,
): CtxError {
  const { layout } = repository;
  try {
    if (!exists(layout.begun)) {
      if (isFiled(layout, id)) return errorAfterAll(command, cause);
      putBack(layout, filed);
      return cause;
    }
    const [first] = moves;
    // The reflog of a ref is removed before the ref.
    const mayHaveMoved = first === undefined || (first.new === null && first.pointer !== 'STAGE');
    if (mayHaveMoved || moves.some(({ pointer, old }) => currentValue(repository, pointer) !== old))
      return errorAfterBeginning(command, id, cause);
    removeFile(layout.begun);
    putBack(layout, filed);
    syncFolder(layout.oplog, repository.durability);
    return cause;
  } catch {
    return errorAfterBeginning(command, id, cause);
  }
}

/** Makes the operation before a reverted one the newest again. */
function putBack(layout: Layout, filed: string | null): void {
  if (filed !== null && !exists(layout.newest)) renameDurably(filed, layout.newest, { fsync: false });
}

function finish(repository: Repository, operation: Operation): void {
  for (const move of operation.moves) {
    if (currentValue(repository, move.pointer) === move.new) continue;
    repository.refs.move(move, { at: operation.at, message: operation.message });
  }
  const { layout, durability } = repository;
  if (exists(layout.newest)) {
    // A reverted operation or an older ctx has left it: it must be on disk under its own name before this name is replaced.
    fileNewest(layout, operation.id);
    syncFolder(layout.oplog, durability);
  }
  // If this fails the operation stays begun: the next command completes it.
  renameDurably(layout.begun, layout.newest, durability);
}

const currentValue = (repository: Repository, pointer: string): string | null =>
  pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(pointer);

/** Returns whether an operation has begun and not finished; its process may still be running. */
export function hasBegun(repository: Repository): boolean {
  return exists(repository.layout.begun);
}

/** A move of a begun operation, and the present value of its pointer. */
interface BegunMove {
  move: PointerMove;
  now: string | null;
}

interface Begun {
  operation: Operation;
  values: BegunMove[];
  /** Moves whose pointers have a third value. */
  stuck: BegunMove[];
  /** True if it has finished, as its other file shows: begun.json was put back. */
  isDone: boolean;
}

/** Reads the begun operation, or null. @throws {CtxError} damaged */
function readBegun(repository: Repository): Begun | null {
  const text = readIfThere(repository.layout.begun, RECORD_LIMIT)?.toString('utf8');
  if (text === undefined) return null;
  const operation = decodeOperation(text, 'oplog/begun.json');
  const values = operation.moves.map((move) => ({ move, now: currentValue(repository, move.pointer) }));
  const stuck = values.filter(({ move, now }) => now !== move.old && now !== move.new);
  return { operation, values, stuck, isDone: isFiled(repository.layout, operation.id) };
}

/** Why a begun operation cannot be completed. */
export type Obstacle =
  /** One of its pointers has moved on. */
  | { kind: 'moved' }
  /** The target of a pointer is missing or damaged, while all old values are whole. */
  | { kind: 'gone'; pointer: string; oid: string };

/** Returns why the begun operation cannot be completed; null if there is none, or it can be. @throws {CtxError} damaged */
export function obstacleOf(repository: Repository): Obstacle | null {
  const found = readBegun(repository);
  if (!found || found.isDone) return null;
  if (found.stuck.length > 0) return { kind: 'moved' };
  const [gone] = goneTargets(repository, found);
  return gone?.new ? { kind: 'gone', pointer: gone.pointer, oid: gone.new } : null;
}

/** Returns the moves whose targets are not whole. Empty if an old value is not whole either: reverting would not help. */
function goneTargets(repository: Repository, { operation: { moves } }: Begun): PointerMove[] {
  const isWhole = (oid: string | null): boolean => oid === null || isWholeCommit(repository, oid);
  const real = moves.filter(({ pointer, old, new: next }) => pointer !== 'STAGE' && old !== next);
  const gone = real.filter((move) => !isWhole(move.new));
  return gone.length > 0 && real.every((move) => isWhole(move.old)) ? gone : [];
}

/**
 * Reverts a begun operation that cannot be completed because one of its pointers has moved on; `finishBegun` then drops it.
 * Only under LOCK.
 * @returns the operation, or null if there is none or it can be completed
 */
export function takeBackBegun(repository: Repository): Operation | null {
  const found = readBegun(repository);
  if (!found || found.isDone || found.stuck.length === 0) return null;
  takeBack(repository, found);
  return found.operation;
}

function takeBack(repository: Repository, { operation, values }: Begun): void {
  for (const { move, now } of values.reverse()) {
    if (now !== move.new || move.old === move.new) continue;
    const back = { pointer: move.pointer, old: move.new, new: move.old };
    repository.refs.move(back, { at: repository.clock(), message: `${operation.message}: taken back` });
  }
}

/** Removes missing targets from the reflogs that an operation has written: Git reports each such line as damage. */
function forgetTargets(repository: Repository, gone: readonly PointerMove[]): void {
  const { layout, durability } = repository;
  for (const { pointer, new: value } of gone) {
    if (value === null || !readReflog(layout.root, pointer).some((line) => line.new === value)) continue;
    keepCopy(repository, below(layout.root, 'logs', pointer));
    removeFromReflog(layout.root, pointer, value, durability);
  }
}

/** Removes the begun operation. */
function dropBegun({ layout, durability }: Repository): void {
  removeFile(layout.begun);
  syncFolder(layout.oplog, durability);
}

/**
 * Completes the operation of a killed process. Reverts it if a target is missing from the store; drops it if none of its
 * pointers has moved and one cannot. Only under LOCK.
 * @returns a sentence; null if there was none, or nothing of it had happened
 * @throws {CtxError} damaged, if its file is torn, a pointer has a third value, or it is unknown what is whole
 */
export function finishBegun(repository: Repository): string | null {
  const found = readBegun(repository);
  if (!found) return null;
  const { operation, values, stuck, isDone } = found;
  if (isDone) {
    setAside(repository, repository.layout.begun);
    return `Set oplog/begun.json aside in lost/: "${operation.command}", which it describes, had finished.`;
  }
  if (stuck.length === 0) {
    const gone = goneTargets(repository, found);
    if (gone.length > 0) {
      takeBack(repository, found);
      forgetTargets(repository, gone);
      dropBegun(repository);
      return `Took back "${operation.command}", which had been cut off: ${gone[0]?.new}, to which it leads, is gone from the store or torn.`;
    }
    finish(repository, operation);
    return `Finished "${operation.command}", which had been cut off.`;
  }
  if (values.every(({ move, now }) => now !== move.new || move.old === move.new)) {
    // Nothing of it has happened, and another process has moved on: the operation is dropped.
    dropBegun(repository);
    return null;
  }
  throw new CtxError(
    'damaged',
    `The operation "${operation.command}" was cut off, and ${stuck[0]?.move.pointer} has moved since.`,
    {
      hint: 'Nothing was changed. Take it back with: ctx fsck --repair',
      data: { operation: operation.id, pointers: stuck.map(({ move, now }) => ({ ...move, now })) },
    },
  );
}
