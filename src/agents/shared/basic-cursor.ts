/** State that the cursors of all readers hold: the calls that wait for their results, the state of a turn, its prompt, the session. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { idOf } from './fields.ts';
import { readToolPart, type ToolPart } from './parts.ts';
import { type PromptPlace, readPrompt } from './prompt.ts';

/** A tool call without a result. */
export interface Call {
  id: string;
  name: string;
  /** The part of the call; undefined if the cursor had no room for it. */
  part: ToolPart | undefined;
  message_id: string;
  /** True if a sub-agent made it. */
  is_side: boolean;
  /** True if it was closed without a result. */
  is_closed: boolean;
  /** True if its turn ended without a result. */
  is_over?: boolean;
}

/** The state of a turn. */
export type TurnState = 'running' | 'asked' | 'done' | 'interrupted';

/** The number of open calls that a cursor holds, the latest. */
export const CALLS_LIMIT = 64;
/** Longest part of one call, and longest of all together, that a cursor holds, as JSON text. */
const PART_LIMIT = 1024;
const PARTS_LIMIT = 8192;
/** Returns the calls as a cursor holds them: the part only if it is small. */
export function callsForCursor(calls: readonly Call[]): Call[] {
  let room = PARTS_LIMIT;
  return calls.slice(-CALLS_LIMIT).map((call) => {
    const length = call.part === undefined ? Number.POSITIVE_INFINITY : JSON.stringify(call.part).length;
    if (length > PART_LIMIT || length > room) return { ...call, part: undefined };
    room -= length;
    return call;
  });
}

function readCall(value: JsonValue): Call[] {
  if (!isObject(value)) return [];
  const id = idOf(value['id']);
  const name = textOf(value['name']);
  const message_id = idOf(value['message_id']);
  if (id === undefined || name === undefined || message_id === undefined) return [];
  const is_side = value['is_side'] === true;
  const part = readToolPart(value['part']);
  const over = value['is_over'] === true ? { is_over: true } : {};
  return [{ id, name, part, message_id, is_side, is_closed: value['is_closed'] === true, ...over }];
}

/** Reads the calls of a cursor, without elements that are no calls. */
function readCalls(value: JsonValue | undefined): Call[] {
  return (Array.isArray(value) ? value : []).flatMap(readCall);
}

const STATES: readonly unknown[] = ['running', 'asked', 'done', 'interrupted'] satisfies TurnState[];

/** Reads the state of a turn from a cursor. */
function readTurnState(value: JsonValue | undefined): TurnState {
  return STATES.includes(value) ? (value as TurnState) : 'running';
}

/** The state of every reader after a part of a transcript. */
export interface BasicCursor {
  version: 1;
  /** The time of the last line that has one; -1 before the first. */
  at: number;
  /** The highest `seq` that was given to a part. */
  seq: number;
  state: TurnState;
  /** The call that asked the user. */
  asking: string | null;
  /** The prompt of the turn. */
  prompt: PromptPlace | null;
  about: JsonObject;
}

/** The state of a reader with calls whose results are in records of their own. */
export interface CallsCursor extends BasicCursor {
  /** The message with the agent's latest words in a turn that continues. */
  speaker: string | null;
  calls: Call[];
}

/** Reads the fields of every cursor; whatever is missing or invalid is as at the beginning of a file. */
export const readBasicCursor = (fields: JsonObject): BasicCursor => ({
  version: 1,
  at: numberOf(fields['at']) ?? -1,
  seq: numberOf(fields['seq']) ?? 0,
  state: readTurnState(fields['state']),
  asking: idOf(fields['asking']) ?? null,
  prompt: readPrompt(fields['prompt']),
  about: objectOf(fields['about']) ?? {},
});

/** Reads the fields of a cursor with calls. */
export const readCallsCursor = (fields: JsonObject): CallsCursor => ({
  ...readBasicCursor(fields),
  speaker: idOf(fields['speaker']) ?? null,
  calls: readCalls(fields['calls']),
});
