/** Encodes what a builder has collected as the sections and tables of a segment. */
import { tidyAfter } from '../../platform/memory.ts';
import { deltaColumn, fixedColumn, lengthOf, Numbers, wordsColumn } from '../bytes/columns.ts';
import type { SectionWriter } from '../bytes/sections.ts';
import { ByteWriter } from '../bytes/varint.ts';
import type { MessageEntry, Replaced, SegmentBuilder, StepEntry } from './builder.ts';
import { DictionaryEncoder, inOrder } from './dictionary.ts';
import { encodeExchanges } from './exchanges.ts';
import { weightOf } from './kinds.ts';
import { PostingsEncoder } from './postings.ts';
import type { UsageTable } from './usage-table.ts';

/** Bytes of the entry of a step: its session, its number, its tree, the object of its records. */
export const STEP_SIZE = 48;
/** Bytes of the number for the id of a message. */
export const ID_SIZE = 6;

/** The columns of passages. */
export interface PassageColumns {
  messageOf: Numbers;
  kinds: Numbers;
  keys: Numbers;
  lengths: Numbers;
}

/** Contents of a segment beside its lists and its tables. */
export interface Columns {
  passages: PassageColumns;
  messages: readonly MessageEntry[];
  steps: readonly StepEntry[];
  replaced: Replaced;
  usage: UsageTable;
  sessions: number;
}

/** Writes what is known of passages, messages, steps and usage. */
export function writeColumns(writer: SectionWriter, columns: Columns): void {
  const { passages, messages, steps, replaced, usage } = columns;
  writer.add('passage-message', deltaColumn(passages.messageOf));
  writer.add('passage-kind', fixedColumn(passages.kinds, 1));
  writer.add('passage-length', fixedColumn(passages.lengths, 1));
  writer.add('passage-key', fixedColumn(passages.keys, 3));
  writer.add('session-lengths', sessionLengths(columns));
  const column = (numberOf: (entry: MessageEntry) => number): Numbers => {
    const numbers = new Numbers(messages.length + 1);
    for (const entry of messages) numbers.push(numberOf(entry));
    return numbers;
  };
  writer.add('exchanges', encodeExchanges({ messages, messageOf: passages.messageOf }));
  writer.add('message-at', deltaColumn(column(({ at }) => at)));
  writer.add(
    'message-role',
    fixedColumn(
      column(({ role }) => role),
      1,
    ),
  );
  writer.add('message-step', deltaColumn(column(({ step }) => step)));
  writer.add('message-record', deltaColumn(column(({ record }) => record)));
  const ids = Buffer.allocUnsafe(messages.length * ID_SIZE);
  for (const [index, { id }] of messages.entries()) ids.writeUIntLE(id, index * ID_SIZE, ID_SIZE);
  writer.add('message-id', ids);
  const entries = Buffer.alloc(steps.length * STEP_SIZE);
  for (const [index, { session, step, tree, records }] of steps.entries()) {
    const at = index * STEP_SIZE;
    entries.writeUInt32LE(session, at);
    entries.writeUInt32LE(step, at + 4);
    entries.write(tree, at + 8, 'hex');
    entries.write(records, at + 28, 'hex');
  }
  writer.add('steps', entries);
  writer.add('usage', usage.isEmpty ? Buffer.alloc(0) : usage.encode());
  writer.add('replaced', Buffer.from(JSON.stringify([...replaced])));
}

/** Sums the lengths of the passages: of all, then of each session by their weights. A search needs no single ones. */
function sessionLengths({ passages, messages, sessions }: Columns): Buffer {
  const { messageOf, kinds, lengths } = passages;
  const sums = new Float64Array(sessions + 1);
  for (let passage = 0; passage < kinds.length; passage += 1) {
    const { session } = messages[messageOf.at(passage)] as MessageEntry;
    const length = lengthOf(lengths.at(passage));
    sums[0] = (sums[0] as number) + length;
    sums[session + 1] = (sums[session + 1] as number) + length * weightOf(kinds.at(passage));
  }
  const numbers = new Numbers(sums.length);
  for (const sum of sums) numbers.push(Math.round(sum));
  return wordsColumn(numbers);
}

