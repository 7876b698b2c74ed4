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

/** Spreads a block over the words of the rounds; the rotations stand written out, for most processes end before they are compiled. */
function spread(message: Int32Array, at: number): void {
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
}

/** Takes the words of a block into the state. */
function compress(state: Int32Array, rounds: Int32Array): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let index = 0; index < BLOCK; index += 1) {
    const fromE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const fromA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = (h + fromE + (g ^ (e & (f ^ g))) + (rounds[index] as number) + (words[index] as number)) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + fromA + ((b & c) | (d & (b | c)))) | 0;
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
    spread(message, at);
    compress(state, rounds);
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
