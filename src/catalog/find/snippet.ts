/** Reads the text of a passage from the store, and cuts a piece of it around the words that were found. */
import { BIDI_CONTROL } from '../../core/characters.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import type { FetchPayload } from '../../core/externalise.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { recordLines } from '../../history/chain/record-lines.ts';
import { payloadReader } from '../../history/chain/session-document.ts';
import type { Repository } from '../../history/store/repository.ts';
import { expectMuch } from '../../platform/compression.ts';
import { expectManyHashes } from '../../platform/hash.ts';
import {
  keyNumber,
  messageNumber,
  namedBy,
  type Passage,
  passagesOfMessage,
  passagesOfRecord,
  roleOf,
  TEXT_LIMIT,
} from '../feed/passages.ts';
import type { Segment } from '../segment/segment.ts';
import { beginningsOf, eachPiece, eachWordLike } from '../words/tokens.ts';

/** Length of a snippet, in UTF-16 code units, and how much of it is before the first hit. */
const LENGTH = 220;
const LEAD = 50;

/** A piece of a text with the places of the words that were found. */
export interface Snippet {
  text: string;
  /** From and behind, in UTF-16 code units. */
  hits: [start: number, end: number][];
}

/** A passage with the id of the message, or of the record, that it is of. */
export interface ReadPassage extends Passage {
  id: string;
}

/** Steps whose records are kept at hand, in bytes: hits of one session are often in few of its steps. */
const AT_HAND = 16 * 1024 * 1024;

/** Reads passages of the store, each as it is now. */
export class PassageReader {
  readonly #repository: Repository;
  readonly #steps = new Map<string, Buffer>();
  #held = 0;

  constructor(repository: Repository) {
    this.#repository = repository;
    expectMuch();
    expectManyHashes();
  }

  /** Returns a passage; null if the store does not have it any more. */
  read(segment: Segment, number: number): ReadPassage | null {
    const entry = segment.message(segment.messageOf.at(number));
    const key = segment.keyOf(number);
    const { tree, records: oid } = segment.step(entry.step);
    const content = this.#recordsIn(oid);
    const id = idNumbered(lineAt(content, entry.record), entry.id);
    if (id === null) return null;
    const role = roleOf(entry.role) === 'user' ? 'user' : 'assistant';
    for (const passage of this.#passagesIn(tree, content, id, role))
      if (keyNumber(passage.key) === key) return { id, ...passage };
    return null;
  }

  #recordsIn(oid: string): Buffer {
    const known = this.#steps.get(oid);
    if (known) return known;
    const content = this.#repository.objects.readAs(oid, 'blob');
    if (this.#held + content.length > AT_HAND) {
      this.#steps.clear();
      this.#held = 0;
    }
    this.#held += content.length;
    this.#steps.set(oid, content);
    return content;
  }

  /** Yields the passages that a step has of a message or a record. */
  *#passagesIn(tree: string, content: Buffer, id: string, role: 'user' | 'assistant'): Generator<Passage> {
    const records = recordsNaming(content, id);
    const { objects } = this.#repository;
    let reader: FetchPayload | undefined;
    // Few texts are so long that they lie in a file of their own.
    const fetch: FetchPayload = (stub) => {
      reader ??= payloadReader(objects, readTree(objects, tree), `tree ${tree}`, TEXT_LIMIT);
      return reader(stub);
    };
    const conversation = foldConversation(records);
    for (const found of conversation.messages.values())
      if (found.id === id) yield* passagesOfMessage(found, found.role, fetch);
    for (const found of conversation.early.values()) if (found.id === id) yield* passagesOfMessage(found, role, fetch);
    for (const record of records) {
      if (record.id !== id) continue;
      yield* passagesOfRecord(record, fetch);
    }
  }
}

/** Returns a line of some records; empty if there are fewer. */
function lineAt(content: Buffer, number: number): Buffer {
  let begin = 0;
  for (let left = number; left > 0; left -= 1) {
    const end = content.indexOf(0x0a, begin);
    if (end < 0) return content.subarray(0, 0);
    begin = end + 1;
  }
  const end = content.indexOf(0x0a, begin);
  return content.subarray(begin, end < 0 ? content.length : end + 1);
}

/** Returns the id with a number that a record has, or is of; null if it has none. */
function idNumbered(line: Buffer, number: number): string | null {
  for (const { record } of recordLines(line, 'a step'))
    for (const id of [record.id, ...namedBy(record)]) if (messageNumber(id) === number) return id;
  return null;
}

