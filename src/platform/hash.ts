/** Hashes and random bytes. `node:crypto` takes a tenth of Node's own start: it is loaded only if that pays off. */
import type * as Crypto from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type HashName, hasCode, hmacSha256Of, quickSha1, shaOf } from '../core/digest.ts';
import { builtIn } from './built-in.ts';

/** Up to this many bytes in total, hashing in JavaScript takes less time than loading Node's faster implementation (measured). */
const SHORT = 256 * 1024;

/** Bytes that were hashed in JavaScript so far. */
let hashed = 0;

let loaded: typeof Crypto | undefined;

/** Returns `node:crypto`, loaded at the first call. */
function crypto(): typeof Crypto {
  loaded ??= builtIn('node:crypto') as typeof Crypto;
  return loaded;
}

/** Loads `node:crypto` for a process that hashes much: from then on it hashes short contents too. */
export const expectManyHashes = (): void => void crypto();

const isShort = (name: HashName, bytes: number): boolean =>
  loaded === undefined && hashed + bytes <= SHORT && hasCode(name);

let hasObjects = false;

/** Announces that objects will be hashed: the code for them is loaded then anyway, and it is the faster one for short contents. */
export const expectObjects = (): void => {
  hasObjects = true;
};

function hash(name: HashName, bytes: Buffer): string {
  const quick = name === 'sha1' && !hasObjects && loaded === undefined ? quickSha1(bytes) : null;
  if (quick !== null) return quick;
  if (isShort(name, bytes.length)) {
    hashed += bytes.length;
    return shaOf(name, bytes);
  }
  // `crypto.hash` is newer than the oldest supported Node, and takes half the time for short contents.
  const { hash: atOnce, createHash } = crypto();
  return atOnce ? atOnce(name, bytes, 'hex') : createHash(name).update(bytes).digest('hex');
}

/** Returns the SHA-1 of some bytes as Git names objects by it, in hexadecimal. */
export const sha1 = (bytes: Buffer): string => hash('sha1', bytes);

/** Returns the SHA-256 of a content in hexadecimal. */
export const sha256 = (content: Buffer | string): string =>
  hash('sha256', typeof content === 'string' ? Buffer.from(content) : content);

/** Returns the HMAC-SHA-256 of a text (RFC 2104) in hexadecimal. */
export function hmacSha256(key: Buffer, text: string): string {
  const bytes = Buffer.from(text);
  return isShort('sha256', bytes.length)
    ? hmacSha256Of(key, bytes)
    : crypto().createHmac('sha256', key).update(bytes).digest('hex');
}

/** An incremental hash; a short content is kept and hashed at the end. */
export class RunningHash {
  readonly #name: HashName;
  #held: Buffer[] = [];
  #bytes = 0;
  #machine: Crypto.Hash | undefined;

  constructor(name: HashName) {
    this.#name = name;
  }

  update(piece: Buffer): this {
    this.#bytes += piece.length;
    if (!this.#machine && isShort(this.#name, this.#bytes)) {
      // The caller may overwrite the chunk before the end.
      this.#held.push(Buffer.from(piece));
      return this;
    }
    this.#machine ??= crypto().createHash(this.#name);
    for (const held of this.#held.splice(0)) this.#machine.update(held);
    this.#machine.update(piece);
    return this;
  }

  /** Returns an independent copy of the current state. */
  copy(): RunningHash {
    const same = new RunningHash(this.#name);
    same.#held = [...this.#held];
    same.#bytes = this.#bytes;
    same.#machine = this.#machine?.copy();
    return same;
  }

  /** Returns the hash of the content so far, in hexadecimal; more may follow. */
  digest(): string {
    if (this.#machine) return this.#machine.copy().digest('hex');
    const [first, ...others] = this.#held;
    return hash(this.#name, first && others.length === 0 ? first : Buffer.concat(this.#held));
  }
}

/** Fills a short buffer with random bytes of the system. */
export function fillRandom(bytes: Buffer): void {
  if (loaded !== undefined || !readSystemRandom(bytes)) crypto().randomFillSync(bytes);
}

/** Reads the system's random device; returns false if there is none. */
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
