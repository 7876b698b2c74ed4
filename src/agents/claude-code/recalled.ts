/** Messages of a file that is read anew of which a line comes that was not there before, ahead of those that are kept. */
import type { Conversation } from '../shared/conversation.ts';
import type { Outbox } from '../shared/outbox.ts';
import { largerOf, type Tokens } from '../shared/usage.ts';
import type { Branches } from './branches.ts';

/** There is one only where a file is read anew. */
export class Recalled {
  readonly #outbox: Outbox;
  readonly #branches: Branches;
  readonly #conversation: Conversation;

  constructor(parts: { outbox: Outbox; branches: Branches; conversation: Conversation }) {
    this.#outbox = parts.outbox;
    this.#branches = parts.branches;
    this.#conversation = parts.conversation;
  }

  /**
   * Notes that a line of a message comes.
   * @param told what it tells that the message has used
   * @returns what the message has used by then: what was counted before is in it
   */
  take(id: string, told: Tokens | undefined): Tokens | undefined {
    const kept = this.#branches.kept();
    if (!kept?.has(id)) return told;
    const used = kept.usage(id);
    if (!this.#outbox.isQuiet && !this.#conversation.knows(id)) {
      this.#conversation.know(id);
      if (used) this.#conversation.counted.set(id, used);
      // It has its place among those that are kept.
      this.#outbox.isQuiet = true;
      this.#branches.begins(id);
      this.#outbox.isQuiet = false;
    }
    return told && used ? largerOf(told, used) : told;
  }
}
