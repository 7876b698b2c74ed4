/** Encodes what a builder has collected as the sections and tables of a segment. */
import type { SectionWriter } from '../bytes/sections.ts';
import { ByteWriter } from '../bytes/varint.ts';
import type { MessageEntry, Replaced, SegmentBuilder, StepEntry } from './builder.ts';
import { Numbers } from './builder.ts';
import { compareTerms, DictionaryEncoder } from './dictionary.ts';
import { PostingsEncoder } from './postings.ts';

/** Bytes of the entry of a step: its session, its number, its tree. */
export const STEP_SIZE = 28;

/** A column of numbers with its width in bytes. */
function column(numbers: Numbers, width: 1 | 2 | 4): Buffer {
  if (width === 4) return numbers.bytes();
  const bytes = Buffer.allocUnsafe(numbers.length * width);
  const most = width === 1 ? 0xff : 0xffff;
  for (let index = 0; index < numbers.length; index += 1)
    bytes.writeUIntLE(Math.min(numbers.at(index), most), index * width, width);
  return bytes;
}

/** The columns of passages. */
export interface PassageColumns {
  messageOf: Numbers;
  kinds: Numbers;
  keys: Numbers;
  lengths: Numbers;
}

/** Writes what is known of passages, messages and steps. */
export function writeColumns(
  writer: SectionWriter,
  passages: PassageColumns,
  messages: Iterable<MessageEntry>,
  steps: Iterable<StepEntry>,
  replaced: Replaced,
): void {
  writer.add('passage-message', column(passages.messageOf, 4));
  writer.add('passage-kind', column(passages.kinds, 1));
  writer.add('passage-length', column(passages.lengths, 2));
  writer.add('passage-key', column(passages.keys, 4));
  const [sessions, turns, times, roles, stepOf, ends] = Array.from({ length: 6 }, () => new Numbers()) as [
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
  ];
  const ids = new ByteWriter(65_536);
  for (const { id, session, turn, at, role, step } of messages) {
    sessions.push(session);
    turns.push(turn);
    times.push(at);
    roles.push(role);
    stepOf.push(step);
    ids.bytes(Buffer.from(id));
    ends.push(ids.length);
  }
  writer.add('message-session', column(sessions, 4));
  writer.add('message-turn', column(turns, 4));
  writer.add('message-at', column(times, 4));
  writer.add('message-role', column(roles, 1));
  writer.add('message-step', column(stepOf, 4));
  writer.add('message-id-end', column(ends, 4));
  writer.addParts('message-ids', [Buffer.from(ids.written())]);
  const trees = new ByteWriter(4096);
  const entry = Buffer.alloc(STEP_SIZE);
  for (const { session, step, tree } of steps) {
    entry.writeUInt32LE(session, 0);
    entry.writeUInt32LE(step, 4);
    entry.write(tree, 8, 'hex');
    trees.bytes(entry);
  }
  writer.add('steps', Buffer.from(trees.written()));
  writer.add('replaced', Buffer.from(JSON.stringify([...replaced])));
}

/** Writes the sections of a builder: first the lists, as they are made, then the terms that lead to them. */
export function encodeSegment(builder: SegmentBuilder, writer: SectionWriter): void {
  const { terms, words, places, begins, dropped } = builder;
  const count = terms.size;
  // Sorts the words by their terms, and keeps the order of each term's: a counting sort.
  const starts = new Uint32Array(count + 1);
  for (let index = 0; index < words.length; index += 1) {
    const next = words.at(index) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let term = 0; term < count; term += 1)
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
  const nexts = starts.slice();
  const passageOf = new Uint32Array(words.length);
  const placeOf = new Uint32Array(words.length);
  for (let passage = 0; passage < begins.length; passage += 1) {
    const end = passage + 1 < begins.length ? begins.at(passage + 1) : words.length;
    for (let index = begins.at(passage); index < end; index += 1) {
      const to = nexts[words.at(index)] as number;
      nexts[words.at(index)] = to + 1;
      passageOf[to] = passage;
      placeOf[to] = places.at(index);
    }
  }
  const lists = function* (): Generator<TermList> {
    for (const [term, number] of [...terms].sort(([a], [b]) => compareTerms(a, b))) {
      const end = starts[number + 1] as number;
      yield [
        term,
        (encoder) => {
          for (let from = starts[number] as number; from < end; ) {
            const passage = passageOf[from] as number;
            let to = from + 1;
            while (to < end && passageOf[to] === passage) to += 1;
            if (!dropped.has(passage)) encoder.add(passage, placeOf.subarray(from, to).sort());
            from = to;
          }
        },
      ];
    }
  };
  writeTerms(writer, lists());
  writeColumns(writer, builder, builder.messages, builder.steps, builder.replaced);
}

/** A term, and what adds its passages to an encoder. */
export type TermList = readonly [term: string, fill: (encoder: PostingsEncoder) => void];

/** Writes the lists of terms, which are in order, and their dictionary; a term without a passage is left out. */
export function writeTerms(writer: SectionWriter, terms: Iterable<TermList>): void {
  const dictionary = new DictionaryEncoder();
  const [documents, within] = [new ByteWriter(), new ByteWriter()];
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
    }
  };
  writer.addParts('lists', lists());
  const { blocks, index } = dictionary.end();
  writer.addParts('terms', [blocks]);
  writer.add('term-index', index);
}
