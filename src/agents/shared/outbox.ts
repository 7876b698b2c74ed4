/** The events that a reader is about to give, in their order; messages are held back while they can still gain parts. */

import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { TranscriptEvent } from '../contract/agent.ts';
import type { ToolPart } from './parts.ts';

/** The length of the text of a turn that is held back, in UTF-16 code units; text beyond it is given in parts. */
const HELD_LIMIT = 2 * 1024 * 1024;

/** A message that may still grow. */
export interface Draft {
  id: string;
  role: 'user' | 'assistant' | 'system';
  parts: (Part | ToolPart)[];
  metadata: JsonObject;
  at: number;
  /** True if it was given: what it gains since are `part` records. */
  isGiven: boolean;
  /** The id of its last part while that may continue: a later, longer part with this id replaces it. */
  open?: string | undefined;
}

type Held = { draft: Draft } | { event: TranscriptEvent };

/** A time that is not known yet: the first time of a line replaces it. */
export const UNKNOWN_TIME = -1;

function eventOf(held: Held): TranscriptEvent {
  if ('event' in held) return held.event;
  const { id, role, metadata, at, open } = held.draft;
  const last = held.draft.parts.at(-1);
  const parts =
    open === undefined || !last ? held.draft.parts : [...held.draft.parts.slice(0, -1), { ...last, id: open }];
  held.draft.isGiven = true;
  held.draft.parts = [];
  held.draft.metadata = {};
  return { type: 'record', at, body: { kind: 'message', message: { id, role, parts: parts as Part[], metadata } } };
}

/** The events that are held and those that can be taken. */
export class Outbox {
  #held: Held[] = [];
  #ready: TranscriptEvent[] = [];
  #weight = 0;
  /** True if events are known already: then they are dropped. */
  isQuiet = false;

  put(event: TranscriptEvent): void {
    if (this.isQuiet) return;
    this.#held.push({ event });
  }

  record(at: number, body: AnyBody, content?: Buffer): void {
    this.put(content === undefined ? { type: 'record', at, body } : { type: 'record', at, body, content });
  }

  /** Adds a part that a message has gained since it was given. @param beginsCall whether it is a new call */
  part(at: number, body: AnyBody, beginsCall: boolean): void {
    this.put({ type: 'record', at, body, ...(beginsCall ? { begins_call: true } : {}) });
  }

  /** Adds a problem of a line. @param rest the text of it that could not be read; null if everything was */
  problem(line: number, message: string, rest: string | null): void {
    this.put({ type: 'problem', line, message, ...(rest === null ? { all_read: true } : {}) });
  }

  putDraft(draft: Draft): void {
    if (this.isQuiet) return;
    this.#held.push({ draft });
  }

  /** Counts the text of a line; if too much is held, releases all but the latest message. */
  weigh(length: number): void {
    this.#weight += length;
    if (this.#weight <= HELD_LIMIT) return;
    const latest = this.#held.findLastIndex((held) => 'draft' in held);
    this.#give(latest > 0 ? latest : this.#held.length);
    this.#weight = 0;
  }

  /** Sets the time of everything that has none. */
  setTimes(at: number): void {
    for (const held of this.#held) {
      const timed = 'draft' in held ? held.draft : held.event;
      if ('at' in timed && timed.at === UNKNOWN_TIME) timed.at = at;
      if ('draft' in held && held.draft.metadata['created_at'] === UNKNOWN_TIME) held.draft.metadata['created_at'] = at;
    }
  }

  #give(count: number): void {
    for (const held of this.#held.splice(0, count)) this.#ready.push(eventOf(held));
  }

  /** Releases everything that is held. */
  flush(): void {
    this.setTimes(0);
    this.#give(this.#held.length);
    this.#weight = 0;
  }

  /** Returns the released events, and removes them. */
  take(): TranscriptEvent[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }
}
