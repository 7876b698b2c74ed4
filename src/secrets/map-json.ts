/** Maps the values of objects and lists; returns the same object if no value changed, so that a caller sees at once that nothing did. */
import type { JsonObject, JsonValue } from '../core/json.ts';

/** An object with other values; the same object if none of them is another. */
export function mapObject(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  let changed: JsonObject | null = null;
  for (const key of Object.keys(object)) {
    const item = object[key];
    const next = item === undefined ? item : change(item, key);
    if (next === item) continue;
    changed ??= { ...object };
    changed[key] = next;
  }
  return changed ?? object;
}

/** A list of other values; the same list if none of them is another. */
export function mapList(list: readonly JsonValue[], change: (value: JsonValue) => JsonValue): JsonValue {
  let changed: JsonValue[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const next = change(list[index] as JsonValue);
    if (next === list[index]) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return (changed ?? list) as JsonValue;
}
