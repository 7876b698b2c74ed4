/** Loose objects: one zlib stream a file, its SHA-1 checked on every read. */

import { CtxError, damaged, FETCH } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { deflate, inflate, ZlibStreamError } from '../../platform/compression.ts';
import { sha1 } from '../../platform/hash.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { CONTENT_LIMIT } from '../layout.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

const TYPES: readonly string[] = ['blob', 'tree', 'commit', 'tag'] satisfies ObjectType[];
/** More bytes than any header has, and more digits than a size. */
const LONGEST_HEADER = 32;
const MOST_DIGITS = 15;

/** Parses the header of an object: its type, its size in decimal, and a NUL. Returns null if there is none. */
function headerOf(text: string): { type: ObjectType; size: number; length: number } | null {
  const blank = text.indexOf(' ');
  const end = text.indexOf('\0');
  const [type, digits] = [text.slice(0, blank), text.slice(blank + 1, end)];
  const isSize =
    digits.length > 0 && digits.length <= MOST_DIGITS && [...digits].every((digit) => '0123456789'.includes(digit));
  if (blank < 0 || end < blank || !TYPES.includes(type) || !isSize) return null;
  return { type: type as ObjectType, size: Number(digits), length: end + 1 };
}

/** Returns the bytes of an object as Git hashes it. */
export function frame(type: ObjectType, content: Buffer): Buffer {
  const header = Buffer.from(`${type} ${content.length}\0`);
  const framed = Buffer.allocUnsafe(header.length + content.length);
  framed.set(header);
  framed.set(content, header.length);
  return framed;
}

export { deflate, sha1 };

/** Returns the path of a loose object. @throws {CtxError} damaged, if the name is no object id, so that no path leads elsewhere */
export function loosePath(objects: string, oid: string): string {
  if (!/^[0-9a-f]{40}$/.test(oid)) throw damaged(`object ${JSON.stringify(oid)}`, 'that is no object id');
  return below(objects, oid.slice(0, 2), oid.slice(2));
}

/**
 * Decodes a loose object and checks its id.
 * @throws {CtxError} damaged, if it is torn, too large, followed by other bytes, or another object
 */
export function decodeLoose(file: Buffer, oid: string): GitObject {
  const torn = (why: string, cause?: unknown): CtxError =>
    damaged(`object ${oid}`, why, { cause, data: { torn: oid } });
  if (file.length === 0) throw torn('its file is empty');
  let inflated: ReturnType<typeof inflate>;
  try {
    inflated = inflate(file, CONTENT_LIMIT + 64);
  } catch (cause) {
    if (!(cause instanceof ZlibStreamError)) throw cause;
    throw torn(
      cause.reason === 'large' ? 'it inflates to more than an object may hold' : 'its bytes cannot be inflated',
      cause,
    );
  }
  if (inflated.used !== file.length) throw torn('its file has data behind its end');
  const header = headerOf(inflated.content.toString('latin1', 0, LONGEST_HEADER));
  if (!header) throw torn('it has no header');
  const content = inflated.content.subarray(header.length);
  if (content.length !== header.size) throw torn('it has not the length that it says');
  if (sha1(inflated.content) !== oid) throw torn('its content is not what its name says');
  tidyAfter(inflated.content.length);
  return { type: header.type, content };
}

export function missing(oid: string, hint = FETCH): CtxError {
  return new CtxError('damaged', `object ${oid} is missing from the store`, { hint, data: { oid } });
}

/** Returns the content of an object of the given type. @throws {CtxError} damaged, if its type is another */
export function contentAs(object: GitObject, type: ObjectType, oid: string): Buffer {
  if (object.type !== type) throw damaged(`object ${oid}`, `it is a ${object.type}, and must be a ${type}`);
  return object.content;
}
