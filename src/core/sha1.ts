/** SHA-1 (FIPS 180-4) of short texts and objects: loading the machine's own costs a hook more than computing it here. */
import { BLOCK, digestBytes, messageWords } from './hash-words.ts';

const words = new Int32Array(80);

/** Spreads a block over the words of the rounds; the rotations stand written out, for most processes end before they are compiled. */
function spread(message: Int32Array, at: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = message[at + index] as number;
  for (let index = 16; index < 80; index += 1) {
    const mixed =
      (words[index - 3] as number) ^
      (words[index - 8] as number) ^
      (words[index - 14] as number) ^
      (words[index - 16] as number);
    words[index] = (mixed << 1) | (mixed >>> 31);
  }
}

/** Takes the words of a block into the state. */
function compress(state: Int32Array): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let next = 0;
  for (let index = 0; index < 80; index += 1) {
    if (index < 20) next = (d ^ (b & (c ^ d))) + 0x5a827999;
    else if (index < 40) next = (b ^ c ^ d) + 0x6ed9eba1;
    else if (index < 60) next = ((b & c) | (d & (b | c))) - 0x70e44324;
    else next = (b ^ c ^ d) - 0x359d3e2a;
    next = (next + ((a << 5) | (a >>> 27)) + e + (words[index] as number)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
}

/** SHA-1 of bytes, hexadecimal. */
export function sha1Of(bytes: Buffer): string {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const message = messageWords(bytes);
  for (let at = 0; at < message.length; at += BLOCK / 4) {
    spread(message, at);
    compress(state);
  }
  return digestBytes(state).toString('hex');
}
