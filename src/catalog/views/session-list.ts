/** The sessions that can be found, the oldest first, as numbers and as rows: kept beside the catalog until a pointer of the store moves. */
import { shortIds } from '../../core/listing/short-id.ts';
import { type Repository, sessionIds } from '../../history/store/repository.ts';
import { addBlocks, blocksIn } from '../bytes/blocks.ts';
import { numbersIn, numbersOf, wordsIn } from '../bytes/columns.ts';
import type { Sections, SectionWriter } from '../bytes/sections.ts';
import type { CommitEntry, SessionEntry } from '../segment/rows.ts';
import type { Segment } from '../segment/segment.ts';

/** Sessions by their places in the list. */
export interface SessionList {
  readonly length: number;
  /** Number of turns of each, and the time of its last work, in Unix seconds. */
  turns: Uint32Array;
  times: Float64Array;
  /** For each segment, the place of each of its rows of sessions; -1 of one that does not count. */
  places: readonly Int32Array[];
  row: (place: number) => SessionEntry;
  about: (place: number) => About;
}

/** Facts that are not in the row of a session. */
export interface About {
  isOpen: boolean;
  /** Name of the commit type by which it ended; null while it is open. */
  ending: string | null;
  short_id: string;
}

/** Makes the list of some sessions. @param sessions the row of each by its id, and whether it is open */
export function listOf(
  repository: Repository,
  segments: readonly Segment[],
  sessions: Iterable<{ row: SessionEntry; isOpen: boolean }>,
  commits: readonly CommitEntry[] | null,
): SessionList {
  const sorted = [...sessions].sort(({ row: a }, { row: b }) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1));
  const places = new Map(sorted.map(({ row }, place) => [row.id, place]));
  const rowAt = (place: number): SessionEntry => (sorted[place] as (typeof sorted)[number]).row;
  let facts: { short: ReadonlyMap<string, string>; endings: ReadonlyMap<string, string> } | undefined;
  return {
    length: sorted.length,
    turns: Uint32Array.from(sorted, ({ row }) => row.turns),
    times: Float64Array.from(sorted, ({ row }) => row.last_activity),
    places: segments.map(({ sessionRows, number }) =>
      Int32Array.from(sessionRows, ({ id }) => {
        const place = places.get(id) ?? -1;
        return place >= 0 && number >= rowAt(place).since ? place : -1;
      }),
    ),
    row: rowAt,
    about: (place) => {
      facts ??= { short: shortIds(sessionIds(repository)), endings: endingsOf(commits) };
      const { row, isOpen } = sorted[place] as (typeof sorted)[number];
      const ending = isOpen ? null : (facts.endings.get(row.id) ?? null);
      return { isOpen, ending, short_id: facts.short.get(row.id) ?? row.id };
    },
  };
}

/** The newest commit of a session counts. */
function endingsOf(commits: readonly CommitEntry[] | null): Map<string, string> {
  const endings = new Map<string, string>();
  for (const { row } of commits ?? []) if (row?.ending) endings.set(row.session_id, row.ending);
  return endings;
}

/** Writes a list. */
export function writeList(writer: SectionWriter, list: SessionList): void {
  const all = Array.from({ length: list.length }, (_, place) => place);
  writer.add('turns', bytesOf(list.turns));
  writer.add('times', numbersOf(list.times));
  writer.add('segments', Buffer.from(JSON.stringify(list.places.map(({ length }) => length))));
  writer.add('places', Buffer.concat(list.places.map((places) => bytesOf(Uint32Array.from(places)))));
  addBlocks(
    writer,
    'rows',
    all.map((place) => [JSON.stringify(list.row(place))]),
  );
  addBlocks(
    writer,
    'about',
    all.map((place) => {
      const { isOpen, ending, short_id } = list.about(place);
      return [isOpen, ending, short_id];
    }),
  );
}

const bytesOf = (numbers: Uint32Array): Buffer => {
  const bytes = Buffer.allocUnsafe(numbers.length * 4);
  for (let index = 0; index < numbers.length; index += 1) bytes.writeUInt32LE(numbers[index] as number, index * 4);
  return bytes;
};

/** Reads a list; its rows are read when they are asked for. @throws {CatalogDamage} */
export function readList(sections: Sections): SessionList {
  const rowAt = blocksIn(sections, 'rows');
  const aboutAt = blocksIn(sections, 'about');
  const rows: SessionEntry[] = [];
  const turns = wordsIn(sections.whole('turns'));
  let begin = 0;
  const places = wordsIn(sections.whole('places'));
  return {
    length: turns.length,
    turns,
    times: numbersIn(sections.whole('times')),
    places: (JSON.parse(sections.whole('segments').toString('utf8')) as number[]).map((length) => {
      begin += length;
      return Int32Array.from(places.subarray(begin - length, begin), (place) => place | 0);
    }),
    row: (place) => {
      let row = rows[place];
      if (!row) {
        const [[texts], at] = rowAt(place) as [string[][], number];
        row = JSON.parse(texts?.[at] as string) as SessionEntry;
        rows[place] = row;
      }
      return row;
    },
    about: (place) => {
      const [columns, at] = aboutAt(place);
      const [isOpen, ending, short_id] = columns.map((column) => column[at]) as [boolean, string | null, string];
      return { isOpen, ending, short_id };
    },
  };
}
