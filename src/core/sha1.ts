/** SHA-1 (FIPS 180-4) of short texts and objects: loading the machine's own costs a hook more than computing it here. */

const words = new Int32Array(80);

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** Takes one block of 64 bytes into the state. */
function compress(state: Int32Array, block: Buffer, at: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = block.readInt32BE(at + index * 4);
  for (let index = 16; index < 80; index += 1) {
    const mixed =
      (words[index - 3] as number) ^
      (words[index - 8] as number) ^
      (words[index - 14] as number) ^
      (words[index - 16] as number);
    words[index] = rotate(mixed, 1);
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  for (let index = 0; index < 80; index += 1) {
    const round = (index / 20) | 0;
    const choice = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
    const constant = round === 0 ? 0x5a827999 : round === 1 ? 0x6ed9eba1 : round === 2 ? -0x70e44324 : -0x359d3e2a;
    const next = (((((rotate(a, 5) + choice) | 0) + e) | 0) + ((constant + (words[index] as number)) | 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
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
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const whole = bytes.length - (bytes.length % 64);
  for (let at = 0; at < whole; at += 64) compress(state, bytes, at);
  const rest = bytes.length - whole;
  const last = Buffer.alloc(rest < 56 ? 64 : 128);
  bytes.copy(last, 0, whole);
  last[rest] = 0x80;
  // The length in bits takes eight bytes; what is hashed here is far below 2^53 bits.
  last.writeUInt32BE(Math.floor(bytes.length / 0x20000000), last.length - 8);
  last.writeUInt32BE((bytes.length * 8) >>> 0, last.length - 4);
  for (let at = 0; at < last.length; at += 64) compress(state, last, at);
  const digest = Buffer.alloc(20);
  for (let index = 0; index < 5; index += 1) digest.writeInt32BE(state[index] as number, index * 4);
  return digest.toString('hex');
}
