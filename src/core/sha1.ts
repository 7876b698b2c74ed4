/** SHA-1 (FIPS 180-4) of short texts and objects: loading the machine's own costs a hook more than computing it here. */
import { BLOCK, digestBytes, messageWords } from './hash-words.ts';

const words = new Int32Array(80);

/**
 * Takes a block into the state. Five rounds stand written out: the words of the state change their parts in them, not their
 * places, which is quick where nothing is compiled. And one long function is compiled late: V8 would set about two short ones
 * after 2 KB, for more time than most processes have left, and their end would wait for it.
 */
function compress(state: Int32Array, message: Int32Array, at: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = message[at + index] as number;
  for (let index = 16; index < 80; index += 1) {
    const mixed =
      (words[index - 3] as number) ^
      (words[index - 8] as number) ^
      (words[index - 14] as number) ^
      (words[index - 16] as number);
    words[index] = (mixed << 1) | (mixed >>> 31);
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  for (let index = 0; index < 20; index += 5) {
    e = (e + ((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + (words[index] as number) + 0x5a827999) | 0;
    b = (b << 30) | (b >>> 2);
    d = (d + ((e << 5) | (e >>> 27)) + (c ^ (a & (b ^ c))) + (words[index + 1] as number) + 0x5a827999) | 0;
    a = (a << 30) | (a >>> 2);
    c = (c + ((d << 5) | (d >>> 27)) + (b ^ (e & (a ^ b))) + (words[index + 2] as number) + 0x5a827999) | 0;
    e = (e << 30) | (e >>> 2);
    b = (b + ((c << 5) | (c >>> 27)) + (a ^ (d & (e ^ a))) + (words[index + 3] as number) + 0x5a827999) | 0;
    d = (d << 30) | (d >>> 2);
    a = (a + ((b << 5) | (b >>> 27)) + (e ^ (c & (d ^ e))) + (words[index + 4] as number) + 0x5a827999) | 0;
    c = (c << 30) | (c >>> 2);
  }
  for (let index = 20; index < 40; index += 5) {
    e = (e + ((a << 5) | (a >>> 27)) + (b ^ c ^ d) + (words[index] as number) + 0x6ed9eba1) | 0;
    b = (b << 30) | (b >>> 2);
    d = (d + ((e << 5) | (e >>> 27)) + (a ^ b ^ c) + (words[index + 1] as number) + 0x6ed9eba1) | 0;
    a = (a << 30) | (a >>> 2);
    c = (c + ((d << 5) | (d >>> 27)) + (e ^ a ^ b) + (words[index + 2] as number) + 0x6ed9eba1) | 0;
    e = (e << 30) | (e >>> 2);
    b = (b + ((c << 5) | (c >>> 27)) + (d ^ e ^ a) + (words[index + 3] as number) + 0x6ed9eba1) | 0;
    d = (d << 30) | (d >>> 2);
    a = (a + ((b << 5) | (b >>> 27)) + (c ^ d ^ e) + (words[index + 4] as number) + 0x6ed9eba1) | 0;
    c = (c << 30) | (c >>> 2);
  }
  for (let index = 40; index < 60; index += 5) {
    e = (e + ((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + (words[index] as number) - 0x70e44324) | 0;
    b = (b << 30) | (b >>> 2);
    d = (d + ((e << 5) | (e >>> 27)) + ((a & b) | (c & (a | b))) + (words[index + 1] as number) - 0x70e44324) | 0;
    a = (a << 30) | (a >>> 2);
    c = (c + ((d << 5) | (d >>> 27)) + ((e & a) | (b & (e | a))) + (words[index + 2] as number) - 0x70e44324) | 0;
    e = (e << 30) | (e >>> 2);
    b = (b + ((c << 5) | (c >>> 27)) + ((d & e) | (a & (d | e))) + (words[index + 3] as number) - 0x70e44324) | 0;
    d = (d << 30) | (d >>> 2);
    a = (a + ((b << 5) | (b >>> 27)) + ((c & d) | (e & (c | d))) + (words[index + 4] as number) - 0x70e44324) | 0;
    c = (c << 30) | (c >>> 2);
  }
  for (let index = 60; index < 80; index += 5) {
    e = (e + ((a << 5) | (a >>> 27)) + (b ^ c ^ d) + (words[index] as number) - 0x359d3e2a) | 0;
    b = (b << 30) | (b >>> 2);
    d = (d + ((e << 5) | (e >>> 27)) + (a ^ b ^ c) + (words[index + 1] as number) - 0x359d3e2a) | 0;
    a = (a << 30) | (a >>> 2);
    c = (c + ((d << 5) | (d >>> 27)) + (e ^ a ^ b) + (words[index + 2] as number) - 0x359d3e2a) | 0;
    e = (e << 30) | (e >>> 2);
    b = (b + ((c << 5) | (c >>> 27)) + (d ^ e ^ a) + (words[index + 3] as number) - 0x359d3e2a) | 0;
    d = (d << 30) | (d >>> 2);
    a = (a + ((b << 5) | (b >>> 27)) + (c ^ d ^ e) + (words[index + 4] as number) - 0x359d3e2a) | 0;
    c = (c << 30) | (c >>> 2);
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
    compress(state, message, at);
  }
  return digestBytes(state).toString('hex');
}
