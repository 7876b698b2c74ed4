/** One file of named sections, each read alone and checked: the sections one after the other, then the list of them, its length and its checksum. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { crc32 } from '../../core/crc32.ts';

/** The bytes that something is read from: a file, or memory. */
export interface Source {
  readonly size: number;
  /** @throws {RangeError} if there are fewer bytes */
  read: (offset: number, length: number) => Buffer;
  close: () => void;
}

/** Says that a file of the catalog is not as it was written: it is rebuilt. */
export class CatalogDamage extends Error {}

/** Returns the checksum of some bytes; Node's own function, which not every supported Node has, is much faster. */
export const checksum = (bytes: Uint8Array): number => {
  const own = (zlib as unknown as { crc32?: (bytes: Uint8Array) => number }).crc32;
  return own ? own(bytes) : crc32(bytes);
};

export const memorySource = (bytes: Buffer): Source => ({
  size: bytes.length,
  read: (offset, length) => {
    if (offset + length > bytes.length) throw new CatalogDamage('a section is cut off');
    return bytes.subarray(offset, offset + length);
  },
  close: () => undefined,
});

export function fileSource(path: string): Source {
  const handle = openSync(path, 'r');
  return {
    size: fstatSync(handle).size,
    read: (offset, length) => {
      const bytes = Buffer.allocUnsafe(length);
      for (let got = 0; got < length; ) {
        const read = readSync(handle, bytes, got, length - got, offset + got);
        if (read === 0) throw new CatalogDamage(`${path} is cut off`);
        got += read;
      }
      return bytes;
    },
    close: () => closeSync(handle),
  };
}

interface Section {
  offset: number;
  length: number;
  checksum: number;
}

const TAIL = 8;

/** Writes sections in order. */
export class SectionWriter {
  readonly #write: (bytes: Buffer) => void;
  readonly #sections: Record<string, Section> = {};
  #offset = 0;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  /** Adds a section that is read as a whole. */
  add(name: string, bytes: Buffer): void {
    this.#write(bytes);
    this.#note(name, bytes.length, checksum(bytes));
  }

  /** Adds a section whose parts are checked by those who read them. */
  addParts(name: string, parts: Iterable<Buffer>): void {
    let length = 0;
    for (const part of parts) {
      this.#write(part);
      length += part.length;
    }
    this.#note(name, length, 0);
  }

  #note(name: string, length: number, sum: number): void {
    this.#sections[name] = { offset: this.#offset, length, checksum: sum };
    this.#offset += length;
  }

  /** Writes the list of the sections. */
  end(): void {
    const list = Buffer.from(JSON.stringify(this.#sections));
    const tail = Buffer.alloc(TAIL);
    tail.writeUInt32LE(list.length, 0);
    tail.writeUInt32LE(checksum(list), 4);
    this.#write(Buffer.concat([list, tail]));
  }
}

/** The sections of a file. */
export class Sections {
  readonly #source: Source;
  readonly #sections: Record<string, Section>;

  /** @throws {CatalogDamage} */
  constructor(source: Source) {
    this.#source = source;
    if (source.size < TAIL) throw new CatalogDamage('a file is cut off');
    const tail = source.read(source.size - TAIL, TAIL);
    const length = tail.readUInt32LE(0);
    if (length > source.size - TAIL) throw new CatalogDamage('a file is cut off');
    const list = source.read(source.size - TAIL - length, length);
    if (checksum(list) !== tail.readUInt32LE(4)) throw new CatalogDamage('a list of sections is damaged');
    this.#sections = JSON.parse(list.toString('utf8')) as Record<string, Section>;
  }

  #section(name: string): Section {
    const section = this.#sections[name];
    if (!section) throw new CatalogDamage(`a file has no ${name}`);
    return section;
  }

  length(name: string): number {
    return this.#section(name).length;
  }

  /** Reads a whole section and checks it. @throws {CatalogDamage} */
  whole(name: string): Buffer {
    const { offset, length, checksum: wanted } = this.#section(name);
    const bytes = this.#source.read(offset, length);
    if (checksum(bytes) !== wanted) throw new CatalogDamage(`${name} is damaged`);
    return bytes;
  }

  /** Reads a part of a section, which the caller checks. @throws {CatalogDamage} */
  part(name: string, offset: number, length: number): Buffer {
    const section = this.#section(name);
    if (offset + length > section.length) throw new CatalogDamage(`${name} is cut off`);
    return this.#source.read(section.offset + offset, length);
  }

  close(): void {
    this.#source.close();
  }
}
