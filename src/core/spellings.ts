/** Bytes read as what they mean: without the escapes of JSON, of URLs and of forms, and with line ends of one kind. */
import { lazily } from './lazily.ts';

/** Bytes as they can be read, and for each of them, and for their end, the place in what was given. */
export interface Reading {
  readonly bytes: Buffer;
  /** Null if they are what was given. */
  readonly places: Uint32Array | null;
}

/** Levels of strings of JSON inside strings of JSON. */
const DEPTH = 3;

/** Number of bytes that one byte of a text takes at most, as deep as that: a line end as `\\\\r\\\\n`, and each of those in a URL as `%5C`. */
export const LONGEST_SPELLING = 30;

/** Reads the meaning of an escape at a place, and its length in bytes; null if there is none. */
type Escape = (bytes: Buffer, at: number) => { readonly meant: Buffer; readonly length: number } | null;

const BACKSLASH = 0x5c;
const RETURN = 0x0d;
const PERCENT = 0x25;
const PLUS = 0x2b;

const LINE_FEED = lazily(() => ({ meant: Buffer.from('\n'), length: 2 }));
const BLANK = lazily(() => ({ meant: Buffer.from(' '), length: 1 }));
const MEANT = lazily(
  () =>
    new Map(
      Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '"': '"', '/': '/', '\\': '\\' }).map(
        ([sign, meant]) => [sign.charCodeAt(0), { meant: Buffer.from(meant), length: 2 }] as const,
      ),
    ),
);

/** The code unit of a `\uXXXX`, whose digits may be of either case; null if there is none. */
function unitAt(bytes: Buffer, at: number): number | null {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return null;
  const digits = bytes.toString('latin1', at + 2, at + 6);
  return /^[0-9A-Fa-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : null;
}

const ofJson: Escape = (bytes, at) => {
  const plain = MEANT().get(bytes[at + 1] as number);
  if (plain) return plain;
  const unit = unitAt(bytes, at);
  if (unit === null) return null;
  const next = unit >= 0xd800 && unit < 0xdc00 ? unitAt(bytes, at + 6) : null;
  const isPair = next !== null && next >= 0xdc00 && next < 0xe000;
  const text = isPair ? String.fromCharCode(unit, next) : String.fromCharCode(unit);
  return { meant: Buffer.from(text), length: isPair ? 12 : 6 };
};

const ofUrl: Escape = (bytes, at) => {
  const digits = bytes.toString('latin1', at + 1, at + 3);
  return /^[0-9A-Fa-f]{2}$/.test(digits) ? { meant: Buffer.from(digits, 'hex'), length: 3 } : null;
};

const ofForm: Escape = (bytes, at) => (bytes[at] === PLUS ? BLANK() : ofUrl(bytes, at));

const ofLines: Escape = (bytes, at) => (bytes[at + 1] === 0x0a ? LINE_FEED() : null);

/** A reading without the escapes that begin with one of the signs; null if it has none. Never longer than before. */
function without(reading: Reading, signs: readonly number[], escapeAt: Escape): Reading | null {
  const { bytes, places: before } = reading;
  const first = Math.min(...signs.map((sign) => bytes.indexOf(sign)).filter((at) => at >= 0));
  if (!Number.isFinite(first)) return null;
  const read = Buffer.allocUnsafe(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const found = at >= first && signs.includes(byte) ? escapeAt(bytes, at) : null;
    const place = before === null ? at : (before[at] as number);
    if (found === null) {
      read[length] = byte;
      places[length++] = place;
      at += 1;
      continue;
    }
    for (const one of found.meant) {
      read[length] = one;
      places[length++] = place;
    }
    at += found.length;
  }
  if (length === bytes.length && read.equals(bytes)) return null;
  places[length] = before === null ? bytes.length : (before[bytes.length] as number);
  return { bytes: read.subarray(0, length), places };
}

/** With line feeds alone at the ends of lines. */
const withLineFeeds = (reading: Reading): Reading => without(reading, [RETURN], ofLines) ?? reading;

/** A text as it is looked for in readings. */
export const asRead = (text: string): Buffer => Buffer.from(text.replaceAll('\r\n', '\n'));

/** A reading, that as JSON, that as JSON in JSON, and so on, each with its depth. */
function* asJson(given: Reading, from = 0): Generator<[reading: Reading, depth: number]> {
  let reading: Reading | null = given;
  for (let depth = from; reading !== null; depth += 1) {
    yield [reading, depth];
    const inner: Reading | null = depth < DEPTH ? without(reading, [BACKSLASH], ofJson) : null;
    reading = inner && withLineFeeds(inner);
  }
}

/**
 * Every way in which bytes can be read: as they are, as JSON, as JSON in JSON and so on, and each of those as a URL and as a
 * form, which may hold more of it. Most bytes have no escapes and are read once. Takes time in proportion to their length.
 */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  const given: Reading = { bytes, places: null };
  const plain = withLineFeeds(given);
  if (plain !== given) yield given;
  for (const [reading, depth] of asJson(plain)) {
    yield reading;
    const asUrl = without(reading, [PERCENT], ofUrl);
    // A reading without blanks is written in a form as in a URL.
    const asForm = reading.bytes.includes(PLUS) ? without(reading, [PLUS, PERCENT], ofForm) : null;
    for (const carrier of [asUrl, asForm])
      if (carrier) for (const [inner] of asJson(withLineFeeds(carrier), depth)) yield inner;
  }
}

/** Finds the place in the given text at which a stretch of a reading begins, and that at which it ends. */
export const placeIn = ({ places }: Reading, start: number, end: number): { start: number; end: number } =>
  places === null ? { start, end } : { start: places[start] as number, end: places[end] as number };
