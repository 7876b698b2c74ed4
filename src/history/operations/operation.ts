/** One operation as its file says it: which pointers it moves, from what to what. */

import { damaged, notJson } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { isPointer, SESSIONS } from '../../git/layout.ts';
import { sha1 } from '../../git/objects/loose.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';

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
  /** What several operations of one command share, which are taken back together; absent where a command makes one. */
  run?: string | undefined;
  /** Of an undo: the operations that it takes back, newest first; absent in one of an older ctx. */
  undone?: readonly string[] | undefined;
  /** The ref that STAGE names once all moves are made, null for none; absent where the operation before could not say. */
  stage?: string | null | undefined;
  /** In the order in which they are made. */
  moves: PointerMove[];
}

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;

export function encodeOperation(operation: Operation): string {
  const rest = JSON.stringify(operation).slice(1);
  return `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
}

/** @param where the file, which is named by the id of what stands in it. @throws {CtxError} damaged */
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

/** The last moment that an id can tell of, some nine thousand years from now. */
const END_OF_TIME = 'ffffffff-ffff-7fff';

/** Operations are in the order of their ids. @throws {CtxError} damaged, where none can come after one */
export function checkOperationId(id: string, where: string): void {
  if (id.startsWith(END_OF_TIME)) throw damaged(where, 'its id is of the end of all time, and none can come after it');
}

/** The name of the file of an operation that has finished, at the end of its path. */
const FILED = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/;

/** The id that a text shows, be it torn: the first one in it; undefined where it shows none. */
export const idShownIn = (text: string): string | undefined => SHOWN_ID.exec(text)?.[1];
const SHOWN_ID = /"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

/** The ref that STAGE names after an operation, null for none; undefined where the operation does not say. */
export const stageAfter = ({ moves, stage }: Operation): string | null | undefined => {
  const move = moves.findLast(({ pointer }) => pointer === 'STAGE');
  return move === undefined ? stage : move.new;
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const isSessionRef = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith(SESSIONS) && isPointer(value);

/** Whether a value that was read is an operation to its last field: what stands in it becomes names of files and of refs. */
function isOperation(value: JsonValue): value is JsonObject {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.moves)) return false;
  if (!isText(value.id) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value.id as string)) return false;
  if (!Number.isSafeInteger(value.at) || !isText(value.command) || !isText(value.message)) return false;
  if (value.run !== undefined && !isText(value.run)) return false;
  if (value.stage !== undefined && value.stage !== null && !isSessionRef(value.stage)) return false;
  if (value.undone !== undefined && !(Array.isArray(value.undone) && value.undone.every(isText))) return false;
  return value.moves.every(isMove);
}

/** Whether a value that was read is the move of a pointer of ours, to its last field. */
export function isMove(move: JsonValue): boolean {
  if (!isObject(move) || !isText(move.pointer) || !isPointer(move.pointer as string)) return false;
  const isStage = move.pointer === 'STAGE';
  const fits = (target: unknown): boolean =>
    target === null || (isStage ? isText(target) && isPointer(target as string) && target !== 'STAGE' : isOid(target));
  return fits(move.old) && fits(move.new);
}
