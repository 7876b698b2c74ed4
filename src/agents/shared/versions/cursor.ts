/** How far such a transcript was read: small plain JSON, and the same read back with distrust. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import { readTurnState, type TurnState } from '../calls.ts';
import { idOf } from '../fields.ts';
import { type PromptPlace, promptForCursor, readPrompt } from '../prompt.ts';
import { type KnownMessage, knownForCursor, readKnown } from './prints.ts';

export interface VersionCursor {
  /** Time of the last record that told one. */
  at: number;
  /** The latest time that a message told. */
  newest: number;
  /** The messages in view. */
  view: JsonObject;
  /** The latest messages. */
  known: ReadonlyMap<string, KnownMessage>;
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The call that asked the user. */
  asking: string | null;
  prompt: PromptPlace | null;
  about: JsonObject;
}

export function cursorOf(cursor: VersionCursor): JsonValue {
  const { known, prompt, ...plain } = cursor;
  const all = { version: 1, ...plain, known: knownForCursor(known), prompt: promptForCursor(prompt) };
  return JSON.parse(JSON.stringify(all)) as JsonValue;
}

/** A cursor as it came back; what is missing or wrong in it is as at the beginning of a file. */
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
