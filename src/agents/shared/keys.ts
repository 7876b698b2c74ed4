/** Keys of lines: what finds a line again among those that are kept, and where it stands in its tree. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { fingerprint, idOf } from './fields.ts';

/** The key of a record, or of a text that is none: the same text has the same key, wherever it stands. */
export function keyOf(value: JsonObject | string): string {
  return fingerprint(typeof value === 'string' ? value : JSON.stringify(value)).toString(36);
}

/** A place in a tree of lines. */
export interface Node {
  id: string;
  parent: string | null;
  /** At a compaction: the first line before it that stays in view, or null where none does. */
  keeps?: string | null;
}

/** A place in a tree as it was kept; undefined where it is none. */
export function readNode(value: JsonValue | undefined): Node | undefined {
  const id = isObject(value) ? idOf(value['id']) : undefined;
  if (!isObject(value) || id === undefined) return undefined;
  const keeps = value['keeps'] === undefined ? {} : { keeps: idOf(value['keeps']) ?? null };
  return { id, parent: idOf(value['parent']) ?? null, ...keeps };
}
