/** Says how far back the steps of a session are read for what a transcript may repeat. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import type { Source } from '../../core/session/session.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, latestRecords, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Steps in which an observed call is searched for: its turn may have been flushed meanwhile. */
const LOOK_BACK = 5;

/** Most steps that a hook looks back, and how many with a part of the transcript: a turn spans no more. */
const STEPS_BACK = 256;
const PARTS_BACK = 2;

/** Steps in which a tool's question is searched for: it is put and answered within a turn. */
const QUESTION_BACK = 16;

/** The position of a session in a transcript. */
export type Reached = Pick<Source, 'agent' | 'agent_session_id' | 'offset' | 'whole_after' | 'behind'>;

/** Says, step by step from the head, whether it was the last one to read. */
export type IsEnough = (records: readonly StoredRecord[], oid: string) => boolean;

/** Time by which the clock of a transcript may be fast, in seconds. */
const SLACK = 60;

/** Returns whether all of a step was recorded before a time: a hook reports nothing before it is done. */
const isBefore = (records: readonly StoredRecord[], time: number): boolean =>
  records.every(({ at }) => at < time - SLACK);

/**
 * Reads the latest steps, and before them every step since the position was read, or since the first event of the transcript.
 * @param first its time, in Unix seconds
 */
export function sinceRead(repository: Repository, since: Reached, first: number): IsEnough {
  let left = LOOK_BACK;
  let isSince = true;
  return (records, oid) => {
    isSince &&= hasReached(readChain(repository.objects, oid), since);
    if (!isSince) left -= 1;
    return left <= 0 && isBefore(records, first);
  };
}

/**
 * Reads the steps that may have the turn that is only read now, and all since hooks fell behind.
 * @param first when the first event of the transcript happened, in Unix seconds
 */
export function thisTurn(repository: Repository, since: Reached, first: number): IsEnough {
  let [steps, parts] = [STEPS_BACK, PARTS_BACK];
  let isBehind = isUnread(since) || since.whole_after !== undefined;
  return (records, oid) => {
    isBehind &&= isUnread(since) || hasReached(readChain(repository.objects, oid), since);
    if (isBehind) return false;
    steps -= 1;
    parts -= records.some(({ kind }) => kind === 'message' || kind === 'part' || kind === 'raw') ? 1 : 0;
    return steps === 0 || (parts <= 0 && isBefore(records, first));
  };
}

/** Returns whether a session has read nothing of a transcript. */
export const isUnread = ({ offset, behind }: Reached): boolean => behind === true || offset === 0;

/**
 * Returns whether a step may have records from after a position in a transcript: the step had read that far, or the
 * position is uncertain.
 */
function hasReached({ session }: Chain, since: Reached): boolean {
  const { agent, agent_session_id, offset, whole_after = Number.POSITIVE_INFINITY } = since;
  if (isUnread(since) || session.step > whole_after) return true;
  return session.sources.some(
    (source) => source.agent === agent && source.agent_session_id === agent_session_id && source.offset === offset,
  );
}

/** Returns the number of the step before the one that last read a transcript to its end; 0 if none has. */
export function wholeAfter({ objects }: Repository, { head }: Chain, since: Reached): number {
  if (since.whole_after !== undefined) return since.whole_after;
  if (isUnread(since)) return 0;
  for (const [oid] of walkChain(objects, head)) {
    const step = readChain(objects, oid);
    if (!hasReached(step, since)) return step.session.step;
  }
  return 0;
}

/**
 * Yields the records of the steps that may have something from after a position in a transcript, with long texts, the
 * latest step first. The last one is the step that has read so far.
 */
export function* stepsSince({ objects }: Repository, { head }: Chain, since: Reached): Generator<StoredRecord[]> {
  let left = isUnread(since) ? Number.POSITIVE_INFINITY : STEPS_BACK;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    if (left === 0 || !hasReached(readChain(objects, oid), since)) return;
    left -= 1;
    yield readRecords(objects, tree, `step ${oid}`, true);
  }
}

/** Yields the first items of an iteration. */
function* first<Item>(items: Iterable<Item>, most: number): Generator<Item> {
  let left = most;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

/** Yields the records of the latest steps, with long texts. */
export const latestSteps = (repository: Repository, chain: Chain): Iterable<StoredRecord[]> =>
  first(latestRecords(repository.objects, chain, true), STEPS_BACK);

/** Yields the records of the steps that may have a tool's question, the latest first, without long texts. */
export function* questionRecords(repository: Repository, chain: Chain): Generator<StoredRecord> {
  for (const step of first(latestRecords(repository.objects, chain), QUESTION_BACK)) yield* step.toReversed();
}

/**
 * Returns when a session was last moved other than by its transcript, in Unix seconds; 0 if there is no session yet.
 * Moves of the transcript itself precede what is new in it, whatever the clock said. Without any such move it is the
 * time of the task, which may precede the beginning of the transcript. The last activity would be wrong: a note of the
 * user's, or a record of the program, is no move.
 * @param read the position in the transcript; undefined if it is read from its beginning
 */
export function lastMove(objects: ObjectStore, chain: Chain | null, read: Source | undefined): number {
  if (chain === null) return 0;
  let begun = chain.session.started_at;
  /** The time of the last move in the step above: it counts unless that step has read up to the position. */
  let above: number | undefined;
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    if (read?.moved_before !== undefined && !hasReached(readChain(objects, oid), read)) return read.moved_before;
    if (above !== undefined) return above;
    for (const record of readRecords(objects, tree, `step ${oid}`, false).toReversed()) {
      if (isKind(record, 'transition')) above ??= record.at;
      if (isKind(record, 'task')) begun = Math.min(begun, record.at);
    }
  }
  return read?.moved_before ?? above ?? begun;
}
