/** Transcripts that are one JSON document, split into fields and the elements of a list, as far as the document can be parsed. */
import { excessOf, isObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { LINE_LIMIT } from '../../../core/lines.ts';
import type { DocumentBytes, Unfolded } from '../../contract/agent.ts';
import { mapped } from './mapped.ts';
import { Scanner, type Span } from './scanner.ts';

/** A document: the positions of its fields, and of the text that cannot be read. The elements of its list are read one by one. */
export interface Document {
  bytes: DocumentBytes;
  /** Name of its list. */
  list: string;
  /** The positions of the values of the other fields, by their names. */
  fields: ReadonlyMap<string, Span>;
  hasList: boolean;
  /** True if the list has elements. */
  hasElements: boolean;
  /** The position of the text that could not be read; the end of the document if there is none. */
  restAt: number;
  /** True if the document is complete. */
  isWhole: boolean;
}

/** The number of fields beside its list that are read of a document. */
const FIELDS_LIMIT = 10_000;

/** Returns a line that is too long, in place of a value that is. */
const tooLong = (): string => ' '.repeat(LINE_LIMIT + 1);

/** One item of a document, in its order. `end` comes last, with the position after the document. */
type Item =
  | { type: 'field'; name: string; span: Span }
  | { type: 'list' }
  | { type: 'element'; span: Span }
  | { type: 'end'; restAt: number; isWhole: boolean };

const broken = (restAt: number): Item => ({ type: 'end', restAt, isWhole: false });

/** Returns the text of a range, shortened if it is longer than any line; undefined if even the short form is too long. */
const textAt = (bytes: DocumentBytes, { from, to }: Span): string | undefined =>
  to - from > LINE_LIMIT ? (bytes.shortened?.(from, to) ?? undefined) : bytes.text(from, to);

/** Yields everything in a document whose list has this name; nothing if it does not begin with an object. */
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

/** Reads the structure of a document whose list has this name; null if it does not begin with an object. */
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

/** Returns the bytes of a document that is a text. */
export function documentOf(text: string | Buffer): DocumentBytes {
  const bytes = Buffer.from(text);
  return { size: bytes.length, pieces: () => [bytes], text: (from, to) => bytes.toString('utf8', from, to) };
}

/** Parses a JSON text; undefined if it is invalid or too large. */
export function valueIn(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    return excessOf(text) === null ? (JSON.parse(text) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a JSON text on one line; an invalid one without its line feeds. */
function onOneLine(text: string): string {
  const value = valueIn(text);
  return value === undefined ? text.replace(/\r?\n/g, ' ') : JSON.stringify(value);
}

/** Returns the value of a field; undefined if it is absent or invalid. */
export function fieldOf({ bytes, fields }: Document, name: string): JsonValue | undefined {
  const span = fields.get(name);
  return span && valueIn(textAt(bytes, span));
}

/** Returns the values of all fields but these. */
export function fieldsOf(document: Document, ...but: string[]): JsonObject {
  const values: [string, JsonValue | undefined][] = [];
  for (const name of document.fields.keys()) if (!but.includes(name)) values.push([name, fieldOf(document, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Yields a line for each field without a valid value. */
function* oddFields(document: Document): Generator<string> {
  for (const [name, span] of document.fields) {
    const text = textAt(document.bytes, span);
    if (text === undefined) yield tooLong();
    else if (valueIn(text) === undefined) yield onOneLine(`${JSON.stringify(name)}: ${text}`);
  }
}

/** Yields the positions of the elements of a document's list, and last, as one line, the text that cannot be read. */
function* spansOf({ bytes, list }: Document): Generator<Span | string> {
  for (const item of itemsOf(bytes, list)) {
    if (item.type === 'element') yield item.span;
    if (item.type !== 'end') continue;
    const rest = lineAt(bytes, { from: item.restAt, to: bytes.size }).trimEnd();
    // Text after the end of a document may look like an object, but is no part of it: the brace marks it as unreadable.
    if (rest !== '') yield item.isWhole && rest.startsWith('{') ? `} ${rest}` : rest;
  }
}

/** Returns the elements of a document's list, and last the text that cannot be read; each on one line. */
export const elementsOf = (document: Document): Iterable<string> =>
  mapped(spansOf(document), (span) => (typeof span === 'string' ? span : lineAt(document.bytes, span)));

/** Returns the same elements, objects as values and everything else as lines. */
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

/** Returns whether a text that begins like this is made of lines, each a JSON value of its own, and is no document with a list. */
export function isLines({ bytes, hasList, hasElements, isWhole, restAt }: Document): boolean {
  if (isWhole) return !hasList || (!hasElements && bytes.text(restAt, restAt + 1) === '{');
  // An incomplete first line; a document is written in one piece, or over several lines.
  return !hasList && !/^\ufeff?\s*\{\s*\n/.test(bytes.text(0, 256));
}

/**
 * Returns a document as lines.
 * @param head the lines that are made of its fields
 * @param body returns the lines of its elements and of the text that cannot be read
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

/** Returns the line of a document on which an element begins; after the last one, the line of the text that could not be read. */
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
