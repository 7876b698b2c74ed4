/** Long texts leave a JSON document for payload objects: `{preview, bytes, sha256, payload}` stays in their place. */
import { isObject, type JsonObject, type JsonValue, parseJson } from './json.ts';
import { head } from './text.ts';

/** A text with more UTF-8 bytes than this lies in a payload (format rule of ctx: 4 KiB). */
export const INLINE_LIMIT = 4096;
/** Code units of a long text that stay behind as its preview. */
export const PREVIEW_LENGTH = 200;

/** Remainder of a long text. */
export interface Stub {
  /** The first characters of the text. */
  preview: string;
  /** Bytes of the payload. */
  bytes: number;
  /** SHA-256 of the payload, hexadecimal. */
  sha256: string;
  /** Name of the payload beside the document. */
  payload: string;
  /** `json`: the payload is the JSON of the value, not its text. `bytes`: it is not valid UTF-8. Absent: UTF-8 text. */
  encoding?: 'json' | 'bytes';
}

export function isStub(value: unknown): value is Stub & { [key: string]: JsonValue } {
  return (
    isObject(value) &&
    typeof value.preview === 'string' &&
    typeof value.payload === 'string' &&
    typeof value.sha256 === 'string' &&
    Number.isSafeInteger(value.bytes)
  );
}

/** Checks if a JSON text may have a stub in it, a stranger's or ours. */
export const mayHoldStub = (json: string): boolean => json.includes('"payload":');

/** Takes the bytes of a payload to their place and gives their SHA-256. */
export type KeepPayload = (name: string, content: Buffer) => string;

/** A name for a payload that is a safe file name whatever the keys were. */
function payloadName(prefix: string, path: readonly string[], taken: Set<string>): string {
  const plain = path
    .join('.')
    .replace(/[^A-Za-z0-9_.]/g, '_')
    .slice(0, 80);
  return freeName(`${prefix}-${plain}`, taken);
}

/** The name, with a number behind it where it is taken; it is taken from then on. Some disks know no upper case. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${wanted}-${count}`;
  taken.add(name.toLowerCase());
  return name;
}

/**
 * Gives the value with every long text in it replaced by a stub, and hands the texts to `keep`.
 * A text that UTF-8 cannot hold (a lone surrogate) is kept as JSON, so that it comes back as it was.
 * @param own names of payloads that the value has already: stubs that name them stay
 * @returns a new object in any case; what lies deeper and is as it was is the same
 */
export function externalise<T>(value: T, prefix: string, keep: KeepPayload, own: readonly string[] = []): T {
  const taken = new Set(own.map((name) => name.toLowerCase()));
  const next = externalised(value, { prefix, keep, own, taken, path: [] });
  return (next === value && isObject(value) ? Object.fromEntries(Object.entries(value)) : next) as T;
}

/**
 * State of the walk through one value. Handed from function to function: V8 throws away what it has optimised of functions, and
 * for objects of a class, that are made for each value, whenever garbage is collected.
 */
interface Externalising {
  readonly prefix: string;
  readonly keep: KeepPayload;
  readonly own: readonly string[];
  /** Names of payloads, in lower case. */
  readonly taken: Set<string>;
  /** The keys that lead to where it is. */
  readonly path: string[];
}

function externalised(node: unknown, at: Externalising): unknown {
  if (typeof node === 'string') return externalisedText(node, at);
  if (typeof node !== 'object' || node === null) return node;
  if (!isStub(node)) return externalisedEntries(node, at);
  // A value that a stranger made to look like a stub of ours goes as a whole, so that every stub that is read is one.
  return at.own.includes(node.payload) ? node : asJson(node, payloadName(at.prefix, at.path, at.taken), at.keep);
}

function externalisedText(text: string, { prefix, keep, taken, path }: Externalising): string | Stub {
  // A code unit takes at most three bytes: most texts are known to be short without counting.
  if (text.length * 3 <= INLINE_LIMIT || Buffer.byteLength(text) <= INLINE_LIMIT) return text;
  const wellFormed = text.isWellFormed();
  const content = Buffer.from(wellFormed ? text : JSON.stringify(text));
  const payload = payloadName(prefix, path, taken);
  const sha256 = keep(payload, content);
  const stub: Stub = { preview: copyOf(head(text, PREVIEW_LENGTH)), bytes: content.length, sha256, payload };
  return wellFormed ? stub : { ...stub, encoding: 'json' };
}

