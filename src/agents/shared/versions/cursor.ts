/** Writes how far a transcript was read as small plain JSON, and reads it back without trusting it. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import { readTurnState, type TurnState } from '../calls.ts';
import { idOf } from '../fields.ts';
import { type PromptPlace, promptForCursor, readPrompt } from '../prompt.ts';
import { type KnownMessage, knownForCursor, readKnown } from './prints.ts';

/** How far a transcript was read. */
export interface VersionCursor {
  /** The time of the last record that has one; -1 before the first. */
  at: number;
  /** The latest time of a message; -1 if no message had one. */
  newest: number;
  /** The messages in view. */
  view: JsonObject;
  /** The latest messages. */
  known: ReadonlyMap<string, KnownMessage>;
  /** The highest `seq` that was given to a part. */
  seq: number;
  state: TurnState;
  /** The id of the call that asked the user a question, or null if no question is open. */
  asking: string | null;
  prompt: PromptPlace | null;
  about: JsonObject;
}

/** Returns a cursor as plain JSON. */
export function cursorOf(cursor: VersionCursor): JsonValue {
  const { known, prompt, ...plain } = cursor;
  const all = { version: 1, ...plain, known: knownForCursor(known), prompt: promptForCursor(prompt) };
  return JSON.parse(JSON.stringify(all)) as JsonValue;
}

/** Reads a cursor back; a field that is missing or invalid gets the value that it has at the beginning of a file. */
export function readCursor(value: JsonValue): VersionCursor & { known: Map<string, KnownMessage> } {
  const fields = objectOf(value) ?? {};
  return {
    at: numberOf(fields['at']) ?? -1,
    newest: numberOf(fields['newest']) ?? -1,
    view: objectOf(fields['view']) ?? {},
    known: readKnown(fields['known']),
    seq: numberOf(fields['seq']) ?? 0,
    state: readTurnState(fields['state']),
    asking: idOf(fields['asking']) ?? null,
    prompt: readPrompt(fields['prompt']),
    about: objectOf(fields['about']) ?? {},
  };
}