/** Returns the records of a step that are, or are of, a message or record of this id. */
function recordsNaming(content: Buffer, id: string): StoredRecord[] {
  const records: StoredRecord[] = [];
  const wanted = Buffer.from(JSON.stringify(id));
  for (let at = content.indexOf(wanted); at >= 0; ) {
    const begin = content.lastIndexOf(0x0a, at) + 1;
    const end = content.indexOf(0x0a, at);
    const line = content.subarray(begin, end < 0 ? content.length : end + 1);
    for (const { record } of recordLines(line, 'a step')) {
      const { message, message_id } = record as unknown as JsonObject;
      if (record.id === id || message_id === id || (message as JsonObject | undefined)?.['id'] === id)
        records.push(record);
    }
    at = end < 0 ? -1 : content.indexOf(wanted, end);
  }
  return records;
}

/** Cuts the piece of a text that has the most of some terms. @param terms each with what it counts */
export function snippetOf(
  text: string,
  terms: ReadonlyMap<string, number>,
  pattern = beginningsOf(terms.keys()),
): Snippet {
  const hits: { begin: number; end: number; term: string; counts: number }[] = [];
  eachWordLike(text, pattern, (word, begin, end) => {
    if (!word.terms.some(({ term }) => terms.has(term))) return;
    const own = text.slice(begin, end);
    let found = 0;
    eachPiece(own, (term, from, to) => {
      const counts = terms.get(term);
      if (counts === undefined) return;
      found += 1;
      const last = hits.at(-1);
      // Pairs of characters overlap.
      if (last && last.end > begin + from) last.end = begin + to;
      else hits.push({ begin: begin + from, end: begin + to, term, counts });
    });
    // A name that was asked for whole.
    const whole = word.terms.find(({ term }) => terms.has(term))?.term as string;
    if (found === 0) hits.push({ begin, end, term: whole, counts: terms.get(whole) as number });
  });
  const begin = bestBegin(hits, text);
  const end = begin + LENGTH >= text.length ? text.length : lastBreak(text, begin + LENGTH, begin);
  const piece = text.slice(begin, end);
  const within = hits.filter((hit) => hit.begin >= begin && hit.end <= end);
  return inOneLine(
    piece,
    within.map((hit): [number, number] => [hit.begin - begin, hit.end - begin]),
    begin > 0,
    end < text.length,
  );
}

/** Finds the beginning of the piece whose hits count the most, each term once. */
function bestBegin(
  hits: readonly { begin: number; end: number; term: string; counts: number }[],
  text: string,
): number {
  let best = { begin: 0, counts: -1 };
  for (const [index, { begin }] of hits.entries()) {
    const seen = new Map<string, number>();
    for (let at = index; at < hits.length && (hits[at] as { end: number }).end <= begin - LEAD + LENGTH; at += 1) {
      const { term, counts } = hits[at] as { term: string; counts: number };
      seen.set(term, counts);
    }
    const counts = [...seen.values()].reduce((sum, one) => sum + one, 0);
    if (counts > best.counts) best = { begin, counts };
  }
  if (best.begin <= LEAD) return 0;
  const space = text.slice(best.begin - LEAD, best.begin).search(/\s/);
  return best.begin - LEAD + (space < 0 ? LEAD : space + 1);
}

/** The last place before a limit at which a word ends. */
function lastBreak(text: string, limit: number, least: number): number {
  for (let at = limit; at > least + LENGTH / 2; at -= 1) if (/\s/.test(text[at] as string)) return at;
  return limit;
}

/** White space, and whatever a terminal might obey: what a person reads has other characters in its place, and more of them. */
const BLANK = new RegExp(`[\\s\\p{Cc}${BIDI_CONTROL}]`, 'u');

/** Puts a piece of a text into one line, and moves the hits with it. */
function inOneLine(
  piece: string,
  hits: readonly [number, number][],
  isCutBefore: boolean,
  isCutAfter: boolean,
): Snippet {
  let text = isCutBefore ? '…' : '';
  const places = new Uint32Array(piece.length + 1);
  let space = text === '';
  for (let at = 0; at < piece.length; at += 1) {
    places[at] = text.length;
    const character = piece[at] as string;
    if (BLANK.test(character)) {
      if (!space) text += ' ';
      space = true;
      continue;
    }
    space = false;
    text += character;
  }
  places[piece.length] = text.length;
  const moved = hits.map(([begin, end]): [number, number] => [places[begin] as number, places[end - 1] as number]);
  const length = text.trimEnd().length;
  return {
    text: `${text.trimEnd()}${isCutAfter ? '…' : ''}`,
    hits: moved.map(([begin, last]): [number, number] => [begin, Math.min(last + 1, length)]),
  };
}
