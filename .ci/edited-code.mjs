// Code that is edited after the bundler made it, with a source map that follows: a stack of the shipped program names its source.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

/** Encodes a number as a source map has it: a sign, then five bits a digit, the lowest first. */
function encodeNumber(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const isLast = rest < 32;
    text += DIGITS[(rest & 31) | (isLast ? 0 : 32)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}

/** Decodes the numbers of one segment. */
function decodeNumbers(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of text) {
    const bits = VALUES.get(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** Returns the offsets at which the lines of a code begin. */
function lineStarts(code) {
  const starts = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Decodes mappings into segments, each with its offset in the code and its fields (source, line, column, name). */
function decodeMappings(mappings, code) {
  const starts = lineStarts(code);
  const segments = [];
  const fields = [0, 0, 0, 0];
  for (const [line, text] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of text === '' ? [] : text.split(',')) {
      const [more, ...changes] = decodeNumbers(segment);
      column += more;
      for (const [index, change] of changes.entries()) fields[index] += change;
      segments.push({ at: starts[line] + column, fields: fields.slice(0, changes.length) });
    }
  }
  return segments;
}

/** Encodes segments, in the order of the code. */
function encodeMappings(segments, code) {
  const starts = lineStarts(code);
  const lines = starts.map(() => []);
  const before = [0, 0, 0, 0];
  let [line, column] = [0, 0];
  for (const { at, fields } of segments) {
    while (line + 1 < starts.length && starts[line + 1] <= at) {
      line += 1;
      column = 0;
    }
    const changes = fields.map((value, index) => value - before[index]);
    for (const [index, value] of fields.entries()) before[index] = value;
    lines[line].push([at - starts[line] - column, ...changes].map(encodeNumber).join(''));
    column = at - starts[line];
  }
  return lines.map((texts) => texts.join(',')).join(';');
}

/** Returns segments that map each word of a source to itself. */
function segmentsOf(source) {
  const starts = lineStarts(source);
  let line = 0;
  return [...source.matchAll(/[\w$]+|[^\s\w$]/g)].map(({ index }) => {
    while (line + 1 < starts.length && starts[line + 1] <= index) line += 1;
    return { at: index, fields: [0, line, index - starts[line]] };
  });
}

export class EditedCode {
  #segments;

  /** @param map the map of the code; without one, the code is a source itself */
  constructor(code, map) {
    this.code = code;
    this.map = map;
    this.#segments = map ? decodeMappings(map.mappings, code) : segmentsOf(code);
  }

  /** Replaces what a pattern finds; `replacement` is called as by `String.replace`. */
  replace(pattern, replacement) {
    const edits = [];
    this.code.replace(pattern, (found, ...more) => {
      const at = more.find((value) => typeof value === 'number');
      edits.push({ at, length: found.length, text: replacement(found, ...more) });
      return '';
    });
    return this.edit(edits);
  }

  /** Puts texts in the place of others, which do not overlap. @param edits each with `at`, `text` and maybe `length` */
  edit(edits) {
    const sorted = edits.toSorted((a, b) => a.at - b.at);
    const parts = [];
    const moved = [];
    let [past, next, shift] = [0, 0, 0];
    /** Moves the segments before an offset by what the edits so far have added. */
    const moveBefore = (end) => {
      for (; this.#segments[next]?.at < end; next += 1)
        moved.push({ ...this.#segments[next], at: this.#segments[next].at + shift });
    };
    for (const { at, length = 0, text } of sorted) {
      moveBefore(at);
      parts.push(this.code.slice(past, at), text);
      past = at + length;
      // The replaced text begins here now.
      for (; this.#segments[next]?.at < past; next += 1) moved.push({ ...this.#segments[next], at: at + shift });
      shift += text.length - length;
    }
    moveBefore(Number.POSITIVE_INFINITY);
    this.code = parts.join('') + this.code.slice(past);
    this.#segments = moved;
    return this;
  }

  /** Returns the mappings of the code as it is now. */
  get mappings() {
    return encodeMappings(this.#segments, this.code);
  }
}
