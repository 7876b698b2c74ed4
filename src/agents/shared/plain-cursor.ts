/** How far a transcript of lines was read: small plain JSON, and the same read back with distrust. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import { type Call, readCalls, readTurnState, type TurnState } from './calls.ts';
import { type Newest, readNewest } from './copies.ts';
import { idOf } from './fields.ts';
import type { LivePlace } from './live.ts';
import { type PromptPlace, readPrompt } from './prompt.ts';
import { readStreamedPlace, type StreamedPlace } from './streamed.ts';
import { readTokens, type Tokens } from './usage.ts';

/** A message that may still grow, with the tokens that were counted for it. */
export type Recent = [id: string, tokens: Tokens];

export interface PlainCursor {
  version: 1;
  /** Time of the last line that told one. */
  at: number;
  newest: Newest;
  live: LivePlace;
  /** The agent's message that is under way. */
  group: string | null;
  /** The latest messages that have an id of the agent's own. */
  recent: Recent[];
  /** The message with the agent's latest words in a turn that is under way. */
  speaker: string | null;
  /** The texts that may go on. */
  texts: StreamedPlace[];
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The call that asked the user. */
  asking: string | null;
  prompt: PromptPlace | null;
  calls: Call[];
  about: JsonObject;
  /** What the agent remembers. */
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

/** A cursor as it came back; what is missing or wrong in it is as at the beginning of a file. */
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
