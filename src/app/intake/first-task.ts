/** Decides which prompt of a transcript begins its session: the first that may be a task, as with hooks. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import { isLoneCommand } from '../../core/listing/title.ts';
import { beginsTask, DEEDS } from '../../language/index.ts';

/** Most events that are held until a task comes: after so many, the agent must be working on the first prompt. */
const MOST_HELD = 1000;

/** Forwards the events of a new session from the first task on: "Thanks!" and the answer to that begin none. */
export class FirstTask {
  readonly #take: (event: TranscriptEvent) => void;
  /** Null once it has begun. */
  #held: TranscriptEvent[] | null = [];

  readonly #areCallsDeeds: boolean;

  /**
   * @param isBegun whether there is a task already
   * @param areCallsDeeds whether a call counts as a deed, since the agent records no results
   */
  constructor(take: (event: TranscriptEvent) => void, isBegun: boolean, areCallsDeeds: boolean) {
    this.#take = take;
    this.#areCallsDeeds = areCallsDeeds;
    if (isBegun) this.#held = null;
  }

  take(event: TranscriptEvent): void {
    const held = this.#held;
    if (!held) {
      this.#take(event);
      return;
    }
    if (isTask(event) && !isCommand(event)) this.#begin(held.filter(isInAnyTurn));
    else if (isDeed(event) || (this.#areCallsDeeds && hasCall(event)) || held.length === MOST_HELD) this.#begin(held);
    else {
      held.push(event);
      return;
    }
    this.#take(event);
  }

  /** Begins with the events that were held, whatever they are. */
  begin(): void {
    this.#begin(this.#held ?? []);
  }

  /**
   * Ends the input: a conversation without any prompt counts as a whole, and one of lone commands begins with the first.
   * @returns whether there were prompts but no task
   */
  end(): boolean {
    if (this.#held?.some(isPrompt) && !this.#held.some(isTask)) return true;
    this.begin();
    return false;
  }

  /** Begins with events of which the first lone command, if there is one, is the task. */
  #begin(held: readonly TranscriptEvent[]): void {
    this.#held = null;
    const task = held.findIndex(isTask);
    // Text before a task belongs to it, and has ended no turn of it.
    for (const [at, event] of held.entries()) if (at >= task || isInAnyTurn(event)) this.#take(event);
  }
}

/** Types of events that neither begin nor end a turn. */
const IN_ANY_TURN: readonly TranscriptEvent['type'][] = ['record', 'problem'];

const isInAnyTurn = ({ type }: TranscriptEvent): boolean => IN_ANY_TURN.includes(type);

const isPrompt = (event: TranscriptEvent): event is Extract<TranscriptEvent, { type: 'prompt' }> =>
  event.type === 'prompt' && event.text.trim() !== '';

const isTask = (event: TranscriptEvent): boolean => isPrompt(event) && beginsTask(event.text);

/** Returns whether a prompt is a command of the agent's own alone. */
const isCommand = (event: TranscriptEvent): boolean =>
  isPrompt(event) && event.goes_on !== true && isLoneCommand(event.text);

/** Returns whether an event is a tool's deed, which begins a session whatever the user has said. */
const isDeed = (event: TranscriptEvent): boolean => event.type === 'record' && DEEDS.includes(event.body.kind);

function hasCall(event: TranscriptEvent): boolean {
  if (event.type !== 'record') return false;
  const body = event.body as JsonObject;
  const parts = objectOf(body['message'])?.['parts'] ?? [body['part'] ?? null];
  return (Array.isArray(parts) ? parts : []).some((part) => objectOf(part)?.['type'] === 'dynamic-tool');
}
