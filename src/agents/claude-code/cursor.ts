/** The cursor of a transcript: small plain JSON, and a reader that accepts any value. */
import { type JsonValue, objectOf } from '../../core/json.ts';
import { type CallsCursor, readCallsCursor } from '../shared/basic-cursor.ts';
import { idOf, idsOf, readPairs } from '../shared/fields.ts';
import type { Tokens } from '../shared/usage.ts';
import { type Queued, readQueue } from './queue.ts';

/** A line of the tree: its id, its parent's, and its message's; of a line that is missing yet, the line in place of its parent. */
export type Recent = [id: string, parent: string | null, message: string | null, isAwaited?: boolean];

/** The state of a reader after a part of a transcript. */
export interface Cursor extends CallsCursor {
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
  /** True if only those can be in view, and the messages from the first to the last. */
  is_plain: boolean;
  /** Calls that are missing yet, and whose results came already. */
  early: string[];
  /** Text that was typed while the agent was at work, and has not reached its end. */
  queue: Queued[];
  /** Tokens counted so far for the latest messages. */
  counted: [id: string, tokens: Tokens][];
  around: [key: string, value: string][];
  /** True if the file is a sub-agent's own: then its lines are the live branch. */
  is_agent_file: boolean;
}

function pairs(value: JsonValue | undefined): [string, JsonValue][] {
  return (Array.isArray(value) ? value : []).flatMap((pair): [string, JsonValue][] =>
    Array.isArray(pair) && typeof pair[0] === 'string' && pair[1] !== undefined ? [[pair[0], pair[1]]] : [],
  );
}

/** Reads a cursor; whatever is missing or invalid is as at the beginning of a file. */
export function readCursor(value: JsonValue): Cursor {
  const fields = objectOf(value) ?? {};
  return {
    ...readCallsCursor(fields),
    leaf: idOf(fields['leaf']) ?? null,
    leaf_message: idOf(fields['leaf_message']) ?? null,
    recent: (Array.isArray(fields['recent']) ? fields['recent'] : []).flatMap((line): Recent[] => {
      const id = Array.isArray(line) ? idOf(line[0]) : undefined;
      const [, parent, message, isAwaited] = Array.isArray(line) ? line : [];
      return id === undefined ? [] : [[id, idOf(parent) ?? null, idOf(message) ?? null, isAwaited === true]];
    }),
    first: idOf(fields['first']) ?? null,
    last: idOf(fields['last']) ?? null,
    preserved: idsOf(fields['preserved']),
    is_plain: fields['is_plain'] !== false,
    early: idsOf(fields['early']),
    queue: readQueue(fields['queue']),
    counted: pairs(fields['counted']).map(([id, tokens]): [string, Tokens] => [id, (objectOf(tokens) ?? {}) as Tokens]),
    around: readPairs(fields['around']),
    is_agent_file: fields['is_agent_file'] === true,
  };
}
