/** Hashes and random bytes. `node:crypto` costs a tenth of Node's own start: it is loaded only where it pays. */
import type * as Crypto from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sha1Of } from '../core/sha1.ts';

/** Up to this many bytes our own SHA-1 is faster than loading the machine's (measured: about 20 KB a millisecond, cold). */
const SHORT = 16 * 1024;

let loaded: typeof Crypto | undefined;

/** The machine's cryptography, loaded at the first call. */
function crypto(): typeof Crypto {
  loaded ??= createRequire(import.meta.url)('node:crypto') as typeof Crypto;
  return loaded;
}

/** SHA-1, as Git names objects by it, hexadecimal. */
export function sha1(bytes: Buffer): string {
  return loaded === undefined && bytes.length <= SHORT
    ? sha1Of(bytes)
    : crypto().createHash('sha1').update(bytes).digest('hex');
}

/** SHA-256 of a content, hexadecimal. */
export function sha256(bytes: Buffer | string): string {
  return crypto().createHash('sha256').update(bytes).digest('hex');
}

/** HMAC-SHA-256 of a text (RFC 2104), hexadecimal. */
export function hmacSha256(key: Buffer, text: string): string {
  return crypto().createHmac('sha256', key).update(text).digest('hex');
}

/** A SHA-1 that takes its content piece by piece. */
export function runningSha1(): Crypto.Hash {
  return crypto().createHash('sha1');
}

/** A SHA-256 that takes its content piece by piece. */
export function runningSha256(): Crypto.Hash {
  return crypto().createHash('sha256');
}

/** Random bytes that were read ahead: one read serves the ids of a whole command. */
let ahead = Buffer.alloc(0);

/** Fills a short buffer with random bytes of the system. */
export function fillRandom(bytes: Buffer): void {
  if (ahead.length < bytes.length) {
    ahead = Buffer.alloc(Math.max(256, bytes.length));
    if (loaded !== undefined || !readSystemRandom(ahead)) crypto().randomFillSync(ahead);
  }
  ahead.copy(bytes, 0, 0, bytes.length);
  ahead = ahead.subarray(bytes.length);
}

/** Reads the system's source of randomness as a file; false where it has none. */
function readSystemRandom(bytes: Buffer): boolean {
  try {
    const handle = openSync('/dev/urandom', 'r');
    try {
      return fstatSync(handle).isCharacterDevice() && readSync(handle, bytes, 0, bytes.length, null) === bytes.length;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}
