/** Encodes and decodes one operation: the pointers that it moves, with their old and new values. */

import { damaged, notJson } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { sha1 } from '../../git/objects/loose.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { isPointer, SESSIONS } from '../names/layout.ts';

/** One operation: the plan, complete before the first pointer moves. */
export interface Operation {
  version: 1;
  id: string;
  /** Unix seconds. */
  at: number;
  /** The command as it was called, such as `stage compact`. */
  command: string;
  /** A description; the message of the reflog lines. */
  message: string;
  /** Shared by the operations of one command, which are undone together; absent if the command makes one. */
  run?: string | undefined;
  /** For an undo: the operations that it undoes, newest first; absent in one of an older ctx. */
  undone?: readonly string[] | undefined;
  /** The ref that STAGE names after all moves, null for none; absent if the operation before did not know. */
  stage?: string | null | undefined;
  /** In the order in which they are made. */
  moves: PointerMove[];
}

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;

export function encodeOperation(operation: Operation): string {
  const rest = JSON.stringify(operation).slice(1);
  return `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
}

/** Decodes an operation. @param where the file, which is named by the id of its operation @throws {CtxError} damaged */
export function decodeOperation(text: string, where: string): Operation {
  const checksum = OPENING.exec(text)?.[1];
  const rest = text.slice(51).replace(/\n$/, '');
  if (checksum === undefined || sha1(Buffer.from(rest)) !== checksum)
    throw damaged(where, 'its checksum does not match');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw notJson(where, cause);
  }
  if (!isOperation(value)) throw damaged(where, 'it holds no operation');
  const [name = ''] = FILED.exec(where) ?? [];
  if (name !== '' && name !== `${value.id}.json`) throw damaged(where, 'its name is not the id of its operation');
  checkOperationId(value.id as string, where);
  const { sha1: _sum, ...operation } = value;
  return operation as unknown as Operation;
}

/** The last time that an id can express, some nine thousand years from now. */
const END_OF_TIME = 'ffffffff-ffff-7fff';

/** Operations are ordered by id. @throws {CtxError} damaged, if no id can follow this one */
export function checkOperationId(id: string, where: string): void {
  if (id.startsWith(END_OF_TIME)) throw damaged(where, 'its id is of the end of all time, and none can come after it');
}

/** The file name of a finished operation, at the end of its path. */
const FILED = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/;

/** Returns the first id in a text, even a torn one; undefined if there is none. */
export const idShownIn = (text: string): string | undefined => SHOWN_ID.exec(text)?.[1];
const SHOWN_ID = /"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

/** Returns the ref that STAGE names after an operation, null for none; undefined if the operation does not say. */
export const stageAfter = ({ moves, stage }: Operation): string | null | undefined => {
  const move = moves.findLast(({ pointer }) => pointer === 'STAGE');
  return move === undefined ? stage : move.new;
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const isSessionRef = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith(SESSIONS) && isPointer(value);

/** Validates a decoded operation completely: its values become names of files and refs. */
function isOperation(value: JsonValue): value is JsonObject {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.moves)) return false;
  if (!isText(value.id) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value.id as string)) return false;
  if (!Number.isSafeInteger(value.at) || !isText(value.command) || !isText(value.message)) return false;
  if (value.run !== undefined && !isText(value.run)) return false;
  if (value.stage !== undefined && value.stage !== null && !isSessionRef(value.stage)) return false;
  if (value.undone !== undefined && !(Array.isArray(value.undone) && value.undone.every(isText))) return false;
  return value.moves.every(isMove);
}

/** Validates the decoded move of a pointer completely. */
export function isMove(move: JsonValue): boolean {
  if (!isObject(move) || !isText(move.pointer) || !isPointer(move.pointer as string)) return false;
  const isStage = move.pointer === 'STAGE';
  const fits = (target: unknown): boolean =>
    target === null || (isStage ? isText(target) && isPointer(target as string) && target !== 'STAGE' : isOid(target));
  return fits(move.old) && fits(move.new);
}
