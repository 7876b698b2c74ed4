/** The ended sessions as lists show them, the newest work first: kept beside the catalog until one ends, is renamed, or another begins. */
import type { BriefRow, SessionRow } from '../../core/listing/row.ts';
import { ARCHIVE, SESSIONS } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { addBlocks, blocksIn, type Columns } from '../bytes/blocks.ts';
import { numbersIn, numbersOf } from '../bytes/columns.ts';
import type { Sections } from '../bytes/sections.ts';
import { keepDerived, readDerived } from '../store/derived.ts';
import { mainHead } from '../store/pointers.ts';

/** Ended sessions by their places in the list. */
export interface EndedList {
  readonly length: number;
  /** The short ids of the open sessions, by their ids. */
  short: ReadonlyMap<string, string>;
  /** Unix seconds of the last work of each. */
  times: Float64Array;
  isEphemeral: (place: number) => boolean;
  /** Checks if the session that started it is in the list, or is open. */
  isBelow: (place: number) => boolean;
  brief: (place: number) => BriefRow;
  row: (place: number) => SessionRow;
}

const NAME = 'list';
const [EPHEMERAL, BELOW] = [1, 2];

/** Returns a text that changes with what such a list is made of. */
export function endedListState(repository: Repository): string {
  const { refs } = repository;
  // Each title may be of a late step, and each short id depends on all ids.
  return [mainHead(repository), refs.stampOf([ARCHIVE]), ...refs.names(SESSIONS)].join('\n');
}

/** Answers a question by the list that was kept; null if there is none, or it is of another state. */
export const askEndedList = <T>(repository: Repository, question: (list: EndedList) => T): T | null =>
  readDerived(repository, NAME, endedListState(repository), (sections) => question(listIn(sections)));

/** Keeps a list. @param made the text of the manifest, and the state, that it was made of */
export function keepEndedList(
  repository: Repository,
  made: { manifest: string; state: string },
  list: EndedList,
): void {
  keepDerived(repository, NAME, { ...made, now: () => endedListState(repository) }, (writer) => {
    const rows = Array.from({ length: list.length }, (_, place) => list.row(place));
    writer.add('short', Buffer.from(JSON.stringify([...list.short])));
    writer.add('times', numbersOf(list.times));
    const flags = rows.map((_, place) => (list.isEphemeral(place) ? EPHEMERAL : 0) | (list.isBelow(place) ? BELOW : 0));
    writer.add('flags', Buffer.from(flags));
    addBlocks(writer, 'brief', rows.map(briefValues));
    addBlocks(writer, 'rest', rows.map(otherValues));
  });
}

const briefValues = (row: SessionRow): readonly unknown[] => [
  row.session_id,
  row.short_id,
  row.title,
  row.agent,
  row.state,
  row.status,
  row.ending,
  row.started_at,
  row.parent_session_id,
];

const otherValues = (row: SessionRow): readonly unknown[] => [
  row.task_description,
  row.type,
  row.project,
  row.agent_session_id,
  row.steps,
  row.parent_message_id,
  row.continues,
  row.resumes,
  row.summary,
];

function listIn(sections: Sections): EndedList {
  const times = numbersIn(sections.whole('times'));
  const flags = sections.whole('flags');
  const briefAt = blocksIn(sections, 'brief');
  const restAt = blocksIn(sections, 'rest');
  const has = (place: number, flag: number): boolean => ((flags[place] as number) & flag) !== 0;
  return {
    length: times.length,
    short: new Map(JSON.parse(sections.whole('short').toString('utf8')) as [string, string][]),
    times,
    isEphemeral: (place) => has(place, EPHEMERAL),
    isBelow: (place) => has(place, BELOW),
    brief: (place) => briefIn(...briefAt(place), times[place] as number, has(place, EPHEMERAL)),
    row: (place) => wholeIn(briefAt(place), restAt(place), times[place] as number, has(place, EPHEMERAL)),
  };
}

/** In one literal, which takes a fraction of the time of an object that grows. */
function briefIn(columns: Columns, at: number, last_activity: number, ephemeral: boolean): BriefRow {
  const [ids, shorts, titles, agents, states, statuses, endings, begins, parents] = columns as SessionRow[never][][];
  return {
    session_id: ids?.[at],
    short_id: shorts?.[at],
    title: titles?.[at],
    agent: agents?.[at],
    open: false,
    state: states?.[at],
    status: statuses?.[at],
    ending: endings?.[at],
    started_at: begins?.[at],
    last_activity,
    parent_session_id: parents?.[at],
    ephemeral,
  } as unknown as BriefRow;
}

function wholeIn(
  [brief, at]: readonly [Columns, number],
  [rest, restAt]: readonly [Columns, number],
  last_activity: number,
  ephemeral: boolean,
): SessionRow {
  const [ids, shorts, titles, agents, states, statuses, endings, begins, parents] = brief as SessionRow[never][][];
  const [tasks, types, projects, conversations, steps, messages, continued, resumed, summaries] =
    rest as SessionRow[never][][];
  return {
    session_id: ids?.[at],
    short_id: shorts?.[at],
    title: titles?.[at],
    task_description: tasks?.[restAt],
    type: types?.[restAt],
    agent: agents?.[at],
    project: projects?.[restAt],
    agent_session_id: conversations?.[restAt],
    state: states?.[at],
    started_at: begins?.[at],
    last_activity,
    steps: steps?.[restAt],
    parent_session_id: parents?.[at],
    parent_message_id: messages?.[restAt],
    ephemeral,
    continues: continued?.[restAt],
    resumes: resumed?.[restAt],
    summary: summaries?.[restAt],
    open: false,
    status: statuses?.[at],
    ending: endings?.[at],
  } as unknown as SessionRow;
}
