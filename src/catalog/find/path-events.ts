/** Reads the events of a path from the store, in the sessions for which the catalog has any. */
import type { StoredRecord } from '../../core/records/record.ts';
import { readRecords } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Catalog } from '../catalog.ts';
import { roleCode } from '../feed/passages.ts';
import { codeOf } from '../segment/kinds.ts';
import type { PathEntry, SessionEntry } from '../segment/rows.ts';
import type { Segment } from '../segment/segment.ts';
import { isMeant } from './search.ts';
import { PassageReader } from './snippet.ts';

/** Something that a session did with a path. */
export interface PathEvent {
  session: SessionEntry;
  did: 'read' | 'write' | 'delete';
  step: number;
  /** Unix seconds. */
  at: number;
  /** The content after it; null if the store does not hold it, or there is none. */
  blob: string | null;
  /** The ranges of its lines that were written, each with its first line and their count; null if that is not known. */
  lines: readonly (readonly [number, number])[] | null;
  record: string;
}

/** A prompt of the user. */
export interface Prompt {
  message_id: string;
  text: string;
  at: number;
}

/** Returns the paths of the store that a text means: the path itself, else those that end with it. */
export function pathsMeant(catalog: Catalog, path: string): string[] {
  const all = new Set<string>();
  for (const { rows, entries, segment } of pathRows(catalog))
    for (const entry of entries) if (catalog.counts(rows[entry.session]?.id ?? '', segment.number)) all.add(entry.path);
  if (all.has(path)) return [path];
  return [...all].filter((one) => isMeant(one, path)).sort();
}

function* pathRows(catalog: Catalog): Generator<{ rows: SessionEntry[]; entries: PathEntry[]; segment: Segment }> {
  for (const segment of catalog.segments)
    yield { rows: segment.sessionRows, entries: segment.rows('paths') as PathEntry[], segment };
}

/** Returns what was done with a path, the oldest first. @throws {CtxError} damaged */
export function pathEvents(repository: Repository, catalog: Catalog, path: string): PathEvent[] {
  const events: PathEvent[] = [];
  for (const { rows, entries, segment } of pathRows(catalog)) {
    const wanted = entries.filter(
      ({ path: one, session }) => one === path && catalog.counts(rows[session]?.id ?? '', segment.number),
    );
    if (wanted.length === 0) continue;
    const trees = treesOf(segment);
    for (const { session, reads, writes, deletes } of wanted)
      for (const step of new Set([...reads, ...writes, ...deletes])) {
        const tree = trees.get(`${session} ${step}`);
        if (tree === undefined) continue;
        const row = catalog.sessions.get(rows[session]?.id ?? '')?.row as SessionEntry;
        for (const record of readRecords(repository.objects, tree, `step ${step} of ${row.id}`, false)) {
          const event = eventOf(record, path, row, step);
          if (event) events.push(event);
        }
      }
  }
  return events.sort((a, b) => a.at - b.at || (a.record < b.record ? -1 : 1));
}

function eventOf(record: StoredRecord, path: string, session: SessionEntry, step: number): PathEvent | null {
  const { kind, at, id } = record;
  if ((kind !== 'read' && kind !== 'write' && kind !== 'delete') || record['path'] !== path) return null;
  const blob = typeof record['blob'] === 'string' ? record['blob'] : null;
  const lines = Array.isArray(record['written_lines']) ? (record['written_lines'] as [number, number][]) : null;
  return { session, did: kind, step, at, blob, lines, record: id };
}

function treesOf(segment: Segment): Map<string, string> {
  const trees = new Map<string, string>();
  for (let index = 0; index < segment.stepCount; index += 1) {
    const { session, step, tree } = segment.step(index);
    trees.set(`${session} ${step}`, tree);
  }
  return trees;
}

type Moment = { at: number; step: number };

/** Checks if something was not said before something else: several things have the same time. */
const isLater = (one: Moment, other: Moment): boolean =>
  one.at > other.at || (one.at === other.at && one.step >= other.step);

/** Finds what the user said before some event of a session. */
export class PromptFinder {
  readonly #catalog: Catalog;
  readonly #reader: PassageReader;
  readonly #known = new Map<string, { segment: Segment; passage: number; at: number; step: number }[]>();

  constructor(repository: Repository, catalog: Catalog) {
    this.#catalog = catalog;
    this.#reader = new PassageReader(repository);
  }

  /** Returns the last prompt of a session up to a step and a time; null if there is none. */
  before(session: string, step: number, at: number): Prompt | null {
    let best: { segment: Segment; passage: number; at: number; step: number } | null = null;
    for (const prompt of this.#promptsOf(session))
      if (prompt.step <= step && prompt.at <= at && (!best || isLater(prompt, best))) best = prompt;
    const read = best && this.#reader.read(best.segment, best.passage);
    return best && read && { message_id: read.id, text: read.text, at: best.at };
  }

  #promptsOf(session: string): { segment: Segment; passage: number; at: number; step: number }[] {
    const known = this.#known.get(session);
    if (known) return known;
    const found: { segment: Segment; passage: number; at: number; step: number }[] = [];
    const [prompt, user] = [codeOf('prompt'), roleCode('user')];
    for (const segment of this.#catalog.segments) {
      const place = segment.sessionRows.findIndex(({ id }) => id === session);
      if (place < 0 || !this.#catalog.counts(session, segment.number)) continue;
      const { kinds, roles, lengths, exchanges } = segment;
      const messageOf = segment.messageOf.all();
      for (let passage = 0; passage < messageOf.length; passage += 1) {
        const message = messageOf[passage] as number;
        if (kinds[passage] !== prompt || exchanges.session(exchanges.ofPassage(passage)) !== place) continue;
        if (roles[message] !== user || lengths[passage] === 0) continue;
        const { at, step } = segment.message(message);
        found.push({ segment, passage, at, step: segment.step(step).step });
      }
    }
    this.#known.set(session, found);
    return found;
  }
}
