/** The operation log: an operation is written down whole before its first pointer moves, and finished by whoever comes after a kill. */

// It is `begun.json` until all of its pointers have moved, and becomes `newest.json` then. Nothing is ever appended to a file, or
// written over: the last record of a journal is lost with a short write, and what comes behind a torn one with that. Each step is the
// rename of a complete file to a name that is free. An operation costs one wait for its bytes and two for the folder: the one before
// it gets the name of its id with the first of them, so that only a disk that has it there lets the next one take the name of the last.
import { lstatSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { type Layout, RECORD_LIMIT } from '../../git/layout.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { leaveOut, readReflog } from '../../git/refs/reflog.ts';
import { keepCopy, setAside } from '../../git/set-aside.ts';
import { afterAll, afterBeginning, isObstruction } from '../../git/stopped.ts';
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

/** The id of a new operation. Operations are in the order of their ids: where the clock has gone back, it follows the newest. */
export function nextOperationId({ layout, ids }: Repository): string {
  const id = ids();
  const newest = newestId(layout);
  if (newest === null || newest < id) return id;
  checkOperationId(newest, `oplog/${newest}.json`);
  return idAfter(newest);
}

/** Publishes an operation: writes down what is meant, moves the pointers, files it as done. Only under LOCK. */
export function publish(repository: Repository, meant: Operation): void {
  const { layout, durability } = repository;
  const { begun, oplog } = layout;
  if (lstatSync(oplog, { throwIfNoEntry: false })?.isDirectory() === false)
    throw damaged('oplog', 'it must be a folder');
  // What cannot be made whole is not begun: a refusal must find everything as it was.
  repository.refs.expect(meant.moves);
  const operation = { ...meant, ...stageOf(layout, meant) };
  const temporary = `${begun}.${operation.id}.tmp`;
  let filed: string | null = null;
  try {
    createFile(temporary, encodeOperation(operation), durability);
    // Not waited for by itself: the disk has it with the file that the operation begins with.
    filed = fileNewest(layout, operation.id);
    publishTemporary(temporary, begun, durability);
    finish(repository, operation);
  } catch (error) {
    throw isObstruction(error) ? stopped(repository, operation, filed, error) : error;
  }
}

/** What STAGE names after an operation: as it moves it, else as the one before it has told; nothing where that is torn or not known. */
export function stageOf(layout: Layout, operation: Operation): Pick<Operation, 'stage'> {
  const before = ifReadable(newestFile(layout));
  const stage = stageAfter({ ...operation, stage: before && stageAfter(before) });
  return stage === undefined ? {} : { stage };
}

/**
 * Gives the operation that was filed last the name of its id: its own is free for the next one then. A torn one may show no id.
 * @returns its path now; null where there is none
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
 * What is told of an operation that was stopped on its way. If no pointer has moved it is taken back at once, since whoever is told
 * that it failed does it again. Once one has, others may have seen it and built on it: it is finished, then, by the next command.
 * @param filed where the operation before it is by now
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
      if (isFiled(layout, id)) return afterAll(command, cause);
      putBack(layout, filed);
      return cause;
    }
    const [first] = moves;
    // The reflog of a ref goes before the ref itself does.
    const mayHaveMoved = first === undefined || (first.new === null && first.pointer !== 'STAGE');
    if (mayHaveMoved || moves.some(({ pointer, old }) => currentValue(repository, pointer) !== old))
      return afterBeginning(command, id, cause);
    removeFile(layout.begun);
    putBack(layout, filed);
    syncFolder(layout.oplog, repository.durability);
    return cause;
  } catch {
    return afterBeginning(command, id, cause);
  }
}

/** Makes the operation before one that was taken back at once the newest again. */
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
    // It was put back, or an older ctx has begun: the disk must have it under its own name before another one takes this one.
    fileNewest(layout, operation.id);
    syncFolder(layout.oplog, durability);
  }
  // Where that fails it stays begun: the next command finishes it.
  renameDurably(layout.begun, layout.newest, durability);
}

