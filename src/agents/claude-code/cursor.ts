/** The cursor of a transcript: small plain JSON, and a reader that accepts any value. */
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { type Call, readCalls, readTurnState, type TurnState } from '../shared/calls.ts';
import { idOf, idsOf } from '../shared/fields.ts';
import type { Tokens } from '../shared/usage.ts';
import { type Queued, readQueue } from './queue.ts';

/** A line of the tree: its id, its parent's, and its message's; of a line that is missing yet, the line in place of its parent. */
export type Recent = [id: string, parent: string | null, message: string | null, isAwaited?: boolean];

/** The state of a reader after a part of a transcript. */
export interface Cursor {
  version: 1;
  /** The time of the last line that has one. */
  at: number;
  /** The line at the end of the live branch, and its message. */
  leaf: string | null;
  leaf_message: string | null;
  /** The latest lines, one of which is the parent of the next. */
  recent: Recent[];
  /** First and last message since the last compaction. */
  first: string | null;
  last: string | null;
  /** Earlier messages that the last compaction kept in view. */
  preserved: string[];
  /** Whether only those can be in view, and the messages from the first to the last. */
  is_plain: boolean;
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The message with the agent's last words. */
  speaker: string | null;
  /** The call that asked the user. */
  asking: string | null;
  /** The prompt of the turn: the id of its message, and its text if that is short. */
  prompt: { id: string; text: string | null } | null;
  calls: Call[];
  /** Calls that are missing yet, and whose results came already. */
  early: string[];
  /** Text that was typed while the agent was at work, and has not reached its end. */
  queue: Queued[];
  /** Tokens counted so far for the latest messages. */
  counted: [id: string, tokens: Tokens][];
  around: [key: string, value: string][];
  about: JsonObject;
  /** Whether the file is a sub-agent's own: then its lines are the live branch. */
  is_agent_file: boolean;
}

/** Longest prompt that a cursor holds. */
export const PROMPT_LIMIT = 1024;

function pairs(value: JsonValue | undefined): [string, JsonValue][] {
  return (Array.isArray(value) ? value : []).flatMap((pair): [string, JsonValue][] =>
    Array.isArray(pair) && typeof pair[0] === 'string' && pair[1] !== undefined ? [[pair[0], pair[1]]] : [],
  );
}

/** Reads a cursor; whatever is missing or invalid is as at the beginning of a file. */
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
      const [, parent, message, isAwaited] = Array.isArray(line) ? line : [];
      return id === undefined ? [] : [[id, idOf(parent) ?? null, idOf(message) ?? null, isAwaited === true]];
    }),
    first: idOf(fields['first']) ?? null,
    last: idOf(fields['last']) ?? null,
    preserved: (Array.isArray(fields['preserved']) ? fields['preserved'] : []).flatMap((id) => idOf(id) ?? []),
    is_plain: fields['is_plain'] !== false,
    seq: numberOf(fields['seq']) ?? 0,
    state: readTurnState(fields['state']),
    speaker: idOf(fields['speaker']) ?? null,
    asking: idOf(fields['asking']) ?? null,
    prompt: promptId === undefined ? null : { id: promptId, text: textOf(prompt?.['text']) ?? null },
    calls: readCalls(fields['calls']),
    early: idsOf(fields['early']),
    queue: readQueue(fields['queue']),
    counted: pairs(fields['counted']).map(([id, tokens]): [string, Tokens] => [id, (objectOf(tokens) ?? {}) as Tokens]),
    around: pairs(fields['around']).flatMap(([key, text]): [string, string][] =>
      typeof text === 'string' ? [[key, text]] : [],
    ),
    about: objectOf(fields['about']) ?? {},
    is_agent_file: fields['is_agent_file'] === true,
  };
}
