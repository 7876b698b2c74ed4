/** The exchanges of a segment: stretches of messages, and of their passages, that are of one turn of one session. Read without being decoded. */
import { Numbers, wordsColumn, wordsIn } from '../bytes/columns.ts';
import { CatalogDamage } from '../bytes/sections.ts';

/** Numbers that are stored of an exchange. */
const WIDTH = 4;

/** Messages, and the message of each passage, in order. */
export interface ExchangeSource {
  messages: readonly { session: number; turn: number }[];
  messageOf: Numbers;
}

/** Encodes the exchanges of messages: of each its first message, its first passage, its session and its turn. */
export function encodeExchanges({ messages, messageOf }: ExchangeSource): Buffer {
  const numbers = new Numbers();
  let passage = 0;
  let before: { session: number; turn: number } | null = null;
  for (const [message, entry] of messages.entries()) {
    while (passage < messageOf.length && messageOf.at(passage) < message) passage += 1;
    if (before?.session === entry.session && before.turn === entry.turn) continue;
    for (const number of [message, passage, entry.session, entry.turn]) numbers.push(number);
    before = entry;
  }
  return wordsColumn(numbers);
}

export class Exchanges {
  readonly #numbers: Uint32Array;
  readonly length: number;

  /** @throws {CatalogDamage} */
  constructor(bytes: Buffer) {
    if (bytes.length % (WIDTH * 4) !== 0) throw new CatalogDamage('the exchanges are cut off');
    this.#numbers = wordsIn(bytes);
    this.length = this.#numbers.length / WIDTH;
  }

  /** Returns the exchange of a message. @throws {CatalogDamage} if there is none */
  ofMessage(message: number): number {
    return this.#last(0, message);
  }

  /** Returns the exchange of a passage. @throws {CatalogDamage} if there is none */
  ofPassage(passage: number): number {
    return this.#last(1, passage);
  }

  /** Returns the first passage of an exchange; behind the last one, a number that no passage has. */
  firstPassage(exchange: number): number {
    return exchange < this.length ? (this.#numbers[exchange * WIDTH + 1] as number) : Number.POSITIVE_INFINITY;
  }

  session(exchange: number): number {
    return this.#numbers[exchange * WIDTH + 2] as number;
  }

  turn(exchange: number): number {
    return this.#numbers[exchange * WIDTH + 3] as number;
  }

  /** Returns the last exchange whose number in a column is not above one. */
  #last(column: number, number: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle * WIDTH + column] as number) <= number) low = middle + 1;
      else high = middle;
    }
    if (low === 0) throw new CatalogDamage('an exchange is missing');
    return low - 1;
  }
}
