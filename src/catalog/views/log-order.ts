/** The commits of the main line in the order of `ctx log`, with what its common filters ask for: kept beside the catalog until the line moves. */
import { ROOT } from '../../core/commit-types/table.ts';
import type { Repository } from '../../history/store/repository.ts';
import { numbersIn, numbersOf } from '../bytes/columns.ts';
import type { Sections } from '../bytes/sections.ts';
import { newestFirst } from '../feed/commits.ts';
import type { CommitEntry } from '../segment/rows.ts';
import { keepDerived, readDerived } from '../store/derived.ts';
import { mainHead } from '../store/pointers.ts';

/** Commits of sessions by their places in the log, the newest work first. */
export interface LogOrder {
  readonly length: number;
  times: Float64Array;
  oid: (place: number) => string;
  /** The type and the author of each. */
  facts: () => readonly [type: string, author: string][];
}

const NAME = 'log';
const OID = 20;

const stateOf = (repository: Repository): string => String(mainHead(repository));

/** Answers a question by the order that was kept; null if there is none, or the main line has moved. */
export const askLogOrder = <T>(repository: Repository, question: (order: LogOrder) => T): T | null =>
  readDerived(repository, NAME, stateOf(repository), (sections) => question(orderIn(sections)));

/** Keeps the order of some commits. @param main the head that they lead to @param manifest the text of the manifest that has them */
export function keepLogOrder(
  repository: Repository,
  main: string,
  manifest: string,
  commits: readonly CommitEntry[],
): void {
  const sessions = [...newestFirst(commits)].filter(({ type }) => type !== null && type !== ROOT);
  sessions.sort((a, b) => b.last_activity - a.last_activity);
  keepDerived(repository, NAME, { manifest, state: main, now: () => stateOf(repository) }, (writer) => {
    writer.add('oids', Buffer.from(sessions.map(({ oid }) => oid).join(''), 'hex'));
    writer.add('times', numbersOf(Float64Array.from(sessions, ({ last_activity }) => last_activity)));
    writer.add('facts', Buffer.from(JSON.stringify(sessions.map(({ type, author }) => [type, author]))));
  });
}

function orderIn(sections: Sections): LogOrder {
  const oids = sections.whole('oids');
  const times = numbersIn(sections.whole('times'));
  return {
    length: times.length,
    times,
    oid: (place) => oids.toString('hex', place * OID, (place + 1) * OID),
    facts: () => JSON.parse(sections.whole('facts').toString('utf8')) as [string, string][],
  };
}
