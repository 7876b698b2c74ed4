/** Plain JSON values, and a few questions about them. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object whose keys we may not all know. */
export type JsonObject = { [key: string]: JsonValue | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
