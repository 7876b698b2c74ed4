/** The operation log: one file for each operation that moves more than one pointer; it finishes what a kill cut off. */
import { join } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { isObject, type JsonValue } from '../core/json.ts';
import {
  exists,
  listFolder,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../platform/files.ts';
import { isPointer } from './layout.ts';
import { sha1 } from './loose.ts';
import { RECORD_LIMIT } from './pending.ts';
import type { PointerMove } from './pointer.ts';
import type { Repository } from './repository.ts';

/** One operation: what was meant, complete before the first pointer moves. */
export interface Operation {
  version: 1;
  id: string;
  /** Unix seconds. */
  at: number;
  /** The command, as it was called: `stage compact`. */
  command: string;
  /** What it did, in words; the message of the reflog lines. */
  message: string;
  /** In the order in which they are made. */
  moves: PointerMove[];
}

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;

function encode(operation: Operation): string {
  const rest = JSON.stringify(operation).slice(1);
  return `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
}

/** @throws {CtxError} damaged */
export function decodeOperation(text: string, where: string): Operation {
  const checksum = OPENING.exec(text)?.[1];
  const rest = text.slice(51).replace(/\n$/, '');
  if (checksum === undefined || sha1(Buffer.from(rest)) !== checksum)
    throw damaged(where, 'its checksum does not match');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw damaged(where, 'it is no JSON', { cause });
  }
  if (!isOperation(value)) throw damaged(where, 'it holds no operation');
  return value as unknown as Operation;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);

/** Whether a value that was read is an operation to its last field: what stands in it becomes names of files and of refs. */
function isOperation(value: JsonValue): boolean {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.moves)) return false;
  if (!isText(value.id) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value.id as string)) return false;
  if (!Number.isSafeInteger(value.at) || !isText(value.command) || !isText(value.message)) return false;
  return value.moves.every((move) => {
    if (!isObject(move) || !isText(move.pointer) || !isPointer(move.pointer as string)) return false;
    const isStage = move.pointer === 'STAGE';
    const fits = (target: unknown): boolean =>
      target === null ||
      (isStage ? isText(target) && isPointer(target as string) && target !== 'STAGE' : isOid(target));
    return fits(move.old) && fits(move.new);
  });
}

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
  writeDurably(begun, `${begun}.${operation.id}.tmp`, encode(operation), repository.durability);
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
