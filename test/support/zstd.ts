// Writes Zstandard where Node has none: frames of blocks that are stored as they are, or that are one byte many times.
const MAGIC = Buffer.of(0x28, 0xb5, 0x2f, 0xfd);
/** Most bytes of a block. */
const BLOCK = 128 * 1024;

const blockHead = (size: number, type: number, isLast: boolean): Buffer => {
  const head = Buffer.alloc(3);
  head.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3);
  return head;
};

/** A frame without checksum and without its size, as a stream makes it; its window is 2 ** exponent bytes. */
const frameOf = (blocks: readonly Buffer[], exponent = 21): Buffer =>
  Buffer.concat([MAGIC, Buffer.of(0, (exponent - 10) << 3), ...blocks]);

/** Bytes as they are, in a frame. */
export function stored(bytes: Buffer, exponent?: number): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += BLOCK) {
    const part = bytes.subarray(at, at + BLOCK);
    blocks.push(blockHead(part.length, 0, at + BLOCK >= bytes.length), part);
  }
  return frameOf(blocks, exponent);
}

/** A frame that begins with some bytes, and goes on with so many blocks of one byte: a bomb. */
export function bomb(beginning: Buffer, blocks: number): Buffer {
  const repeated = Array.from({ length: blocks }, (_, index) => [
    blockHead(BLOCK, 1, index === blocks - 1),
    Buffer.of(0x20),
  ]);
  return frameOf([blockHead(beginning.length, 0, false), beginning, ...repeated.flat()]);
}
