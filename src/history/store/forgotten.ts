/** `forgotten.json`: keyed hashes of contents that must not come back. It never leaves the machine. */
import { closeSync, readFileSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { checkHash, type ForgottenList, type KeyedHash, NOTHING_FORGOTTEN } from '../../core/forgotten.ts';
import { excessOf, isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { sha1 } from '../../git/objects/loose.ts';
import { errorCode, exists, ioError, removeFile, writeDurably } from '../../platform/files.ts';
import { hmacSha256 } from '../../platform/hash.ts';
import { openPlain, stampOf } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Repository } from './repository.ts';
import { readKey, secretKey, strangeKey } from './secret-key.ts';

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;

/** Largest list in bytes, and most values in it: enough for two hundred thousand texts. */
const LIMIT = 32 * 1024 * 1024;
const VALUES = 1_000_000;

/** Encodes a list. @throws {CtxError} invalid_input, if it would exceed the limit */
export function encodeForgotten(list: ForgottenList): Buffer {
  const rest = JSON.stringify(list).slice(1);
  const text = Buffer.from(`{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`);
  if (text.length <= LIMIT && excessOf(rest, VALUES) === null) return text;
  throw new CtxError('invalid_input', 'The list of what was forgotten would become larger than ctx can look through.', {
    hint: 'Nothing was changed. Begin another list: move forgotten.json and key.forgotten away; what was forgotten until now may come back then.',
  });
}

/** Reads the list of a store; an empty one if there never was a file. @throws {CtxError} damaged, also if the key is another one */
export function readForgotten({ layout }: Pick<Store, 'layout'>): ForgottenList {
  const list = readList(layout);
  if (list === null) checkForgottenThere({ layout });
  const key = list === null ? null : readKey({ layout });
  if (list === null || key === null) return NOTHING_FORGOTTEN;
  if (list.check !== checkHash(hashWith(key))) throw strangeKey('it is another one');
  return list;
}

/** Refuses a lost list, which would let forgotten contents come back. @throws {CtxError} damaged */
export function checkForgottenThere({ layout }: Pick<Store, 'layout'>): void {
  if (exists(layout.forgottenMark) && !exists(layout.forgotten))
    throw damaged('forgotten.json', 'it is gone, and something was forgotten', { hint: GONE });
}

/** Marks that there is a list, in a file that stays on this machine as well, since a clone has neither. Only under LOCK. */
export function noteForgotten({ layout, durability }: Pick<Store, 'layout' | 'durability'>): void {
  const { forgotten, forgottenMark: mark } = layout;
  if (!exists(forgotten) || exists(mark)) return;
  const temporary = `${mark}.tmp`;
  removeFile(temporary);
  writeDurably(mark, temporary, MARK, durability);
}

const GONE =
  'Nothing was taken in. Fetch the file from a backup, or continue without it: remove key.forgotten, and what was forgotten may come back.';
const MARK = 'Something was forgotten with the key beside this file: without forgotten.json nothing is taken in.\n';

function readList(layout: Store['layout']): ForgottenList | null {
  let handle: number;
  let size: number;
  try {
    ({ handle, size } = openPlain(layout.forgotten));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw ioError('read', layout.forgotten, error);
  }
  try {
    if (size > LIMIT) throw refusal('it is far too large');
    return decodeForgotten(readFileSync(handle));
  } finally {
    closeSync(handle);
  }
}

const refusal = (why: string): CtxError =>
  damaged('forgotten.json', why, {
    hint: 'Nothing was taken in. Fetch the file from a backup, or remove it and key.forgotten beside it: what was forgotten may come back then.',
  });

/** The checksum covers what follows it, without the last line feed. */
function decodeForgotten(bytes: Buffer): ForgottenList {
  const rest = bytes.subarray(51, bytes.at(-1) === 0x0a ? -1 : undefined);
  if (OPENING.exec(bytes.toString('latin1', 0, 51))?.[1] !== sha1(rest)) throw refusal('its checksum does not match');
  const value = jsonOf(bytes.toString('utf8'));
  if (!isList(value)) throw refusal('it is no list of what was forgotten');
  return value as unknown as ForgottenList;
}

function jsonOf(text: string): JsonValue {
  try {
    return parseJson(text, VALUES);
  } catch (error) {
    throwResourceError(error);
    return null;
  }
}

type Check = (value: JsonValue | undefined) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const from =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
const hasAll =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const hash = matches(/^[0-9a-f]{64}$/);
const label = matches(/^[0-9a-f]{8}$/);
const length = from(1, 2 ** 31 - 1);
const roll = from(-(2 ** 31), 2 ** 31 - 1);

/** Validates a list completely: a changed entry would never match. */
const isList = hasAll({
  version: (value) => value === 1,
  check: hash,
  texts: listOf(hasAll({ length, anchor: roll, roll, hash, label })),
  wholes: listOf(hasAll({ length, hash, label })),
  sources: listOf(
    hasAll({ hash, session_id: (value) => typeof value === 'string', at: from(0, Number.MAX_SAFE_INTEGER) }),
  ),
  contents: listOf(hash),
});

/** Returns a text that changes with the list: contents that were read before may have been forgotten since. */
export const forgottenStamp = ({ layout }: Pick<Store, 'layout'>): string => stampOf(layout.forgotten);

const hashWith =
  (key: Buffer): KeyedHash =>
  (text) =>
    hmacSha256(key, `forgotten\0${text}`);

/** Returns the keyed hash of a store for forgotten contents. */
export const hashOf =
  (store: Store): KeyedHash =>
  (text) =>
    hashWith(secretKey(store))(text);
