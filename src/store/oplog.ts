/** The operation log: one file for each operation that moves more than one pointer; it finishes what a kill cut off. */
import { join } from 'node:path';
import { CtxError } from '../core/errors.ts';
import {
  exists,
  listFolder,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../platform/files.ts';
import { RECORD_LIMIT } from './layout.ts';
import { decodeOperation, encodeOperation, type Operation } from './operation.ts';
import type { Repository } from './repository.ts';

/** The operations of a store, newest first. @throws {CtxError} damaged */
export function* readOperations(repository: Repository): Generator<Operation> {
  const { oplog } = repository.layout;
  const names = listFolder(oplog).filter((name) => name.endsWith('.json') && name !== 'begun.json');
  for (const name of names.reverse()) {
    const text = readIfThere(join(oplog, name), RECORD_LIMIT)?.toString('utf8');
    if (text !== undefined) yield decodeOperation(text, `oplog/${name}`);
  }
}

/** Publishes an operation: writes down what is meant, moves the pointers, files it as done. Only under LOCK. */
export function publish(repository: Repository, operation: Operation): void {
  const { begun } = repository.layout;
  writeDurably(begun, `${begun}.${operation.id}.tmp`, encodeOperation(operation), repository.durability);
  finish(repository, operation);
}

function finish(repository: Repository, operation: Operation): void {
  for (const move of operation.moves) {
    if (currentValue(repository, move.pointer) === move.new) continue;
    repository.refs.move(move, { at: operation.at, message: operation.message });
  }
  const { begun, oplog } = repository.layout;
  renameDurably(begun, join(oplog, `${operation.id}.json`), repository.durability);
}

const currentValue = (repository: Repository, pointer: string): string | null =>
  pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(pointer);

/** Whether an operation has begun and not finished; its process may still be at it. */
export function hasBegun(repository: Repository): boolean {
  return exists(repository.layout.begun);
}

/**
 * Finishes the operation that a killed process has begun, or takes it back where no pointer of it has moved and one cannot.
 * Only under LOCK.
 * @returns the operation that was finished, or null where there was none
 * @throws {CtxError} damaged, where its file is torn or a pointer stands at a third value
 */
export function finishBegun(repository: Repository): Operation | null {
  const { begun, oplog } = repository.layout;
  const text = readIfThere(begun, RECORD_LIMIT)?.toString('utf8');
  if (text === undefined) return null;
  const operation = decodeOperation(text, 'oplog/begun.json');
  const values = operation.moves.map((move) => ({ move, now: currentValue(repository, move.pointer) }));
  const stuck = values.filter(({ move, now }) => now !== move.old && now !== move.new);
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
      hint: 'Nothing was changed. Look at oplog/begun.json and git --git-dir=.ctx reflog; move the file away to go on.',
      data: { operation: operation.id, pointers: stuck.map(({ move, now }) => ({ ...move, now })) },
    },
  );
}
