/** Holds the last version of each message of a transcript; older ones as compact text, since there may be 100,000. */
import type { JsonValue } from '../../../core/json.ts';
import { readPairs } from '../fields.ts';
import { isOpenPrint, type KnownMessage, printsAsJson, readTokens } from './prints.ts';

/** The number of messages that are held as objects: a later version is mostly of one of the latest messages. */
const LATEST = 64;

/** Returns a message as one text. It is joined because a string that is built in one piece takes less memory. */
const folded = ({ prints, usage }: KnownMessage): string =>
  [usage ? { ...usage } : null, ...printsAsJson(prints)].map((value) => JSON.stringify(value)).join(',');

/** Returns the message of such a text. */
function unfolded(text: string): KnownMessage {
  const [usage, ...pairs] = JSON.parse(`[${text}]`) as JsonValue[];
  return { prints: new Map(readPairs(pairs)), usage: readTokens(usage) };
}

/** The last version of each message. */
export class KnownMessages {
  /** The latest messages; the one that was set last comes last. */
  readonly #latest: Map<string, KnownMessage>;
  readonly #folded = new Map<string, string>();

  constructor(latest: ReadonlyMap<string, KnownMessage>) {
    this.#latest = new Map(latest);
  }

  /** The latest messages, in the order in which they were last set. */
  get latest(): ReadonlyMap<string, KnownMessage> {
    return this.#latest;
  }

  /** Returns the last version of a message, or undefined if the message is not known. */
  get(id: string): KnownMessage | undefined {
    const text = this.#folded.get(id);
    return text === undefined ? this.#latest.get(id) : unfolded(text);
  }

  /** Sets the last version of a message. */
  set(id: string, known: KnownMessage): void {
    this.#latest.delete(id);
    this.#folded.delete(id);
    this.#latest.set(id, known);
    if (this.#latest.size <= LATEST) return;
    for (const [oldest, message] of this.#latest) {
      this.#latest.delete(oldest);
      this.#folded.set(oldest, folded(message));
      return;
    }
  }

  /** Sets the hash of one part of a known message. */
  note(id: string, key: string, print: string): void {
    const known = this.get(id);
    known?.prints.set(key, print);
    if (known && this.#folded.has(id)) this.#folded.set(id, folded(known));
  }

  /** Returns whether any known message has a call with this id and its result. */
  hasReturned(call: string): boolean {
    const isClosed = ({ prints }: KnownMessage): boolean => prints.has(call) && !isOpenPrint(prints.get(call));
    for (const known of this.#latest.values()) if (isClosed(known)) return true;
    const sought = JSON.stringify(call);
    for (const text of this.#folded.values()) if (text.includes(sought) && isClosed(unfolded(text))) return true;
    return false;
  }
}
