/** Transcripts that are one JSON document: cut into its fields and the elements of its list, as far as it can be read. */
import { excessOf, isObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { LINE_LIMIT } from '../../../core/lines.ts';
import type { DocumentBytes, Unfolded } from '../../contract/agent.ts';
import { mapped } from './mapped.ts';
import { Scanner, type Span } from './scanner.ts';

/** A document: where what is around its list lies, and what cannot be read. The elements of the list are gone through. */
export interface Document {
  bytes: DocumentBytes;
  /** Name of its list. */
  list: string;
  /** Where the values of the other fields lie, by their names. */
  fields: ReadonlyMap<string, Span>;
  hasList: boolean;
  /** Whether there is anything in it. */
  hasElements: boolean;
  /** Where that begins which could not be read; where nothing is left, the end. */
  restAt: number;
  /** Whether it came to its end. */
  isWhole: boolean;
}

/** Most fields beside its list that a document has; what comes after them is not read. */
const FIELDS_LIMIT = 10_000;

/** What stands for something that is too long for a line: another line that is. */
const tooLong = (): string => ' '.repeat(LINE_LIMIT + 1);

/** One thing in a document, in its order. `end` comes last: where the rest begins that is not part of it. */
type Item =
  | { type: 'field'; name: string; span: Span }
  | { type: 'list' }
  | { type: 'element'; span: Span }
  | { type: 'end'; restAt: number; isWhole: boolean };

const broken = (restAt: number): Item => ({ type: 'end', restAt, isWhole: false });

/** The text of a stretch, shortened where it is longer than any line; undefined where even that is too long. */
const textAt = (bytes: DocumentBytes, { from, to }: Span): string | undefined =>
  to - from > LINE_LIMIT ? (bytes.shortened?.(from, to) ?? undefined) : bytes.text(from, to);

/** Everything in a document whose list has this name; nothing where it does not begin with an object. */
function* itemsOf(bytes: DocumentBytes, list: string): Generator<Item> {
  const scanner = new Scanner(bytes.pieces());
  try {
    if (!scanner.takes('{')) return;
    let fields = 0;
    while (!scanner.takes('}')) {
      if (scanner.next !== '"') return yield broken(scanner.at);
      const { from, to } = scanner.value();
      const name = to === null ? undefined : valueIn(textAt(bytes, { from, to }));
      fields += 1;
      if (typeof name !== 'string' || fields > FIELDS_LIMIT) return yield broken(from);
      if (name === list && scanner.takes('[')) {
        yield { type: 'list' };
        while (!scanner.takes(']')) {
          const element = scanner.value();
          if (element.to === null) return yield broken(element.from);
          yield { type: 'element', span: { from: element.from, to: element.to } };
        }
      } else {
        const value = scanner.value();
        if (value.to === null) return yield broken(value.from);
        yield { type: 'field', name, span: { from: value.from, to: value.to } };
      }
    }
    scanner.skipWhite();
    yield { type: 'end', restAt: scanner.at, isWhole: true };
  } finally {
    scanner.close();
  }
}

/** Looks through a document whose list has this name; null where it does not begin with an object. */
export function readDocument(bytes: DocumentBytes, list: string): Document | null {
  const fields = new Map<string, Span>();
  let [hasList, hasElements] = [false, false];
  for (const item of itemsOf(bytes, list)) {
    if (item.type === 'field') fields.set(item.name, item.span);
    else if (item.type === 'list') hasList = true;
    else if (item.type === 'element') hasElements = true;
    else if (item.type === 'end') return { ...item, bytes, list, fields, hasList, hasElements };
  }
  return null;
}

/** A text that is a document, as bytes. */
export function documentOf(text: string | Buffer): DocumentBytes {
  const bytes = Buffer.from(text);
  return { size: bytes.length, pieces: () => [bytes], text: (from, to) => bytes.toString('utf8', from, to) };
}

/** The value of a JSON text; undefined where it is none, or too much for one. */
export function valueIn(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    return excessOf(text) === null ? (JSON.parse(text) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
}

/** A text of JSON on one line; what is none as it stands, but for its line feeds. */
function onOneLine(text: string): string {
  const value = valueIn(text);
  return value === undefined ? text.replace(/\r?\n/g, ' ') : JSON.stringify(value);
}

/** The value of a field; undefined where it is absent or none. */
export function fieldOf({ bytes, fields }: Document, name: string): JsonValue | undefined {
  const span = fields.get(name);
  return span && valueIn(textAt(bytes, span));
}

/** The values of all fields but these. */
export function fieldsOf(document: Document, ...but: string[]): JsonObject {
  const values: [string, JsonValue | undefined][] = [];
  for (const name of document.fields.keys()) if (!but.includes(name)) values.push([name, fieldOf(document, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** A field that holds no value, and what is said of it, on a line of its own each. */
function* oddFields(document: Document): Generator<string> {
  for (const [name, span] of document.fields) {
    const text = textAt(document.bytes, span);
    if (text === undefined) yield tooLong();
    else if (valueIn(text) === undefined) yield onOneLine(`${JSON.stringify(name)}: ${text}`);
  }
}

/** Where the elements of the list of a document lie, and last, as one line, what cannot be read of it. */
function* spansOf({ bytes, list }: Document): Generator<Span | string> {
  for (const item of itemsOf(bytes, list)) {
    if (item.type === 'element') yield item.span;
    if (item.type !== 'end') continue;
    const rest = lineAt(bytes, { from: item.restAt, to: bytes.size }).trimEnd();
    // Behind the end of a document an object is no part of it; without that end before it, it would pass for one.
    if (rest !== '') yield item.isWhole && rest.startsWith('{') ? `} ${rest}` : rest;
  }
}

/** The elements of the list of a document, and last what cannot be read of it; each on one line. */
export const elementsOf = (document: Document): Iterable<string> =>
  mapped(spansOf(document), (span) => (typeof span === 'string' ? span : lineAt(document.bytes, span)));

/** The same, those that are objects as such. */
export const objectsOf = (document: Document): Iterable<JsonObject | string> =>
  mapped(spansOf(document), (span) => {
    if (typeof span === 'string') return span;
    const value = valueIn(textAt(document.bytes, span));
    return isObject(value) ? value : lineAt(document.bytes, span);
  });

function lineAt(bytes: DocumentBytes, span: Span): string {
  const text = textAt(bytes, span);
  return text === undefined ? tooLong() : onOneLine(text);
}

/** Whether what begins like this is made of lines, each a JSON value of its own, and no document with a list. */
export function isLines({ bytes, hasList, hasElements, isWhole, restAt }: Document): boolean {
  if (isWhole) return !hasList || (!hasElements && bytes.text(restAt, restAt + 1) === '{');
  // A first line that is still being written; a document is written in one piece, or in lines of its own.
  return !hasList && !/^\ufeff?\s*\{\s*\n/.test(bytes.text(0, 256));
}

/**
 * A document as lines.
 * @param head those that are made of its fields
 * @param body those of its elements and of what cannot be read, each as long as it is asked for
 */
export function unfolded(document: Document, head: readonly string[], body: () => Iterable<string>): Unfolded {
  const first = [...head, ...oddFields(document)];
  return {
    *lines() {
      yield* first;
      yield* body();
    },
    lineInDocument: (line) => lineOfElement(document, line - 1 - first.length),
  };
}

const LINE_FEED = 0x0a;

/** The line of a document on which an element begins; behind the last one, that on which what could not be read does. */
function lineOfElement({ bytes, list, restAt }: Document, index: number): number {
  if (index < 0) return 1;
  let left = index;
  for (const item of itemsOf(bytes, list)) {
    if (item.type !== 'element') continue;
    if (left === 0) return lineOfByte(bytes, item.span.from);
    left -= 1;
  }
  return lineOfByte(bytes, restAt);
}

function lineOfByte(bytes: DocumentBytes, offset: number): number {
  let [line, at] = [1, 0];
  for (const piece of bytes.pieces()) {
    const before = piece.subarray(0, offset - at);
    for (let feed = before.indexOf(LINE_FEED); feed >= 0; feed = before.indexOf(LINE_FEED, feed + 1)) line += 1;
    at += piece.length;
    if (at >= offset) break;
  }
  return line;
}
