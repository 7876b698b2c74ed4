/** Writes how far a transcript was read as small plain JSON, and reads it back without trusting it. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import { type BasicCursor, readBasicCursor } from '../basic-cursor.ts';
import { promptForCursor } from '../prompt.ts';
import { type KnownMessage, knownForCursor, readKnown } from './prints.ts';

/** Position up to which a transcript was read. */
export interface VersionCursor extends BasicCursor {
  /** The latest time of a message; -1 if no message had one. */
  newest: number;
  /** The messages in view. */
  view: JsonObject;
  /** The latest messages. */
  known: ReadonlyMap<string, KnownMessage>;
}

/** Returns a cursor as plain JSON. */
export function cursorOf(cursor: Omit<VersionCursor, 'version'>): JsonValue {
  const { known, prompt, ...plain } = cursor;
  const all = { version: 1, ...plain, known: knownForCursor(known), prompt: promptForCursor(prompt) };
  return JSON.parse(JSON.stringify(all)) as JsonValue;
}

/** Reads a cursor back; a field that is missing or invalid gets the value that it has at the beginning of a file. */
export function readCursor(value: JsonValue): VersionCursor & { known: Map<string, KnownMessage> } {
  const fields = objectOf(value) ?? {};
  return {
    ...readBasicCursor(fields),
    newest: numberOf(fields['newest']) ?? -1,
    view: objectOf(fields['view']) ?? {},
    known: readKnown(fields['known']),
  };
}
