/** Which prompt of a transcript its session begins with: the first that may be a task, as with hooks. */
import type { TranscriptEvent } from '../agents/agent.ts';
import { beginsTask, DEEDS } from '../core/begins-task.ts';

/** Most events that are held for a task to come: who goes on for so long without one is at work on the first prompt. */
const MOST_HELD = 1000;

/** Hands on what is told of a new session, but holds what stands behind a prompt that begins nothing ("Thanks!"). */
export class FirstTask {
  readonly #take: (event: TranscriptEvent) => void;
  #held: TranscriptEvent[] | null = [];

  /** @param isBegun whether there is a task already */
  constructor(take: (event: TranscriptEvent) => void, isBegun: boolean) {
    this.#take = take;
    if (isBegun) this.#held = null;
  }

  take(event: TranscriptEvent): void {
    const held = this.#held;
    if (!held) {
      this.#take(event);
      return;
    }
    const isPrompt = event.type === 'prompt' && event.text.trim() !== '';
    const isTask = isPrompt && beginsTask(event.text);
    // What was said before it belongs to it, and has ended no turn of it.
    if (isTask) this.#begin(held.filter(({ type }) => type === 'record' || type === 'problem'));
    else if (isDeed(event) || held.length === MOST_HELD) this.#begin(held);
    if (this.#held && (isPrompt || held.length > 0)) held.push(event);
    else this.#take(event);
  }

  /** Nothing more comes: where nothing was a task, the first prompt stands for one. */
  end(): void {
    this.#begin(this.#held ?? []);
  }

  #begin(held: readonly TranscriptEvent[]): void {
    this.#held = null;
    for (const event of held) this.#take(event);
  }
}

/** What a tool has done begins a session whatever the user has said. */
const isDeed = (event: TranscriptEvent): boolean => event.type === 'record' && DEEDS.includes(event.body.kind);
