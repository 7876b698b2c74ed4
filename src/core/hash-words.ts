/** What SHA-1 and SHA-256 have in common: a message in words of 32 bits, filled up to whole blocks, and a digest of such words. */

/** Bytes of a block. */
export const BLOCK = 64;

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Between bytes in the order of the standard and words as this machine has them; in one go, for most processes are short. */
function swap(bytes: Buffer): Buffer {
  return isLittleEndian ? bytes.swap32() : bytes;
}

/** The words of a message: its bytes, one bit, zeros, and its length in bits (FIPS 180-4, section 5.1.1). */
export function messageWords(bytes: Buffer): Int32Array {
  const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK;
  const padded = Buffer.from(new ArrayBuffer(length));
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  // The length takes eight bytes; what is hashed here is far below 2^53 bits.
  padded.writeUInt32BE(Math.floor(bytes.length / 0x20000000), length - 8);
  padded.writeUInt32BE((bytes.length * 8) >>> 0, length - 4);
  return new Int32Array(swap(padded).buffer);
}

/** The bytes of a digest. */
export const digestBytes = (state: Int32Array): Buffer => swap(Buffer.from(state.slice().buffer));
