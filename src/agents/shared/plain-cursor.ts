/** The cursor of a transcript of lines: small plain JSON, and a reader that accepts any value. */
import { type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { type CallsCursor, readCallsCursor } from './basic-cursor.ts';
import { type Newest, readNewest } from './copies.ts';
import { idOf } from './fields.ts';
import type { LivePlace } from './live.ts';
import { readStreamedPlace, type StreamedPlace } from './streamed.ts';
import { readTokens, type Tokens } from './usage.ts';

/** A message that may still grow, with its tokens so far. */
export type Recent = [id: string, tokens: Tokens];

/** The state of a reader after a part of a transcript. */
export interface PlainCursor extends CallsCursor {
  newest: Newest;
  live: LivePlace;
  /** The agent's current message. */
  group: string | null;
  /** The latest messages that have an id of the agent's own. */
  recent: Recent[];
  /** The texts that may continue. */
  texts: StreamedPlace[];
  /** The agent's own state. */
  memory: JsonObject;
}

function readRecent(value: JsonValue | undefined): Recent[] {
  return (Array.isArray(value) ? value : []).flatMap((pair): Recent[] => {
    const id = Array.isArray(pair) ? idOf(pair[0]) : undefined;
    return id === undefined || !Array.isArray(pair) ? [] : [[id, readTokens(pair[1])]];
  });
}

const formerOf = (live: JsonObject | undefined): Pick<LivePlace, 'former'> => {
  const former = idOf(live?.['former']);
  return former === undefined ? {} : { former };
};

/** Reads a cursor; whatever is missing or invalid is as at the beginning of a file. */
export function readPlainCursor(value: JsonValue): PlainCursor {
  const fields = objectOf(value) ?? {};
  const live = objectOf(fields['live']);
  return {
    ...readCallsCursor(fields),
    newest: readNewest(fields['newest']),
    live: { leaf: idOf(live?.['leaf']) ?? null, message: idOf(live?.['message']) ?? null, ...formerOf(live) },
    group: idOf(fields['group']) ?? null,
    recent: readRecent(fields['recent']),
    texts: (Array.isArray(fields['texts']) ? fields['texts'] : []).flatMap((place) => readStreamedPlace(place) ?? []),
    memory: objectOf(fields['memory']) ?? {},
  };
}
