/** The cursor of a transcript of lines: small plain JSON, and a reader that accepts any value. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import { type Call, readCalls, readTurnState, type TurnState } from './calls.ts';
import { type Newest, readNewest } from './copies.ts';
import { idOf } from './fields.ts';
import type { LivePlace } from './live.ts';
import { type PromptPlace, readPrompt } from './prompt.ts';
import { readStreamedPlace, type StreamedPlace } from './streamed.ts';
import { readTokens, type Tokens } from './usage.ts';

/** A message that may still grow, with its tokens so far. */
export type Recent = [id: string, tokens: Tokens];

/** The state of a reader after a part of a transcript. */
export interface PlainCursor {
  version: 1;
  /** The time of the last line that has one. */
  at: number;
  newest: Newest;
  live: LivePlace;
  /** The agent's current message. */
  group: string | null;
  /** The latest messages that have an id of the agent's own. */
  recent: Recent[];
  /** The message with the agent's latest words in a turn that continues. */
  speaker: string | null;
  /** The texts that may continue. */
  texts: StreamedPlace[];
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The call that asked the user. */
  asking: string | null;
  prompt: PromptPlace | null;
  calls: Call[];
  about: JsonObject;
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
    version: 1,
    at: numberOf(fields['at']) ?? -1,
    newest: readNewest(fields['newest']),
    live: { leaf: idOf(live?.['leaf']) ?? null, message: idOf(live?.['message']) ?? null, ...formerOf(live) },
    group: idOf(fields['group']) ?? null,
    recent: readRecent(fields['recent']),
    speaker: idOf(fields['speaker']) ?? null,
    texts: (Array.isArray(fields['texts']) ? fields['texts'] : []).flatMap((place) => readStreamedPlace(place) ?? []),
    seq: numberOf(fields['seq']) ?? 0,
    state: readTurnState(fields['state']),
    asking: idOf(fields['asking']) ?? null,
    prompt: readPrompt(fields['prompt']),
    calls: readCalls(fields['calls']),
    about: objectOf(fields['about']) ?? {},
    memory: objectOf(fields['memory']) ?? {},
  };
}
