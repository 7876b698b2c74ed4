/** SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of short texts: loading the machine's own costs a hook more than computing them here. */
import { BLOCK, digestBytes, messageWords } from './hash-words.ts';

/** The first `count` primes. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits of the fractional part. */
const fraction = (value: number): number => ((value - Math.floor(value)) * 0x1_0000_0000) | 0;

/** What the standard derives from the first primes: words of the rounds from cube roots, the first state from square roots. */
interface Constants {
  readonly rounds: Int32Array;
  readonly state: Int32Array;
}

let made: Constants | undefined;

function constants(): Constants {
  if (made) return made;
  const first = primes(BLOCK);
  made = {
    rounds: Int32Array.from(first, (prime) => fraction(Math.cbrt(prime))),
    state: Int32Array.from(first.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
  return made;
}

const words = new Int32Array(BLOCK);

/** Takes a block into the state. Eight rounds stand written out, for the reasons that SHA-1 has beside it. */
function compress(state: Int32Array, rounds: Int32Array, message: Int32Array, at: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = message[at + index] as number;
  for (let index = 16; index < BLOCK; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    words[index] =
      (words[index - 16] as number) +
      (((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)) +
      (words[index - 7] as number) +
      (((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10));
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let index = 0; index < BLOCK; index += 8) {
    h += ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    h += (g ^ (e & (f ^ g))) + (rounds[index] as number) + (words[index] as number);
    d = (d + h) | 0;
    h += ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = (h + ((b & c) | (a & (b | c)))) | 0;
    g += ((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7));
    g += (f ^ (d & (e ^ f))) + (rounds[index + 1] as number) + (words[index + 1] as number);
    c = (c + g) | 0;
    g += ((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10));
    g = (g + ((a & b) | (h & (a | b)))) | 0;
    f += ((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7));
    f += (e ^ (c & (d ^ e))) + (rounds[index + 2] as number) + (words[index + 2] as number);
    b = (b + f) | 0;
    f += ((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10));
    f = (f + ((h & a) | (g & (h | a)))) | 0;
    e += ((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7));
    e += (d ^ (b & (c ^ d))) + (rounds[index + 3] as number) + (words[index + 3] as number);
    a = (a + e) | 0;
    e += ((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10));
    e = (e + ((g & h) | (f & (g | h)))) | 0;
    d += ((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7));
    d += (c ^ (a & (b ^ c))) + (rounds[index + 4] as number) + (words[index + 4] as number);
    h = (h + d) | 0;
    d += ((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10));
    d = (d + ((f & g) | (e & (f | g)))) | 0;
    c += ((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7));
    c += (b ^ (h & (a ^ b))) + (rounds[index + 5] as number) + (words[index + 5] as number);
    g = (g + c) | 0;
    c += ((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10));
    c = (c + ((e & f) | (d & (e | f)))) | 0;
    b += ((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7));
    b += (a ^ (g & (h ^ a))) + (rounds[index + 6] as number) + (words[index + 6] as number);
    f = (f + b) | 0;
    b += ((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10));
    b = (b + ((d & e) | (c & (d | e)))) | 0;
    a += ((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7));
    a += (h ^ (f & (g ^ h))) + (rounds[index + 7] as number) + (words[index + 7] as number);
    e = (e + a) | 0;
    a += ((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10));
    a = (a + ((c & d) | (b & (c | d)))) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}

function digestOf(bytes: Buffer): Buffer {
  const { rounds, state: start } = constants();
  const state = start.slice();
  const message = messageWords(bytes);
  for (let at = 0; at < message.length; at += BLOCK / 4) {
    compress(state, rounds, message, at);
  }
  return digestBytes(state);
}

/** SHA-256 of bytes, hexadecimal. */
export const sha256Of = (bytes: Buffer): string => digestOf(bytes).toString('hex');

/** HMAC-SHA-256 of bytes, hexadecimal. */
export function hmacSha256Of(key: Buffer, bytes: Buffer): string {
  const padded = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? digestOf(key) : key).copy(padded);
  const inner = digestOf(Buffer.concat([padded.map((byte) => byte ^ 0x36), bytes]));
  return sha256Of(Buffer.concat([padded.map((byte) => byte ^ 0x5c), inner]));
}
