/** Plain JSON values, and a few questions about them. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object whose keys we may not all know. */
export type JsonObject = { [key: string]: JsonValue | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Most values that one JSON text from outside may hold: small ones take a hundred bytes of memory each, however short they are written. */
export const VALUES_LIMIT = 250_000;

/** Deepest nesting of a JSON text from outside: a deeper value exhausts the stack of a function that walks it. */
export const DEPTH_LIMIT = 500;

/**
 * Parses a JSON text that may come from anywhere.
 * @param most values that it may hold
 * @throws {SyntaxError} where it is none, holds too many values or is too deep
 */
export function parseJson(text: string, most = VALUES_LIMIT): JsonValue {
  const excess = excessOf(text, most);
  if (excess !== null) throw new SyntaxError(`it ${excess}`);
  return JSON.parse(text) as JsonValue;
}

/** Words what of a text is too much to be parsed; null if nothing is. Counts without building any value. */
export function excessOf(text: string, most = VALUES_LIMIT): string | null {
  if (text.length <= DEPTH_LIMIT) return null;
  // Each value but the first follows one of `[{,`.
  let values = 1;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22) index = endOfText(text, index);
    else if (unit === 0x5d || unit === 0x7d) depth -= 1;
    else if (unit === 0x2c) values += 1;
    else if (unit === 0x5b || unit === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > DEPTH_LIMIT) return `is nested more than ${DEPTH_LIMIT} levels deep`;
    }
    if (values > most) return `holds more than ${most} values`;
  }
  return null;
}

/** Finds the end of the text that a quote begins: its other quote, or the end of all. */
export function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    // Of an even number of backslashes none belongs to the quote.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The value of a key that must hold text, or undefined. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value of a key that must hold a finite number, or undefined. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value of a key that must hold an object, or undefined. */
export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
