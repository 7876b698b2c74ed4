/** The operation log: one file for each operation that moves more than one pointer; it finishes what a kill cut off. */
import { lstatSync } from 'node:fs';
import { CtxError, damaged } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import {
  exists,
  listFolder,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../platform/files.ts';
import { idAfter } from '../platform/ids.ts';
import { RECORD_LIMIT } from './layout.ts';
import { decodeOperation, encodeOperation, type Operation } from './operation.ts';
import type { PointerMove } from './pointer.ts';
import type { Repository } from './repository.ts';

/** The operations of a store, newest first. @throws {CtxError} damaged */
export function* readOperations(repository: Repository): Generator<Operation> {
  for (const { read } of operationFiles(repository)) {
    const operation = read();
    if (operation !== null) yield operation;
  }
}

/** A file of an operation that has finished. */
interface OperationFile {
  /** Its name from the store's root. */
  name: string;
  /** Null where it is gone by now. @throws {CtxError} damaged */
  read: () => Operation | null;
}

/** The files of all of them, newest first: one that is torn need not hide the others. */
export function operationFiles({ layout: { oplog } }: Repository): OperationFile[] {
  const names = listFolder(oplog).filter((name) => name.endsWith('.json') && name !== 'begun.json');
  return names.reverse().map((file) => {
    const name = `oplog/${file}`;
    const read = (): Operation | null => {
      const text = readIfThere(below(oplog, file), RECORD_LIMIT)?.toString('utf8');
      return text === undefined ? null : decodeOperation(text, name);
    };
    return { name, read };
  });
}

/** The id of a new operation. Operations are in the order of their ids: where the clock has gone back, it follows the newest. */
export function nextOperationId({ layout, ids }: Repository): string {
  const id = ids();
  const newest = listFolder(layout.oplog).findLast((name) => FILED.test(name));
  return newest !== undefined && newest > id ? idAfter(newest.slice(0, -'.json'.length)) : id;
}
const FILED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/;

/** Publishes an operation: writes down what is meant, moves the pointers, files it as done. Only under LOCK. */
export function publish(repository: Repository, operation: Operation): void {
  const { begun, oplog } = repository.layout;
  if (lstatSync(oplog, { throwIfNoEntry: false })?.isDirectory() === false)
    throw damaged('oplog', 'it must be a folder');
  // What cannot be made whole is not begun: a refusal must find everything as it was.
  repository.refs.expect(operation.moves);
  writeDurably(begun, `${begun}.${operation.id}.tmp`, encodeOperation(operation), repository.durability);
  finish(repository, operation);
}

function finish(repository: Repository, operation: Operation): void {
  for (const move of operation.moves) {
    if (currentValue(repository, move.pointer) === move.new) continue;
    repository.refs.move(move, { at: operation.at, message: operation.message });
  }
  const { begun, oplog } = repository.layout;
  // Where that fails it stays begun: the next command finishes it.
  renameDurably(begun, below(oplog, `${operation.id}.json`), repository.durability);
}

const currentValue = (repository: Repository, pointer: string): string | null =>
  pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(pointer);

/** Whether an operation has begun and not finished; its process may still be at it. */
export function hasBegun(repository: Repository): boolean {
  return exists(repository.layout.begun);
}

/** The operation that has begun, where its pointers stand now, and those of them that stand at a third value. */
function readBegun(repository: Repository): {
  operation: Operation;
  values: { move: PointerMove; now: string | null }[];
  stuck: { move: PointerMove; now: string | null }[];
} | null {
  const text = readIfThere(repository.layout.begun, RECORD_LIMIT)?.toString('utf8');
  if (text === undefined) return null;
  const operation = decodeOperation(text, 'oplog/begun.json');
  const values = operation.moves.map((move) => ({ move, now: currentValue(repository, move.pointer) }));
  return { operation, values, stuck: values.filter(({ move, now }) => now !== move.old && now !== move.new) };
}

/** Whether an operation has begun that cannot be finished any more. @throws {CtxError} damaged */
export const isStuck = (repository: Repository): boolean => (readBegun(repository)?.stuck.length ?? 0) > 0;

/**
 * Takes an operation back that cannot be finished, since a pointer of it has moved on: those that it has moved go back, and
 * `finishBegun` finds it not begun then. Only under LOCK.
 * @returns the operation, or null where there is none or it can be finished
 */
export function takeBackBegun(repository: Repository): Operation | null {
  const found = readBegun(repository);
  if (!found || found.stuck.length === 0) return null;
  const { operation, values } = found;
  for (const { move, now } of values.reverse()) {
    if (now !== move.new || move.old === move.new) continue;
    const back = { pointer: move.pointer, old: move.new, new: move.old };
    repository.refs.move(back, { at: repository.clock(), message: `${operation.message}: taken back` });
  }
  return operation;
}

/**
 * Finishes the operation that a killed process has begun, or takes it back where no pointer of it has moved and one cannot.
 * Only under LOCK.
 * @returns the operation that was finished, or null where there was none
 * @throws {CtxError} damaged, where its file is torn or a pointer stands at a third value
 */
export function finishBegun(repository: Repository): Operation | null {
  const { begun, oplog } = repository.layout;
  const found = readBegun(repository);
  if (!found) return null;
  const { operation, values, stuck } = found;
  if (stuck.length === 0) {
    finish(repository, operation);
    return operation;
  }
  if (values.every(({ move, now }) => now !== move.new || move.old === move.new)) {
    // Nothing of it has happened, and somebody else has moved on: it never began.
    removeFile(begun);
    syncFolder(oplog, repository.durability);
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
