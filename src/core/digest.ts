/** SHA-1, SHA-256 (FIPS 180-4), HMAC (RFC 2104) and Adler-32 (RFC 1950) of short texts and objects, in WebAssembly. */
// Loading the machine's own costs a hook a seventh of Node's start (measured); and JavaScript that does the same is what V8
// sets about compiling, twice, for more time than most processes have left. Only what is so short that V8 lets it be is done
// in JavaScript: many hooks need no more, and making WebAssembly ready costs them half a millisecond.

import { DIGEST_CODE } from './digest-code.ts';
import { CtxError } from './errors.ts';

/** Part of WebAssembly that is used, which is part of the language for Node. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** Takes blocks, or bytes, of the memory into the state at its beginning. */
type Compress = (from: number, count: number) => void;

export type HashName = 'sha1' | 'sha256';
export type DigestName = HashName | 'adler32';

/** The state before the first block (FIPS 180-4, section 5.3). */
const FIRST: Readonly<Record<HashName, readonly number[]>> = {
  sha1: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0],
  sha256: [...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a], ...[0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]],
};

/** Bytes of a block. */
const BLOCK = 64;
/** Position of a message in the memory, one page of 64 KiB, and the length that fits at a time. */
const FROM = 1024;
const ROOM = 32 * 1024;

/** A module that is ready. */
interface Code {
  compress: Compress;
  /** Plain bytes and a view of them: what a Buffer has of its own, Node would compile at every start. */
  memory: Uint8Array;
  view: DataView;
}

/** Each of them by itself, made ready when it is first used: few processes need more than one. */
const codes = new Map<DigestName, Code>();

/** Why no module could be made ready; a Node that may compile nothing (`--jitless`) has no WebAssembly at all. */
let unavailable: unknown = typeof WebAssembly === 'undefined' ? 'This Node has no WebAssembly' : undefined;

/**
 * Checks if the module of a digest is ready, or can be made so. V8 reserves some 10 GB of address space for the memory of each, which
 * a limit (`ulimit -v`) may refuse.
 */
export function hasCode(name: DigestName): boolean {
  if (unavailable !== undefined) return false;
  try {
    codeOf(name);
    return true;
  } catch (error) {
    unavailable = error;
    return false;
  }
}

/** @throws {CtxError} io, if there is no WebAssembly, or no memory for a module of it */
function codeOf(name: DigestName): Code {
  const known = codes.get(name);
  if (known) return known;
  if (unavailable !== undefined) {
    throw new CtxError('io', 'WebAssembly cannot be used here, without which ctx cannot do this.', {
      hint: 'Run Node without --jitless, and with enough address space (see ulimit -v).',
      cause: unavailable,
    });
  }
  const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(DIGEST_CODE[name], 'base64')));
  const { memory, compress } = instance.exports as { memory: { buffer: ArrayBuffer }; compress: Compress };
  const code = { compress, memory: new Uint8Array(memory.buffer), view: new DataView(memory.buffer) };
  codes.set(name, code);
  return code;
}

function digestOf(name: HashName, bytes: Buffer): Buffer {
  const code = codeOf(name);
  const { compress, memory, view } = code;
  const first = FIRST[name];
  for (let index = 0; index < first.length; index += 1) view.setUint32(index * 4, first[index] as number, true);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += ROOM) {
    const end = Math.min(at + ROOM, whole);
    memory.set(bytes.subarray(at, end), FROM);
    compress(FROM, (end - at) / BLOCK);
  }
  compress(FROM, fillUp(code, bytes, whole));
  const digest = Buffer.allocUnsafe(first.length * 4);
  const words = new DataView(digest.buffer, digest.byteOffset);
  for (let at = 0; at < digest.length; at += 4) words.setUint32(at, view.getUint32(at, true));
  return digest;
}

