/** How far a transcript was read: small plain JSON, and the same read back with distrust. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { idOf } from './fields.ts';
import { readToolPart, type ToolPart } from './parts.ts';
import type { Tokens } from './usage.ts';

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
}

export type TurnState = 'running' | 'asked' | 'done' | 'interrupted';

/** A line of the tree: its id, its parent's, and its message's. */
export type Recent = [id: string, parent: string | null, message: string | null];

export interface Cursor {
  version: 1;
  /** Time of the last line that told one. */
  at: number;
  /** The line that the live branch ends in, and its message. */
  leaf: string | null;
  leaf_message: string | null;
  /** The latest lines: a next line hangs on one of them. */
  recent: Recent[];
  /** First and last message since the last compaction. */
  first: string | null;
  last: string | null;
  /** Earlier messages that the last compaction kept in view. */
  preserved: string[];
  /** Whether nothing else can be in view than those, and what lies between the first and the last. */
  is_plain: boolean;
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The call that asked the user. */
  asking: string | null;
  /** The prompt of the turn: id of its message, and its text where that is short. */
  prompt: { id: string; text: string | null } | null;
  calls: Call[];
  /** Tokens counted so far for the latest messages. */
  counted: [id: string, tokens: Tokens][];
  around: [key: string, value: string][];
  about: JsonObject;
  /** Whether the file is a sub-agent's own: then its lines are the live branch. */
  is_agent_file: boolean;
}

/** Open calls that are remembered, the latest. */
export const CALLS_LIMIT = 64;
/** Longest part of one call, and of all, that a cursor holds, as JSON text. */
const PART_LIMIT = 1024;
const PARTS_LIMIT = 8192;
/** Longest prompt that a cursor holds. */
export const PROMPT_LIMIT = 1024;

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
  return [{ id, name, part, message_id, is_side, is_closed: value['is_closed'] === true }];
}

const STATES: readonly unknown[] = ['running', 'asked', 'done', 'interrupted'] satisfies TurnState[];

function pairs(value: JsonValue | undefined): [string, JsonValue][] {
  return (Array.isArray(value) ? value : []).flatMap((pair): [string, JsonValue][] =>
    Array.isArray(pair) && typeof pair[0] === 'string' && pair[1] !== undefined ? [[pair[0], pair[1]]] : [],
  );
}

/** A cursor as it came back; what is missing or wrong in it is as at the beginning of a file. */
export function readCursor(value: JsonValue): Cursor {
  const fields = objectOf(value) ?? {};
  const prompt = objectOf(fields['prompt']);
  const promptId = idOf(prompt?.['id']);
  return {
    version: 1,
    at: numberOf(fields['at']) ?? -1,
    leaf: idOf(fields['leaf']) ?? null,
    leaf_message: idOf(fields['leaf_message']) ?? null,
    recent: (Array.isArray(fields['recent']) ? fields['recent'] : []).flatMap((line): Recent[] => {
      const id = Array.isArray(line) ? idOf(line[0]) : undefined;
      const [, parent, message] = Array.isArray(line) ? line : [];
      return id === undefined ? [] : [[id, idOf(parent) ?? null, idOf(message) ?? null]];
    }),
    first: idOf(fields['first']) ?? null,
    last: idOf(fields['last']) ?? null,
    preserved: (Array.isArray(fields['preserved']) ? fields['preserved'] : []).flatMap((id) => idOf(id) ?? []),
    is_plain: fields['is_plain'] !== false,
    seq: numberOf(fields['seq']) ?? 0,
    state: STATES.includes(fields['state']) ? (fields['state'] as TurnState) : 'running',
    asking: idOf(fields['asking']) ?? null,
    prompt: promptId === undefined ? null : { id: promptId, text: textOf(prompt?.['text']) ?? null },
    calls: (Array.isArray(fields['calls']) ? fields['calls'] : []).flatMap(readCall),
    counted: pairs(fields['counted']).map(([id, tokens]): [string, Tokens] => [id, (objectOf(tokens) ?? {}) as Tokens]),
    around: pairs(fields['around']).flatMap(([key, text]): [string, string][] =>
      typeof text === 'string' ? [[key, text]] : [],
    ),
    about: objectOf(fields['about']) ?? {},
    is_agent_file: fields['is_agent_file'] === true,
  };
}
