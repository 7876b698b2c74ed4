/** The messages of a transcript as they were told last: of all but the latest a text is held, for there may be a hundred thousand. */
import type { JsonValue } from '../../../core/json.ts';
import { readPairs } from '../fields.ts';
import { isOpenPrint, type KnownMessage, printsAsJson, readTokens } from './prints.ts';

/** Messages that are held as they are: later versions are of the latest. */
const LATEST = 64;

/** Joined, for a text in one piece takes less room than what JSON is written as. */
const folded = ({ prints, usage }: KnownMessage): string =>
  [usage ? { ...usage } : null, ...printsAsJson(prints)].map((value) => JSON.stringify(value)).join(',');

function unfolded(text: string): KnownMessage {
  const [usage, ...pairs] = JSON.parse(`[${text}]`) as JsonValue[];
  return { prints: new Map(readPairs(pairs)), usage: readTokens(usage) };
}

export class KnownMessages {
  /** Told last, it stands last. */
  readonly #latest: Map<string, KnownMessage>;
  readonly #folded = new Map<string, string>();

  constructor(latest: ReadonlyMap<string, KnownMessage>) {
    this.#latest = new Map(latest);
  }

  /** The latest, in the order in which they were told. */
  get latest(): ReadonlyMap<string, KnownMessage> {
    return this.#latest;
  }

  /** A message as it was told last; undefined where it is not known. */
  get(id: string): KnownMessage | undefined {
    const text = this.#folded.get(id);
    return text === undefined ? this.#latest.get(id) : unfolded(text);
  }

  /** Takes a message as it is told now. */
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

  /** Takes what a part of a known message says now. */
  note(id: string, key: string, print: string): void {
    const known = this.get(id);
    known?.prints.set(key, print);
    if (known && this.#folded.has(id)) this.#folded.set(id, folded(known));
  }

  /** Whether any of them has a call of this id with its result. */
  hasReturned(call: string): boolean {
    const isClosed = ({ prints }: KnownMessage): boolean => prints.has(call) && !isOpenPrint(prints.get(call));
    for (const known of this.#latest.values()) if (isClosed(known)) return true;
    const sought = JSON.stringify(call);
    for (const text of this.#folded.values()) if (text.includes(sought) && isClosed(unfolded(text))) return true;
    return false;
  }
}