/** The end of a message: the bytes that fill no block, one bit, zeros, and its length in bits (section 5.1.1). Gives its blocks. */
function fillUp({ memory, view }: Code, bytes: Buffer, whole: number): number {
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

/** A hash of bytes, hexadecimal. @throws {CtxError} io, if there is no WebAssembly */
export const shaOf = (name: HashName, bytes: Buffer): string => digestOf(name, bytes).toString('hex');

/** Most bytes of a message that fills one block, beside the bit and the length that end it. */
const ONE_BLOCK = BLOCK - 9;

/** Hashes a message of one block with SHA-1 if nothing longer was hashed yet, hexadecimal; null if WebAssembly is quicker. */
export const quickSha1 = (bytes: Buffer): string | null =>
  bytes.length <= ONE_BLOCK && !codes.has('sha1') ? sha1OfBlock(bytes) : null;

/** Constants that are added in each of the four twenties of rounds (FIPS 180-4, section 4.2.1). */
const ADDED = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
const rotated = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));
const word = (words: Int32Array, at: number): number => words[at] as number;

/** @param bytes at most `ONE_BLOCK` */
export function sha1OfBlock(bytes: Buffer): string {
  const block = new DataView(new ArrayBuffer(BLOCK));
  for (let at = 0; at < bytes.length; at += 1) block.setUint8(at, bytes[at] as number);
  block.setUint8(bytes.length, 0x80);
  block.setUint32(BLOCK - 4, bytes.length * 8);
  const words = new Int32Array(80);
  for (let at = 0; at < 16; at += 1) words[at] = block.getInt32(at * 4);
  for (let at = 16; at < 80; at += 1) {
    const mixed = word(words, at - 3) ^ word(words, at - 8) ^ word(words, at - 14) ^ word(words, at - 16);
    words[at] = rotated(mixed, 1);
  }
  const [a0, b0, c0, d0, e0] = FIRST.sha1 as [number, number, number, number, number];
  let [a, b, c, d, e] = [a0, b0, c0, d0, e0];
  for (let round = 0; round < 80; round += 1) {
    const part = Math.floor(round / 20);
    const mixed = part === 0 ? (b & c) | (~b & d) : part === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
    const sum = rotated(a, 5) + mixed + e + (ADDED[part] as number) + word(words, round);
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = sum | 0;
  }
  return [a0 + a, b0 + b, c0 + c, d0 + d, e0 + e].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('');
}

/** HMAC-SHA-256 of bytes, hexadecimal. @throws {CtxError} io, if there is no WebAssembly */
export function hmacSha256Of(key: Buffer, bytes: Buffer): string {
  const padded = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? digestOf('sha256', key) : key).copy(padded);
  const inner = digestOf('sha256', Buffer.concat([padded.map((byte) => byte ^ 0x36), bytes]));
  return shaOf('sha256', Buffer.concat([padded.map((byte) => byte ^ 0x5c), inner]));
}

/** Most bytes whose sums stay below 2^32 (RFC 1950, section 9). */
const ADLER_BYTES = 5552;
const ADLER_BASE = 65_521;

/** As many are summed up sooner than WebAssembly is made ready (measured). */
const FEW_BYTES = 4096;

/** Adler-32 of bytes (RFC 1950, section 8). */
export function adler32(bytes: Buffer): number {
  if ((!codes.has('adler32') && bytes.length <= FEW_BYTES) || !hasCode('adler32')) return slowAdler32(bytes);
  const { compress, memory, view } = codeOf('adler32');
  view.setUint32(0, 1, true);
  view.setUint32(4, 0, true);
  for (let at = 0; at < bytes.length; at += ADLER_BYTES) {
    const end = Math.min(at + ADLER_BYTES, bytes.length);
    memory.set(bytes.subarray(at, end), FROM);
    compress(FROM, end - at);
  }
  return view.getUint32(4, true) * 0x10000 + view.getUint32(0, true);
}

/** Computes the same without WebAssembly. */
export function slowAdler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + ADLER_BYTES, bytes.length);
    // Four at a time: one by one, a few thousand are so many turns that V8 sets about compiling this.
    for (; at + 4 <= end; at += 4) {
      b += a += bytes[at] as number;
      b += a += bytes[at + 1] as number;
      b += a += bytes[at + 2] as number;
      b += a += bytes[at + 3] as number;
    }
    for (; at < end; at += 1) b += a += bytes[at] as number;
    a %= ADLER_BASE;
    b %= ADLER_BASE;
  }
  return b * 0x10000 + a;
}
