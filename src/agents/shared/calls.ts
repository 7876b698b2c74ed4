/** Tool calls that wait for their results, and the state of a turn, as a cursor holds them. */
import { isObject, type JsonValue, textOf } from '../../core/json.ts';
import { idOf } from './fields.ts';
import { readToolPart, type ToolPart } from './parts.ts';

/** A tool call without a result. */
export interface Call {
  id: string;
  name: string;
  /** The part that stands for it; undefined where the cursor had no room for it. */
  part: ToolPart | undefined;
  message_id: string;
  /** Whether a sub-agent made it. */
  is_side: boolean;
  /** Whether it was given as closed without a result. */
  is_closed: boolean;
  /** Whether its turn was over without one. */
  is_over?: boolean;
}

export type TurnState = 'running' | 'asked' | 'done' | 'interrupted';

/** Open calls that are remembered, the latest. */
export const CALLS_LIMIT = 64;
/** Longest part of one call, and of all, that a cursor holds, as JSON text. */
const PART_LIMIT = 1024;
const PARTS_LIMIT = 8192;
/** The calls as a cursor holds them: the part only where it is small. */
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

/** Calls as they came back in a cursor; what is no call is left out. */
export function readCalls(value: JsonValue | undefined): Call[] {
  return (Array.isArray(value) ? value : []).flatMap(readCall);
}

const STATES: readonly unknown[] = ['running', 'asked', 'done', 'interrupted'] satisfies TurnState[];

/** The state of a turn as it came back in a cursor. */
export function readTurnState(value: JsonValue | undefined): TurnState {
  return STATES.includes(value) ? (value as TurnState) : 'running';
}
