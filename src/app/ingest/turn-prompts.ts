/** Which prompts of a transcript begin a turn: all but the answers that a turn waits for. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import { type JsonValue, objectOf } from '../../core/json.ts';

/**
 * Is told of each event in its order, and tells whether it is such a prompt; one without words says that the agent went
 * on by itself.
 * @param cursor that of the part before, if any: a reader says in it which call of the agent's the user has not
 * answered yet
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
