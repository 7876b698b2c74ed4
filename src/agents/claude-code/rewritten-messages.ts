/** The kept messages of a rewritten file with a new line that comes before those that are kept. */
import type { Conversation } from '../shared/conversation.ts';
import type { Outbox } from '../shared/outbox.ts';
import { largerOf, type Tokens } from '../shared/usage.ts';
import type { Branches } from './branches.ts';

/** Handles such lines; it exists only if the file was rewritten. */
export class RewrittenMessages {
  readonly #outbox: Outbox;
  readonly #branches: Branches;
  readonly #conversation: Conversation;

  constructor(parts: { outbox: Outbox; branches: Branches; conversation: Conversation }) {
    this.#outbox = parts.outbox;
    this.#branches = parts.branches;
    this.#conversation = parts.conversation;
  }

  /**
   * Handles a line of a message.
   * @param tokens the tokens of the message in the line
   * @returns the tokens of the message so far, including those that were counted before
   */
  take(id: string, tokens: Tokens | undefined): Tokens | undefined {
    const kept = this.#branches.kept();
    if (!kept?.has(id)) return tokens;
    const used = kept.usage(id);
    if (!this.#outbox.isQuiet && !this.#conversation.knows(id)) {
      this.#conversation.know(id);
      if (used) this.#conversation.counted.set(id, used);
      // It has its position among those that are kept.
      this.#outbox.isQuiet = true;
      this.#branches.begins(id);
      this.#outbox.isQuiet = false;
    }
    return tokens && used ? largerOf(tokens, used) : tokens;
  }
}
