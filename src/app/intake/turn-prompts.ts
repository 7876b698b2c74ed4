/** Detects the prompts of a transcript that begin a turn: all except the answers that a turn waits for. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import { type JsonValue, objectOf } from '../../core/json.ts';

/**
 * Returns a function that takes the events in order and says whether one is such a prompt; a prompt without text means
 * that the agent continued by itself.
 * @param cursor that of the part before, if any: it records a call of the agent's that the user has not answered yet
 */
export function turnPrompts(cursor: JsonValue | undefined): (event: TranscriptEvent) => boolean {
  let isAsked = typeof objectOf(cursor)?.['asking'] === 'string';
  return (event) => {
    const begins = event.type === 'prompt' && event.text !== '' && !isAsked;
    if (event.type === 'move') isAsked = event.verb === 'ask';
    if (event.type === 'turn' || event.type === 'prompt') isAsked = false;
    return begins;
  };
}
