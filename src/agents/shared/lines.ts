/** Reads one line of a JSONL transcript: the JSON objects on it, and a problem if there is one. */
import { excessOf, isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { plural } from '../../core/text.ts';

/** Nesting that no agent writes; deeper values would overflow the stack of a function that walks them. */
const DEPTH_LIMIT = 200;

/** The number of positions after a damaged text that are tried. */
const ATTEMPTS = 16;

/** Finds the whole records of an agent after a damaged text. */
export interface RecordShape {
  /** The possible beginnings of a record: its first key, as the agent writes it; a global expression. */
  beginnings: RegExp;
  /** Returns whether an object is a whole record and not a piece of one. */
  isWhole: (record: JsonObject) => boolean;
  /**
   * Reads the text in a record as a line is read, if that text is no single whole message; null if it is one.
   * Absent if records hold no text of that kind.
   */
  inside?: (record: JsonObject) => LineRead | null;
}

/** The result of reading one line. */
export interface LineRead {
  /** The JSON objects on the line, in order. */
  records: JsonObject[];
  /** The problem of the line, in one line of plain text; null if there is none. */
  problem: string | null;
  /** The text of the line that could not be read and is kept unchanged. */
  rest: string | null;
}

function isDeeperThan(value: JsonValue | undefined, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const item of Object.values(value)) if (isDeeperThan(item, limit - 1)) return true;
  return false;
}

/** Returns the index after the object that begins at `start`, or -1 if it does not end. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (quoted) {
      if (unit === 0x5c) index += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x7b) depth += 1;
    else if (unit === 0x7d) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function parseObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) && !isDeeperThan(value, DEPTH_LIMIT) ? value : null;
  } catch {
    return null;
  }
}

/** Reads objects one after the other from `start`; `end` is the position of the first text that is no object. */
function readRun(text: string, start: number): { records: JsonObject[]; end: number } {
  const records: JsonObject[] = [];
  let position = start;
  while (position < text.length) {
    const begin = position + (text.slice(position).search(/\S|$/) || 0);
    if (begin >= text.length) return { records, end: text.length };
    const end = text[begin] === '{' ? objectEnd(text, begin) : -1;
    const record = end < 0 ? null : parseObject(text.slice(begin, end));
    if (!record) return { records, end: begin };
    records.push(record);
    position = end;
  }
  return { records, end: position };
}

/** Finds whole records after a damaged beginning that reach to the end of the line. */
function recover(text: string, from: number, shape: RecordShape): { records: JsonObject[]; start: number } | null {
  let attempts = 0;
  for (const match of text.slice(from).matchAll(shape.beginnings)) {
    if (match.index > 0) {
      const run = readRun(text, from + match.index);
      if (run.end >= text.length && run.records.length > 0 && run.records.every(shape.isWhole)) {
        return { records: run.records, start: from + match.index };
      }
    }
    attempts += 1;
    if (attempts > ATTEMPTS) break;
  }
  return null;
}

/** Returns whether a text consists of whole objects, one or several. */
export function holdsWholeObjects(text: string): boolean {
  if (excessOf(text) !== null) return false;
  const { records, end } = readRun(text, 0);
  return records.length > 0 && end >= text.length;
}

function whole(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Reads a line. Never throws; a blank line has no records. */
export function readLine(line: string, shape: RecordShape): LineRead {
  const outer = readObjects(line, shape);
  const { inside } = shape;
  if (!inside) return outer;
  const reads = outer.records.map((record) => inside(record) ?? { records: [record], problem: null, rest: null });
  const all = [...reads, { ...outer, records: [] }];
  return {
    records: all.flatMap(({ records }) => records),
    problem: all.flatMap(({ problem }) => problem ?? []).join('; ') || null,
    rest: all.flatMap(({ rest }) => rest ?? []).join('\n') || null,
  };
}

function readObjects(line: string, shape: RecordShape): LineRead {
  const text = line.replace(/^\ufeff/, '');
  if (text.trim() === '') return { records: [], problem: null, rest: null };
  const excess = excessOf(text);
  if (excess !== null) return { records: [], problem: `${excess}; its text is kept`, rest: line };
  const value = whole(text);
  if (value !== undefined) {
    if (!isObject(value)) return { records: [], problem: 'is JSON, but not an object; its text is kept', rest: line };
    if (!isDeeperThan(value, DEPTH_LIMIT)) return { records: [value], problem: null, rest: null };
    return { records: [], problem: `is nested more than ${DEPTH_LIMIT} deep; its text is kept`, rest: line };
  }
  const run = readRun(text, 0);
  if (run.end >= text.length) {
    return { records: run.records, problem: `holds ${run.records.length} JSON objects; all were read`, rest: null };
  }
  const found = recover(text, run.end, shape);
  const records = [...run.records, ...(found?.records ?? [])];
  const kept =
    records.length > 0
      ? `${plural(records.length, 'whole object')} on it, and the rest as text, are kept`
      : 'its text is kept';
  const problem = `is not JSON from character ${run.end + 1} on; ${kept}`;
  return { records, problem, rest: text.slice(run.end, found?.start) };
}

/** Parses a JSON text inside a record; undefined if it is invalid, too deep or too large. */
export function readValue(text: string): JsonValue | undefined {
  if (excessOf(text) !== null) return undefined;
  const value = whole(text);
  return isDeeperThan(value, DEPTH_LIMIT) ? undefined : value;
}

/** Returns whether one of the first lines of a text has a record of this kind. */
export function hasRecord(
  beginning: string,
  read: (line: string) => LineRead,
  isOurs: (record: JsonObject) => boolean,
): boolean {
  return beginning.split('\n', 64).some((line) => read(line).records.some(isOurs));
}
