/** Reads from the store the lines of a transcript, the newest version of each message, and the messages in view. */
import { isObject, type JsonObject, type JsonValue, textOf } from '../../../core/json.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { idOf, readPairs } from '../fields.ts';
import { type StoredCall, StoredConversation } from '../stored-conversation.ts';
import { type KnownMessage, readTokens } from './prints.ts';

/** The stored records of one transcript. */
export class StoredVersions extends StoredConversation {
  /** Messages that are in view, in the order in which they came into view. */
  readonly visible = new Set<string>();
  /** Messages that the user has taken back. */
  readonly takenBack = new Set<string>();
  /** The text of the turn's prompt. */
  prompt = '';
  /** The prints of the parts of each message, by key. */
  readonly #prints = new Map<string, Map<string, string>>();

  /** @param promptId the id of the message that began the turn */
  constructor(bodies: Iterable<AnyBody>, promptId: string | null) {
    super();
    this.fold(bodies, {
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
    });
  }

  #countLines(lines: JsonValue | undefined): void {
    for (const line of Array.isArray(lines) ? lines : []) {
      const key = isObject(line) ? idOf(line['key']) : undefined;
      if (key !== undefined) this.count(key);
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
    return { prints, usage: readTokens(this.conversation.usage.get(id) as JsonObject | undefined) };
  }

  override has(id: string): boolean {
    return this.#prints.has(id);
  }

  /** Returns a call and its message, or undefined if the call is not stored. */
  override call(id: string): StoredCall | undefined {
    const call = super.call(id);
    return call && this.has(call.message) ? call : undefined;
  }
}