/** Writes the sections of a builder: first the lists, as they are made, then the terms that lead to them. */
export function encodeSegment(builder: SegmentBuilder, writer: SectionWriter): void {
  const { table, dropped } = builder;
  const { starts, passageOf, placeOf } = wordsByTerm(builder);
  const lists = function* (): Generator<TermList> {
    for (const term of inOrder([...table.terms.keys()])) {
      const number = table.terms.get(term) as number;
      const end = starts[number + 1] as number;
      yield [
        term,
        (encoder) => {
          for (let from = starts[number] as number; from < end; ) {
            const passage = passageOf[from] as number;
            let to = from + 1;
            let isSorted = true;
            for (; to < end && passageOf[to] === passage; to += 1)
              isSorted &&= (placeOf[to - 1] as number) <= (placeOf[to] as number);
            // The pieces of an identifier come before the whole of it.
            if (!isSorted) placeOf.subarray(from, to).sort();
            if (dropped.size === 0 || !dropped.has(passage)) encoder.add(passage, placeOf, from, to);
            from = to;
          }
        },
      ];
    }
  };
  writeTerms(writer, lists());
  const { messages, steps, replaced, usage } = builder;
  writeColumns(writer, {
    passages: builder,
    messages,
    steps,
    replaced,
    usage,
    sessions: builder.tables.sessions.length,
  });
}

/** Sorts the words of all passages by their terms, and keeps the order of each term's: a counting sort. */
function wordsByTerm({ table, words, begins }: SegmentBuilder): {
  starts: Uint32Array;
  passageOf: Uint32Array;
  placeOf: Uint32Array;
} {
  const { termOf, offsets, widths, begins: termBegins } = table;
  const uses = new Uint32Array(table.size);
  for (let index = 0; index < words.length; index += 1) {
    const word = words.values[index] as number;
    uses[word] = (uses[word] as number) + 1;
  }
  const starts = new Uint32Array(table.terms.size + 1);
  for (let word = 0; word < table.size; word += 1)
    for (let at = termBegins.at(word); at < termBegins.at(word + 1); at += 1) {
      const next = termOf.at(at) + 1;
      starts[next] = (starts[next] as number) + (uses[word] as number);
    }
  for (let term = 0; term < table.terms.size; term += 1)
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
  const nexts = starts.slice();
  const total = starts[table.terms.size] as number;
  const [passageOf, placeOf] = [new Uint32Array(total), new Uint32Array(total)];
  const [terms, places, wide, first] = [termOf.values, offsets.values, widths.values, termBegins.values];
  for (let passage = 0; passage < begins.length; passage += 1) {
    const end = passage + 1 < begins.length ? begins.at(passage + 1) : words.length;
    let place = 0;
    for (let index = begins.at(passage); index < end; index += 1) {
      const word = words.values[index] as number;
      for (let at = first[word] as number; at < (first[word + 1] as number); at += 1) {
        const term = terms[at] as number;
        const to = nexts[term] as number;
        nexts[term] = to + 1;
        passageOf[to] = passage;
        placeOf[to] = place + (places[at] as number);
      }
      place += wide[word] as number;
    }
  }
  return { starts, passageOf, placeOf };
}

/** A term, and what adds its passages to an encoder. */
export type TermList = readonly [term: string, fill: (encoder: PostingsEncoder) => void];

/** Writes the lists of terms, which are in order, and their dictionary; a term without a passage is left out. */
export function writeTerms(writer: SectionWriter, terms: Iterable<TermList>): void {
  const dictionary = new DictionaryEncoder();
  const [documents, within] = [new ByteWriter(65_536), new ByteWriter(65_536)];
  let offset = 0;
  const lists = function* (): Generator<Buffer> {
    for (const [term, fill] of terms) {
      const encoder = new PostingsEncoder(documents, within);
      fill(encoder);
      if (encoder.documents === 0) continue;
      const { bytes, split } = encoder.end();
      dictionary.add({ term, documents: encoder.documents, offset, length: bytes.length, split });
      offset += bytes.length;
      yield bytes;
      tidyAfter(bytes.length);
    }
  };
  writer.addParts('lists', lists());
  const { blocks, index } = dictionary.end();
  writer.addParts('terms', [blocks]);
  writer.add('term-index', index);
}
