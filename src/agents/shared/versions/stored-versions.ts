/** Reads from the store the lines of a transcript, the newest version of each message, and the messages in view. */
import { emptyConversation, type FoldListener } from '../../../core/conversation/conversation.ts';
import { foldConversation } from '../../../core/conversation/fold.ts';
import { isObject, type JsonObject, type JsonValue, textOf } from '../../../core/json.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { idOf, readPairs } from '../fields.ts';
import { HELD, type StoredCall, storedCall } from '../stored-parts.ts';
import { type KnownMessage, readTokens } from './prints.ts';

/** The stored records of one transcript. */
export class StoredVersions {
  /** Messages that are in view, in the order in which they came into view. */
  readonly visible = new Set<string>();
  /** Messages that the user has taken back. */
  readonly takenBack = new Set<string>();
  /** The text of the turn's prompt. */
  prompt = '';
  /** The number of times that each line is stored, by its key. */
  readonly lines = new Map<string, number>();
  readonly #conversation = emptyConversation();
  /** The prints of the parts of each message, by key. */
  readonly #prints = new Map<string, Map<string, string>>();

  /** @param promptId the id of the message that began the turn */
  constructor(bodies: Iterable<AnyBody>, promptId: string | null) {
    const listener: FoldListener = {
      message: ({ id, parts }, metadata) => {
        this.#prints.set(id, new Map(readPairs(metadata['prints'])));
        this.visible.add(id);
        this.#countLines(metadata['lines']);
        if (id === promptId)
          this.prompt = parts.flatMap(({ part }) => textOf(part['text'] as JsonValue) ?? []).join('\n');
      },
      part: (id, _part, record) => {
        const prints = this.#prints.get(id);
        if (!prints) return;
        for (const [key, print] of readPairs(record['prints'])) prints.set(key, print);
        this.#countLines(record['lines']);
      },
      raw: (record) => this.#countLines([record]),
      overlay: (op, ids, reason) => {
        for (const id of ids) this.#overlay(op, id, reason);
      },
    };
    foldConversation(bodies, this.#conversation, { keep: HELD, listener });
  }

  #countLines(lines: JsonValue | undefined): void {
    for (const line of Array.isArray(lines) ? lines : []) {
      const key = isObject(line) ? idOf(line['key']) : undefined;
      if (key !== undefined) this.lines.set(key, (this.lines.get(key) ?? 0) + 1);
    }
  }

  #overlay(op: string, id: string, reason: string | undefined): void {
    if (op === 'hide') this.visible.delete(id);
    if (op === 'show') this.visible.add(id);
    if (op === 'hide' && reason === 'rollback') this.takenBack.add(id);
    else this.takenBack.delete(id);
  }

  /** Returns the newest version of a message, or undefined if the message is not stored. */
  message(id: string): KnownMessage | undefined {
    const prints = this.#prints.get(id);
    if (!prints) return undefined;
    return { prints, usage: readTokens(this.#conversation.usage.get(id) as JsonObject | undefined) };
  }

  has(id: string): boolean {
    return this.#prints.has(id);
  }

  /** Returns a call and its message, or undefined if the call is not stored. */
  call(id: string): StoredCall | undefined {
    const call = storedCall(this.#conversation, id);
    return call && this.has(call.message) ? call : undefined;
  }

  /** Returns whether a line is stored; each stored line is found once. */
  find(key: string): boolean {
    const count = this.lines.get(key) ?? 0;
    if (count > 0) this.lines.set(key, count - 1);
    return count > 0;
  }
}
