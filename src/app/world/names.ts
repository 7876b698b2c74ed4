/** Converts the names of files between bytes and text: on some systems a name is any bytes, and need not be UTF-8. */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';

/** Offset of the lone surrogates that represent the bytes above 127 of a name that is not UTF-8, as in Python (PEP 383). */
const ESCAPE = 0xdc00;

/** Reads a name from its bytes, of which each character of `bytes` is one. */
export function nameOf(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  if (isUtf8(buffer)) return buffer.toString();
  return bytes.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(ESCAPE + byte.charCodeAt(0)));
}

/** Returns the bytes of a name, one in each character. */
export function bytesOf(name: string): string {
  if (name.isWellFormed()) return Buffer.from(name).toString('latin1');
  return name.replace(/[\udc80-\udcff]/g, (escaped) => String.fromCharCode(escaped.charCodeAt(0) - ESCAPE));
}

/** A path for the file system. */
export type Place = string | Buffer;

/** Returns the path of a file by its name below a folder. */
export function placeOf(folder: Place, name: string): Place {
  if (typeof folder === 'string' && name.isWellFormed()) return join(folder, name);
  return Buffer.concat([Buffer.from(folder), Buffer.from(`/${bytesOf(name)}`, 'latin1')]);
}