const currentValue = (repository: Repository, pointer: string): string | null =>
  pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(pointer);

/** Whether an operation has begun and not finished; its process may still be at it. */
export function hasBegun(repository: Repository): boolean {
  return exists(repository.layout.begun);
}

/** A move of an operation that has begun, and where its pointer stands now. */
interface BegunMove {
  move: PointerMove;
  now: string | null;
}

interface Begun {
  operation: Operation;
  values: BegunMove[];
  /** Those whose pointers stand at a third value. */
  stuck: BegunMove[];
  /** Whether it has finished, as its other file tells: somebody has put back the one that it began with. */
  isDone: boolean;
}

/** The operation that has begun, or null. @throws {CtxError} damaged */
function readBegun(repository: Repository): Begun | null {
  const text = readIfThere(repository.layout.begun, RECORD_LIMIT)?.toString('utf8');
  if (text === undefined) return null;
  const operation = decodeOperation(text, 'oplog/begun.json');
  const values = operation.moves.map((move) => ({ move, now: currentValue(repository, move.pointer) }));
  const stuck = values.filter(({ move, now }) => now !== move.old && now !== move.new);
  return { operation, values, stuck, isDone: isFiled(repository.layout, operation.id) };
}

/** What keeps an operation that has begun from being finished. */
export type Obstacle =
  /** A pointer of it has moved on. */
  | { kind: 'moved' }
  /** What it leads a pointer to is not whole any more, while all that it leads away from is. */
  | { kind: 'gone'; pointer: string; oid: string };

/** Why the operation that has begun cannot be finished; null where there is none, or it can be. @throws {CtxError} damaged */
export function obstacleOf(repository: Repository): Obstacle | null {
  const found = readBegun(repository);
  if (!found || found.isDone) return null;
  if (found.stuck.length > 0) return { kind: 'moved' };
  const [gone] = goneTargets(repository, found);
  return gone?.new ? { kind: 'gone', pointer: gone.pointer, oid: gone.new } : null;
}

/**
 * Moves to what is not whole any more. None where a value that one of them leaves is not whole either: to take them back would
 * mend nothing.
 */
function goneTargets(repository: Repository, { operation: { moves } }: Begun): PointerMove[] {
  const isWhole = (oid: string | null): boolean => oid === null || isWholeCommit(repository, oid);
  const real = moves.filter(({ pointer, old, new: next }) => pointer !== 'STAGE' && old !== next);
  const gone = real.filter((move) => !isWhole(move.new));
  return gone.length > 0 && real.every((move) => isWhole(move.old)) ? gone : [];
}

/**
 * Takes an operation back that cannot be finished, since a pointer of it has moved on: those that it has moved go back, and
 * `finishBegun` finds it not begun then. Only under LOCK.
 * @returns the operation, or null where there is none or it can be finished
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

/** Takes what is gone out of the reflogs that an operation has written: Git calls each such line damage. */
function forgetTargets(repository: Repository, gone: readonly PointerMove[]): void {
  const { layout, durability } = repository;
  for (const { pointer, new: value } of gone) {
    if (value === null || !readReflog(layout.root, pointer).some((line) => line.new === value)) continue;
    keepCopy(repository, below(layout.root, 'logs', pointer));
    leaveOut(layout.root, pointer, value, durability);
  }
}

/** As if it had never begun. */
function dropBegun({ layout, durability }: Repository): void {
  removeFile(layout.begun);
  syncFolder(layout.oplog, durability);
}

/**
 * Finishes the operation that a killed process has begun. It is taken back where what it leads to is gone from the store, and
 * where no pointer of it has moved and one cannot. Only under LOCK.
 * @returns what was done, in words; null where there was none, or where nothing of it had happened
 * @throws {CtxError} damaged, where its file is torn, a pointer stands at a third value, or nobody can tell what is whole
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
    // Nothing of it has happened, and somebody else has moved on: it never began.
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
