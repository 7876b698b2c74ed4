/** Keys of lines, by which a line is found again among those that are kept, and their positions in a tree. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { fingerprint, idOf } from './fields.ts';

/** Returns the key of a record, or of a text that is no record: equal texts have equal keys. */
export function keyOf(value: JsonObject | string): string {
  return fingerprint(typeof value === 'string' ? value : JSON.stringify(value)).toString(36);
}

/** A position in a tree of lines. */
export interface Node {
  id: string;
  parent: string | null;
  /** At a compaction: the first line before it that stays in view, or null if none does. */
  keeps?: string | null;
}

/** Reads a position in a tree from a kept record; undefined if it is none. */
export function readNode(value: JsonValue | undefined): Node | undefined {
  const id = isObject(value) ? idOf(value['id']) : undefined;
  if (!isObject(value) || id === undefined) return undefined;
  const keeps = value['keeps'] === undefined ? {} : { keeps: idOf(value['keeps']) ?? null };
  return { id, parent: idOf(value['parent']) ?? null, ...keeps };
}
