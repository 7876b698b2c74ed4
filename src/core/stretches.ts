/** Replacing stretches of bytes by markers: at once, in a text, or in pieces of which none is held longer than needed. */
import { asRead, LONGEST_SPELLING, placeIn, readingsOf } from './spellings.ts';

/** Bytes from `start` to before `end` that give way to a marker. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly marker: string;
}

/** Something that finds what must give way in bytes. */
export interface Finder {
  /** Every place where something begins, in any order; they may overlap. */
  readonly find: (bytes: Buffer) => Stretch[];
  /** Length of the longest thing that it finds, in bytes. */
  readonly longest: number;
}

/** Finds in bytes, however they are to be read, what `find` finds in bytes as they are. @param longest length of the longest thing, in bytes */
export function inReadings(longest: number, find: Finder['find']): Finder {
  const findAll = (bytes: Buffer): Stretch[] => {
    const found: Stretch[] = [];
    for (const reading of readingsOf(bytes))
      for (const { start, end, marker } of find(reading.bytes)) found.push({ ...placeIn(reading, start, end), marker });
    return found;
  };
  return { longest: longest * LONGEST_SPELLING, find: findAll };
}

/** Chooses the stretches that count: from left to right, the longest of those that begin at one place, none overlapping. */
function chosen(stretches: readonly Stretch[]): Stretch[] {
  const kept: Stretch[] = [];
  for (const stretch of [...stretches].sort((a, b) => a.start - b.start || b.end - a.end))
    if (stretch.start >= (kept.at(-1)?.end ?? 0)) kept.push(stretch);
  return kept;
}

/** Bytes with a marker for every stretch that begins before `limit`; gives how far that reached. */
function replaced(bytes: Buffer, stretches: readonly Stretch[], limit: number): { parts: Buffer[]; past: number } {
  const parts: Buffer[] = [];
  let past = 0;
  for (const { start, end, marker } of stretches) {
    if (start >= limit) break;
    parts.push(bytes.subarray(past, start), Buffer.from(marker));
    past = end;
  }
  return { parts, past };
}

/** Returns the bytes with markers; null if nothing in them gives way. */
export function replaceBytes(bytes: Buffer, finder: Finder): Buffer | null {
  const stretches = chosen(finder.find(bytes));
  if (stretches.length === 0) return null;
  const { parts, past } = replaced(bytes, stretches, bytes.length);
  return Buffer.concat([...parts, bytes.subarray(past)]);
}

/** The text with markers; the same text if nothing in it gives way. */
export function replaceText(text: string, finder: Finder): string {
  return replaceBytes(Buffer.from(text), finder)?.toString('utf8') ?? text;
}

/** Pieces joined until they have so many bytes: each stretch of a few is looked through about twice, however small they are. */
function* joined(pieces: Iterable<Buffer>, least: number): Generator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    held.push(Buffer.from(piece));
    length += piece.length;
    if (length < least) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}

/** Number of bytes before a border that are searched for escapes: a character behind a backslash means another thing without it. */
const MOST_BACKSLASHES = 192;
/** Also as a URL writes them. */
const BACKSLASHES = /(?:\\|%5[Cc])+$/;

/** Up to where all that begins there is in the bytes to its end. */
function limitOf(bytes: Buffer, { longest }: Finder): number {
  const limit = Math.max(0, bytes.length - longest + 1);
  const least = Math.max(0, limit - MOST_BACKSLASHES);
  // It may be in the middle of what a URL writes as one.
  const begins = [0, 1, 2].map((more) => {
    const run = BACKSLASHES.exec(bytes.toString('latin1', least, limit + more));
    return run ? least + run.index : limit;
  });
  return Math.min(limit, ...begins);
}

/** Pieces with markers, also for what lies across their borders. A piece that comes out is only valid until the next one. */
export function* replacePieces(pieces: Iterable<Buffer>, finder: Finder): Generator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for (const piece of joined(pieces, finder.longest)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const limit = limitOf(bytes, finder);
    const { parts, past } = replaced(bytes, chosen(finder.find(bytes)), limit);
    const cut = Math.max(past, limit);
    yield parts.length === 0 ? bytes.subarray(0, cut) : Buffer.concat([...parts, bytes.subarray(past, cut)]);
    held = bytes.subarray(cut);
  }
  if (held.length > 0) yield replaceBytes(held, finder) ?? held;
}

/** Checks if anything in the pieces would give way. */
export function foundIn(pieces: Iterable<Buffer>, finder: Finder): boolean {
  let held: Buffer = Buffer.alloc(0);
  for (const piece of joined(pieces, finder.longest)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (finder.find(bytes).length > 0) return true;
    held = bytes.subarray(limitOf(bytes, finder));
  }
  return false;
}

/** Finds texts of at least four bytes, however they are written. @param markers the marker for each text */
export function literalFinder(markers: ReadonlyMap<string, string>): Finder {
  const needles = [...markers].map(([text, marker]): Needle => ({ bytes: asRead(text), marker }));
  const longest = needles.reduce((most, { bytes }) => Math.max(most, bytes.length), 1);
  return inReadings(longest, needles.length > MANY ? byBytesWithin(needles) : oneByOne(needles));
}

interface Needle {
  readonly bytes: Buffer;
  readonly marker: string;
}

/** From so many on they are looked for all at once. */
const MANY = 64;

const oneByOne =
  (needles: readonly Needle[]): Finder['find'] =>
  (bytes) => {
    const found: Stretch[] = [];
    for (const needle of needles)
      for (let at = bytes.indexOf(needle.bytes); at >= 0; at = bytes.indexOf(needle.bytes, at + needle.bytes.length))
        found.push({ start: at, end: at + needle.bytes.length, marker: needle.marker });
    return found;
  };

/**
 * Looks at each place for what has the four bytes there that end where the shortest one ends: tokens of one kind begin alike,
 * and differ behind that.
 */
function byBytesWithin(needles: readonly Needle[]): Finder['find'] {
  const shortest = Math.min(...needles.map(({ bytes }) => bytes.length));
  const offset = shortest - 4;
  const buckets = new Map<number, Needle[]>();
  for (const needle of needles) {
    const key = needle.bytes.readInt32LE(offset);
    const bucket = buckets.get(key);
    if (bucket) bucket.push(needle);
    else buckets.set(key, [needle]);
  }
  return (bytes) => {
    const found: Stretch[] = [];
    for (let at = 0; at + shortest <= bytes.length; at += 1)
      for (const { bytes: needle, marker } of buckets.get(bytes.readInt32LE(at + offset)) ?? [])
        if (at + needle.length <= bytes.length && needle.compare(bytes, at, at + needle.length) === 0)
          found.push({ start: at, end: at + needle.length, marker });
    return found;
  };
}
