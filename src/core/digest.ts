/** SHA-1, SHA-256 (FIPS 180-4), HMAC (RFC 2104) and Adler-32 (RFC 1950) of short texts and objects, in WebAssembly. */
// Loading the machine's own costs a hook a seventh of Node's start (measured); and JavaScript that does the same is what V8
// sets about compiling, twice, for more time than most processes have left.

import { DIGEST_CODE } from './digest-code.ts';
import { CtxError } from './errors.ts';

/** What is used of WebAssembly, which is part of the language for Node. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** Takes blocks, or bytes, of the memory into the state that stands at its beginning. */
type Compress = (from: number, count: number) => void;
interface Code {
  memory: { buffer: ArrayBuffer };
  sha1: Compress;
  sha256: Compress;
  adler32: Compress;
}

export type HashName = 'sha1' | 'sha256';

/** The state before the first block (FIPS 180-4, section 5.3). */
const FIRST: Readonly<Record<HashName, readonly number[]>> = {
  sha1: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0],
  sha256: [...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a], ...[0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]],
};

/** Bytes of a block. */
const BLOCK = 64;
/** Where a message lies in the memory, one page of 64 KiB, and how much of it at a time. */
const FROM = 1024;
const ROOM = 32 * 1024;

let code: Code | null | undefined;
/** Plain bytes and a view of them: what a Buffer has of its own, Node would compile at every start. */
let memory: Uint8Array;
let view: DataView;

/** Whether this Node has WebAssembly: one that may compile nothing (`--jitless`) has none. */
export function hasCode(): boolean {
  if (code === undefined) {
    code =
      typeof WebAssembly === 'undefined'
        ? null
        : (new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(DIGEST_CODE, 'base64'))).exports as Code);
    if (code) {
      memory = new Uint8Array(code.memory.buffer);
      view = new DataView(code.memory.buffer);
    }
  }
  return code !== null;
}

function digestOf(name: HashName, bytes: Buffer): Buffer {
  if (!hasCode()) {
    throw new CtxError('io', 'This Node has no WebAssembly, without which ctx cannot do this.', {
      hint: 'Run Node without --jitless.',
    });
  }
  const compress = (code as Code)[name];
  const first = FIRST[name];
  for (let index = 0; index < first.length; index += 1) view.setUint32(index * 4, first[index] as number, true);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += ROOM) {
    const end = Math.min(at + ROOM, whole);
    memory.set(bytes.subarray(at, end), FROM);
    compress(FROM, (end - at) / BLOCK);
  }
  compress(FROM, fillUp(bytes, whole));
  const digest = Buffer.allocUnsafe(first.length * 4);
  const words = new DataView(digest.buffer, digest.byteOffset);
  for (let at = 0; at < digest.length; at += 4) words.setUint32(at, view.getUint32(at, true));
  return digest;
}

/** The end of a message: the bytes that fill no block, one bit, zeros, and its length in bits (section 5.1.1). Gives its blocks. */
function fillUp(bytes: Buffer, whole: number): number {
  const rest = bytes.length - whole;
  const length = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  const end = FROM + length;
  memory.fill(0, FROM, end);
  memory.set(bytes.subarray(whole), FROM);
  memory[FROM + rest] = 0x80;
  // The length takes eight bytes; it is far below 2^53 bits.
  view.setUint32(end - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(end - 4, bytes.length * 8);
  return length / BLOCK;
}

/** A hash of bytes, hexadecimal. @throws {CtxError} io, where there is no WebAssembly */
export const shaOf = (name: HashName, bytes: Buffer): string => digestOf(name, bytes).toString('hex');

/** HMAC-SHA-256 of bytes, hexadecimal. @throws {CtxError} io, where there is no WebAssembly */
export function hmacSha256Of(key: Buffer, bytes: Buffer): string {
  const padded = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? digestOf('sha256', key) : key).copy(padded);
  const inner = digestOf('sha256', Buffer.concat([padded.map((byte) => byte ^ 0x36), bytes]));
  return shaOf('sha256', Buffer.concat([padded.map((byte) => byte ^ 0x5c), inner]));
}

/** Most bytes whose sums stay below 2^32 (RFC 1950, section 9). */
const ADLER_BYTES = 5552;
const ADLER_BASE = 65_521;

/** Adler-32 of bytes (RFC 1950, section 8). */
export function adler32(bytes: Buffer): number {
  if (!hasCode()) return slowAdler32(bytes);
  view.setUint32(0, 1, true);
  view.setUint32(4, 0, true);
  for (let at = 0; at < bytes.length; at += ADLER_BYTES) {
    const end = Math.min(at + ADLER_BYTES, bytes.length);
    memory.set(bytes.subarray(at, end), FROM);
    (code as Code).adler32(FROM, end - at);
  }
  return view.getUint32(4, true) * 0x10000 + view.getUint32(0, true);
}

/** The same where there is no WebAssembly. */
export function slowAdler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % ADLER_BASE;
    b = (b + a) % ADLER_BASE;
  }
  return b * 0x10000 + a;
}
