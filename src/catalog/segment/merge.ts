/** Merges neighbouring segments into one, term by term, without what later ones have replaced. */
import { Numbers } from '../bytes/columns.ts';
import type { SectionWriter } from '../bytes/sections.ts';
import { emptyTables, type MessageEntry, type Replaced, type StepEntry, TABLES, type TableName } from './builder.ts';
import { compareTerms, type Entry } from './dictionary.ts';
import { type PassageColumns, type TermList, writeColumns, writeTerms } from './encode.ts';
import { decodePostings, type List } from './postings.ts';
import { OWN, type SessionEntry } from './rows.ts';
import type { Segment } from './segment.ts';
import { UsageTable } from './usage-table.ts';

/** A segment's part of the merged one, and its number there. */
interface Part {
  segment: Segment;
  /** The new number of each passage; `GONE` of one that is replaced. */
  passages: Uint32Array;
  /** By how much the new numbers are higher, if no passage is replaced: its lists are copied as they are. */
  base: number | null;
  listAt: (entry: Entry) => List;
}

const GONE = 0xffff_ffff;

/** Decides which entries of a segment count. */
export interface Counts {
  /** Checks if its steps of a session count: of one that was rewritten, only those since then. */
  session: (session: string, segment: number) => boolean;
  /** Checks if its commits count. */
  commits: (segment: number) => boolean;
}

/** Parts of the merged segment beside its index. */
export interface Merged {
  tables: Record<TableName, string[]>;
}

/**
 * Merges segments.
 * @param segments neighbours, oldest first, the last of them the newest of all
 */
export function mergeSegments(segments: readonly Segment[], counts: Counts, writer: SectionWriter): Merged {
  const tables = emptyTables();
  const usage = new UsageTable();
  const places = new Map<string, number>();
  const replaced: Replaced = new Map();
  const gone = new Map<number, Set<number>>(segments.map(({ number }) => [number, new Set()]));
  for (const segment of segments)
    for (const [number, passages] of segment.replaced) {
      const within = gone.get(number);
      for (const passage of passages)
        if (within) within.add(passage);
        else replaced.set(number, [...(replaced.get(number) ?? []), passage]);
    }
  const messages: MessageEntry[] = [];
  const steps: StepEntry[] = [];
  const columns = { messageOf: new Numbers(), kinds: new Numbers(), keys: new Numbers(), lengths: new Numbers() };
  const rows: SessionEntry[] = [];
  const parts: Part[] = [];
  for (const segment of segments) {
    const sessions = segment.sessionRows.map((row) => {
      if (!counts.session(row.id, segment.number)) return GONE;
      const place = places.get(row.id) ?? places.size;
      places.set(row.id, place);
      rows[place] = row;
      return place;
    });
    const base = columns.messageOf.length;
    const passages = copyPassages(segment, sessions, gone.get(segment.number) as Set<number>, columns, messages, steps);
    const isWhole = columns.messageOf.length - base === passages.length;
    parts.push({ segment, passages, base: isWhole ? base : null, listAt: segment.listsInOrder() });
    copyRows(segment, sessions, counts.commits(segment.number), tables);
    usage.addAll(segment.usage, (session) => {
      const place = sessions[session] as number;
      return place === GONE ? -1 : place;
    });
  }
  tables.sessions = rows.map((row) => JSON.stringify(withTitlePlace(row, parts)));
  writeTerms(writer, listsOf(parts));
  writeColumns(writer, { passages: columns, messages, steps, replaced, usage, sessions: rows.length });
  return { tables };
}

/** Returns the row of a session with the new place of its title. */
function withTitlePlace(row: SessionEntry, parts: readonly Part[]): SessionEntry {
  const part = row.titled && parts.find(({ segment }) => segment.number === row.titled?.[0]);
  if (!part || !row.titled) return row;
  const place = part.passages[row.titled[1]];
  return { ...row, titled: place === undefined || place === GONE ? null : [OWN, place] };
}

function copyPassages(
  segment: Segment,
  sessions: readonly number[],
  gone: ReadonlySet<number>,
  columns: PassageColumns,
  messages: MessageEntry[],
  steps: StepEntry[],
): Uint32Array {
  const stepOf = new Uint32Array(segment.stepCount).fill(GONE);
  for (let index = 0; index < stepOf.length; index += 1) {
    const entry = segment.step(index);
    const session = sessions[entry.session] as number;
    if (session !== GONE) stepOf[index] = steps.push({ ...entry, session }) - 1;
  }
  const count = segment.messageCount;
  const messageOf = new Uint32Array(count).fill(GONE);
  for (let index = 0; index < count; index += 1) {
    const entry = segment.message(index);
    const session = sessions[entry.session] as number;
    if (session === GONE) continue;
    const step = stepOf[entry.step] as number;
    messageOf[index] = messages.push({ ...entry, session, step }) - 1;
  }
  const passages = new Uint32Array(segment.messageOf.length).fill(GONE);
  const owners = segment.messageOf.all();
  const { kinds, lengths } = segment;
  for (let index = 0; index < passages.length; index += 1) {
    const message = messageOf[owners[index] as number] as number;
    if (message === GONE || gone.has(index) || lengths[index] === 0) continue;
    passages[index] = columns.messageOf.length;
    columns.messageOf.push(message);
    columns.kinds.push(kinds[index] as number);
    columns.keys.push(segment.keyOf(index));
    columns.lengths.push(lengths[index] as number);
  }
  return passages;
}

/** Copies the rows of every table but that of the sessions. */
function copyRows(
  segment: Segment,
  sessions: readonly number[],
  withCommits: boolean,
  tables: Record<TableName, string[]>,
): void {
  for (const name of TABLES) {
    if (name === 'sessions') continue;
    if (name === 'commits') {
      const text = segment.table(name).trimEnd();
      if (text !== '' && withCommits) tables.commits.push(text);
      continue;
    }
    for (const row of segment.rows(name) as { session: number }[]) {
      const session = sessions[row.session] as number;
      if (session !== GONE) tables[name].push(JSON.stringify({ ...row, session }));
    }
  }
}

/** Yields the terms of all parts in order, each with what adds its passages. */
function* listsOf(parts: readonly Part[]): Generator<TermList> {
  for (const [term, found] of termsOf(parts))
    yield [
      term,
      (encoder) => {
        for (const { part, entry } of found) {
          const list = part.listAt(entry);
          if (part.base !== null) encoder.addList(list, part.base);
          else
            decodePostings(list, (document, _count, places) => {
              const passage = part.passages[document] as number;
              if (passage !== GONE) encoder.add(passage, places());
            });
        }
      },
    ];
}

/** Yields the terms of all parts in order, each with its entries in the order of the parts. */
function* termsOf(parts: readonly Part[]): Generator<[term: string, found: { part: Part; entry: Entry }[]]> {
  const open = parts.map((part) => ({ part, entries: part.segment.dictionary.from() }));
  const heads = open.map(({ part, entries }) => ({ part, entries, next: entries.next() }));
  for (;;) {
    let first: string | null = null;
    for (const { next } of heads)
      if (!next.done && (first === null || compareTerms(next.value.term, first) < 0)) first = next.value.term;
    if (first === null) return;
    const found: { part: Part; entry: Entry }[] = [];
    for (const head of heads) {
      if (head.next.done || head.next.value.term !== first) continue;
      found.push({ part: head.part, entry: head.next.value });
      head.next = head.entries.next();
    }
    yield [first, found];
  }
}