/** A short text in a place of its own: as a piece of a long one it would keep all of that alive. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** An object that has no long text in it is not copied. */
function externalisedEntries(node: object, at: Externalising): unknown {
  let changed: Record<string, unknown> | null = null;
  for (const key of Object.keys(node)) {
    const item = (node as Record<string, unknown>)[key];
    at.path.push(key);
    const next = externalised(item, at);
    at.path.pop();
    if (next === item) continue;
    changed ??= (Array.isArray(node) ? [...node] : Object.fromEntries(Object.entries(node))) as Record<string, unknown>;
    changed[key] = next;
  }
  return changed ?? node;
}

/** Keeps a value as JSON in a payload; gives its stub. */
function asJson(value: unknown, payload: string, keep: KeepPayload): Stub {
  const content = Buffer.from(JSON.stringify(value));
  const sha256 = keep(payload, content);
  const preview = content.toString('latin1', 0, PREVIEW_LENGTH).replace(/[^ -~]/g, '?');
  return { preview, bytes: content.length, sha256, payload, encoding: 'json' };
}

/** Largest value that is not worth a payload, in bytes of JSON. */
const SMALL_VALUE = 256;

/**
 * Moves the largest values out of a document until its JSON is within a limit. Its texts must have been moved out before.
 * @param whole the document with its texts, from which the values are stored
 * @returns the JSON, or null if too many small values are left
 */
export function relieve(
  document: JsonObject,
  whole: JsonObject,
  prefix: string,
  limit: number,
  keep: KeepPayload,
): string | null {
  let text = JSON.stringify(document);
  if (Buffer.byteLength(text) <= limit) return text;
  // A payload that stays inside another value that goes is named no more, but by a stub that the whole value had already.
  const taken = new Set(stubsIn([document, whole]).map(({ payload }) => payload.toLowerCase()));
  while (Buffer.byteLength(text) > limit) {
    const [weight, key] = heaviest(document);
    if (weight <= SMALL_VALUE) return null;
    const name = freeName(`${prefix}-value-${key.replace(/[^A-Za-z0-9_]/g, '_').slice(0, 40)}`, taken);
    document[key] = asJson(whole[key], name, keep) as unknown as JsonValue;
    text = JSON.stringify(document);
  }
  return text;
}

function heaviest(document: JsonObject): [weight: number, key: string] {
  return Object.entries(document)
    .filter(([, value]) => !isStub(value))
    .map(([key, value]): [number, string] => [Buffer.byteLength(JSON.stringify(value) ?? ''), key])
    .reduce((most, candidate) => (candidate[0] > most[0] ? candidate : most), [0, '']);
}

/** The value of a JSON text, or undefined if it is none. */
function parsed(content: Buffer): JsonValue | undefined {
  try {
    return parseJson(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Gives the bytes of a stub's payload, or null if they are too many to hold. */
export type FetchPayload = (stub: Stub) => Buffer | null;

function restore(stub: Stub, fetch: FetchPayload): unknown {
  const content = fetch(stub);
  if (content === null) return stub;
  if (stub.encoding === 'json') return parsed(content) ?? stub;
  return content.toString('utf8');
}

/** Puts long texts back into their places. A stub whose payload cannot be had stays a stub. */
export function internalise<T>(value: T, fetch: FetchPayload): T {
  const visit = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (isStub(node)) return restore(node, fetch);
    if (Array.isArray(node)) return node.map(visit);
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item)]));
  };
  return visit(value) as T;
}

/** Returns every stub in a value. @param found those so far; grows */
export function stubsIn(value: unknown, found: Stub[] = []): Stub[] {
  if (typeof value !== 'object' || value === null) return found;
  if (isStub(value)) found.push(value);
  else for (const key of Object.keys(value)) stubsIn((value as Record<string, unknown>)[key], found);
  return found;
}
