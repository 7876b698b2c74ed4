/** Transcripts that are one JSON document: cut into its fields and the elements of its list, as far as it can be read. */
import { excessOf, type JsonValue } from '../../../core/json.ts';

/** A document as it stands: what is around its list, the texts of the list's elements, and what cannot be read. */
export interface Document {
  /** Texts of the values of the other fields. */
  fields: Map<string, string>;
  /** Texts of the elements of the list; null where it has no such list. */
  elements: string[] | null;
  /** Where in the text each element begins. */
  starts: number[];
  /** What could not be read; empty where nothing. */
  rest: string;
  /** Where in the text that begins. */
  restAt: number;
  /** Whether it came to its end. */
  isWhole: boolean;
}

/** A byte order mark is blank, too. */
const BLANK = /[\s,:]/;

/** Goes through the text of a document. */
class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get next(): string {
    while (this.at < this.text.length && BLANK.test(this.text.charAt(this.at))) this.at += 1;
    return this.text.charAt(this.at);
  }

  /** Takes one of these, if it is next. */
  takes(sign: string): boolean {
    if (this.next !== sign) return false;
    this.at += 1;
    return true;
  }

  /** The text of the value that is next, or null where it does not end. */
  value(): string | null {
    const first = this.next;
    const start = this.at;
    const end = first === '{' || first === '[' ? this.#nested() : first === '"' ? this.#quoted(start) : this.#plain();
    if (end < 0) return null;
    this.at = end;
    return this.text.slice(start, end);
  }

  #quoted(start: number): number {
    for (let index = start + 1; index < this.text.length; index += 1) {
      const unit = this.text.charCodeAt(index);
      if (unit === 0x5c) index += 1;
      else if (unit === 0x22) return index + 1;
    }
    return -1;
  }

  #nested(): number {
    let depth = 0;
    for (let index = this.at; index < this.text.length; index += 1) {
      const unit = this.text.charCodeAt(index);
      if (unit === 0x22) {
        index = this.#quoted(index) - 1;
        if (index < 0) return -1;
      } else if (unit === 0x7b || unit === 0x5b) depth += 1;
      else if (unit === 0x7d || unit === 0x5d) {
        depth -= 1;
        if (depth === 0) return index + 1;
      }
    }
    return -1;
  }

  /** A number, `true`, `false` or `null`: only where something comes after it is it known to be whole. */
  #plain(): number {
    const word = /^[\w.+-]+(?=[\s,\]}])/.exec(this.text.slice(this.at, this.at + 64))?.[0];
    return word === undefined ? -1 : this.at + word.length;
  }
}

/** The value of a JSON text; undefined where it is none, or too much for one. */
export function valueIn(text: string): JsonValue | undefined {
  try {
    return excessOf(text) === null ? (JSON.parse(text) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the elements of a list. False where it breaks off. */
function takeElements(scanner: Scanner, elements: string[], starts: number[]): boolean {
  while (!scanner.takes(']')) {
    const element = scanner.value();
    if (element === null) return false;
    elements.push(element);
    starts.push(scanner.at - element.length);
  }
  return true;
}

/** Takes the fields of an object. False where it breaks off. */
function takeFields(scanner: Scanner, list: string, document: Document): boolean {
  while (!scanner.takes('}')) {
    const key = scanner.next === '"' ? scanner.value() : null;
    const name = key === null ? undefined : valueIn(key);
    if (typeof name !== 'string') return false;
    if (name === list && scanner.takes('[')) {
      document.elements ??= [];
      if (!takeElements(scanner, document.elements, document.starts)) return false;
    } else {
      const value = scanner.value();
      if (value === null) return false;
      document.fields.set(name, value);
    }
  }
  return true;
}

/** Reads a document whose list has this name; null where the text does not begin with an object. */
export function readDocument(text: string, list: string): Document | null {
  const scanner = new Scanner(text);
  if (!scanner.takes('{')) return null;
  const document: Document = { fields: new Map(), elements: null, starts: [], rest: '', restAt: 0, isWhole: false };
  document.isWhole = takeFields(scanner, list, document);
  const rest = text.slice(scanner.at).trimStart();
  document.rest = rest.trimEnd();
  document.restAt = text.length - rest.length;
  return document;
}

/** The line of a document on which an element begins; behind the last one, that on which what could not be read does. */
export function lineOfElement(text: string, { starts, restAt }: Document, index: number): number {
  return text.slice(0, index < 0 ? 0 : (starts[index] ?? restAt)).split('\n').length;
}

/** A text of JSON on one line; what is none as it stands, but for its line feeds. */
export function onOneLine(text: string): string {
  const value = valueIn(text);
  return value === undefined ? text.replace(/\r?\n/g, ' ') : JSON.stringify(value);
}

/** The value of a field; undefined where it is absent or none. */
export function fieldOf(document: Document, name: string): JsonValue | undefined {
  const text = document.fields.get(name);
  return text === undefined ? undefined : valueIn(text);
}

/** Whether a text that begins like this is made of lines, each a JSON value of its own, and no document with a list. */
export function isLines(text: string, { elements, rest, isWhole }: Document): boolean {
  if (isWhole) return elements === null || rest.startsWith('{');
  // A first line that is still being written; a document is written in one piece, or in lines of its own.
  return elements === null && !/^\ufeff?\s*\{\s*\n/.test(text);
}
