/** Reads ranges of an open file that does not change: the first few one by one, later ones through windows that hold what is near. */
import { readSync } from 'node:fs';

/** Number of reads that go to the file one by one: a hook needs no more, and a window would cost it more than they do. */
const DIRECT_READS = 32;
/** Bytes of a window. */
const WINDOW_LENGTH = 128 * 1024;
/** Number of windows at hand: a walk of a chain reads commits, trees and records in turn, each in an area of its own. */
const WINDOW_COUNT = 8;

export class FileWindows {
  readonly #handle: number;
  /** Windows by their number in the file, the one that was used last at the end. */
  readonly #windows = new Map<number, Buffer>();
  #reads = 0;

  constructor(handle: number) {
    this.#handle = handle;
  }

  /**
   * Returns the bytes at an offset; null if the file ends before.
   * @param room a buffer of that length, which is filled if the file is read directly
   * @throws the file system's own error
   */
  read(offset: number, length: number, room?: Buffer): Buffer | null {
    this.#reads += 1;
    const first = Math.floor(offset / WINDOW_LENGTH);
    const start = offset - first * WINDOW_LENGTH;
    if (this.#reads > DIRECT_READS && start + length <= WINDOW_LENGTH) {
      const window = this.#window(first);
      return start + length <= window.length ? window.subarray(start, start + length) : null;
    }
    const bytes = room ?? Buffer.allocUnsafe(length);
    return readSync(this.#handle, bytes, 0, length, offset) === length ? bytes : null;
  }

  #window(number: number): Buffer {
    let window = this.#windows.get(number);
    if (window) this.#windows.delete(number);
    else {
      const bytes = Buffer.allocUnsafeSlow(WINDOW_LENGTH);
      window = bytes.subarray(0, readSync(this.#handle, bytes, 0, WINDOW_LENGTH, number * WINDOW_LENGTH));
    }
    this.#windows.set(number, window);
    if (this.#windows.size > WINDOW_COUNT) {
      const [oldest] = this.#windows.keys();
      this.#windows.delete(oldest as number);
    }
    return window;
  }
}
