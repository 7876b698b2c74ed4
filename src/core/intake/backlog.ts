/** Reconciles the pending records of hooks with each other, and with the latest steps of their session. */
import type { StoredRecord } from '../records/record.ts';
import { callOf, Deeds, type IsSame, isBetweenTurns, LATEST, timeOf } from './deeds.ts';
import { isUniqueCall, reconcile } from './reconcile.ts';

/** A pending record, and the objects of its long texts. */
interface Report {
  record: StoredRecord;
  payloads: readonly { oid: string }[];
}

/** News of a transcript that was read just now about the records of hooks. */
export interface TranscriptNews {
  /** Completes a pending record with facts that are known since. */
  complete: (record: StoredRecord) => StoredRecord;
  /** Returns whether the transcript has a call that is in no step. */
  isNew: (call: string) => boolean;
  /** True if a transcript was read: calls that it does not have now may have been recorded before. */
  isRead: boolean;
  /** The agent's own rule for two deeds without a common id; absent if the agent has none, or is unknown. */
  isSame?: IsSame | undefined;
}

/** The result without a transcript. */
export const NO_TRANSCRIPT: TranscriptNews = { complete: (record) => record, isNew: () => false, isRead: false };
/** The result of a transcript with nothing new. */
export const NOTHING_NEW: TranscriptNews = { ...NO_TRANSCRIPT, isRead: true };

/** The session that takes the records. */
interface Destination {
  /** The records of its steps, the latest first. */
  steps: Iterable<readonly StoredRecord[]>;
  /** True if it has read a part of a transcript. */
  hasRead: boolean;
  /** True if its head has records that are still pending: a flush was killed before it removed them. */
  isCutOff: boolean;
  news: TranscriptNews;
}

/** Returns the reports in order, each event once. */
export function distinctReports<Each extends Report>(reports: readonly Each[]): Each[] {
  const calls = new Map<string | null, number>();
  for (const { record } of reports) calls.set(callOf(record), (calls.get(callOf(record)) ?? 0) + 1);
  // Nearly every call is reported once and has one record, which need not be compared.
  const isAlone = (record: StoredRecord): boolean => callOf(record) === null || calls.get(callOf(record)) === 1;
  const deeds = new Deeds();
  return reports.filter((report) => {
    if (isAlone(report.record)) return true;
    const isNew = reconcile({ deeds }, eventOf(report)) === 'new';
    if (isNew) deeds.add(report.record, 'pending', oidsOf(report));
    return isNew;
  });
}

/** Returns the reports whose events are in no step yet: a transcript, or the same hook, may have brought them before. */
export function freshReports<Each extends Report>(reports: readonly Each[], destination: Destination): Each[] {
  const distinct = distinctReports(reports);
  const isSought = ({ record }: Each): boolean => {
    const call = callOf(record);
    return call !== null && !destination.news.isNew(call);
  };
  const sought = distinct.filter(isSought);
  if (sought.length === 0) return distinct;
  const deeds = new Deeds(destination.news.isSame);
  const isKnown = (report: Each): boolean => reconcile({ deeds }, eventOf(report)) !== 'new';
  for (const _ of gathered(deeds, destination, sought)) if (sought.every(isKnown)) break;
  return distinct.filter((report) => !isSought(report) || !isKnown(report));
}

const oidsOf = ({ payloads }: Report): string[] => payloads.map(({ oid }) => oid);
const eventOf = (report: Report) =>
  ({ kind: 'deed', from: 'hook', record: report.record, payloads: oidsOf(report) }) as const;

/** Steps that are searched for a call that a transcript, or the same hook, may have recorded before. */
const LOOK_BACK = 5;
/**
 * The same for a call with a unique id, for a report that may be late, and after a transcript was read that does not have
 * the call: it has recorded the call before, or will do so.
 */
const FAR_BACK = 64;

/**
 * Collects the deeds of the last turn, step by step; of earlier turns as long as a report may be late; and all of a cut-off
 * head.
 */
function* gathered(
  deeds: Deeds,
  { steps, hasRead, isCutOff, news }: Destination,
  sought: readonly Report[],
): Generator<void> {
  const isUnique = sought.some(({ record }) => isUniqueCall(callOf(record)));
  const isUnnamed = sought.some(({ record }) => typeof record['tool_call_id'] !== 'string');
  const since =
    sought.reduce((first, { record }) => Math.min(first, timeOf(record)), Number.POSITIVE_INFINITY) - LATEST;
  let depth = 0;
  let isThisTurn = true;
  let isHead = true;
  for (const records of steps) {
    const over: number = isThisTurn ? records.findLastIndex(isBetweenTurns) : records.length;
    const isWhole = isCutOff && isHead;
    for (const [at, record] of records.entries()) deeds.add(record, isWhole || at > over ? 'turn' : 'earlier');
    yield;
    depth += 1;
    isThisTurn &&= over < 0;
    isHead = false;
    const isRecent = records.some(({ at }) => at >= since);
    const most = hasRead && (news.isRead || isRecent || isUnique) ? FAR_BACK : LOOK_BACK;
    const goesBefore = hasRead && (isUnique || (isUnnamed && isRecent));
    if (depth >= most || !(isThisTurn || goesBefore)) break;
  }
}
