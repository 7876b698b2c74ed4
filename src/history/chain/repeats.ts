/** Removes duplicate records: an agent reports an event twice if ctx is configured in two of its files. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { wordsOfUser } from '../../core/session/words-note.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { Pending } from '../pending/pending.ts';
import { type Chain, readRecords, type StepRecord, walkChain } from './chain.ts';

/** Steps that are searched for a call that a transcript, or the same hook, may have recorded before. */
const LOOK_BACK = 5;
/** The same after a transcript was read that does not have the call: it has recorded the call before, or will do so. */
const FAR_BACK = 32;

/** Returns the pending records in order, without duplicates of a hook's calls. */
export function withoutRepeats(waiting: readonly Pending[]): Pending[] {
  const calls = new Map<string, number>();
  for (const { record } of waiting) {
    const call = callOf(record);
    if (call !== null) calls.set(call, (calls.get(call) ?? 0) + 1);
  }
  const seen = new Set<string>();
  return waiting.filter(({ record, payloads }) => {
    const call = callOf(record);
    // Nearly every call is reported once and has one record, which need not be compared.
    if (call === null || calls.get(call) === 1) return true;
    const told = `${toldBy(record)} ${payloads.map(({ oid }) => oid)}`;
    if (seen.has(told)) return false;
    seen.add(told);
    return true;
  });
}

/** What is known about the calls of records for a step. */
export interface CallsKnown {
  /** Returns whether a call is known to be in no step, so that none must be read for it. */
  isNew: (call: string) => boolean;
  /** Whether the head has records that are still pending: a flush was killed before it removed them. */
  isCutOff: boolean;
  /** Whether a transcript was read just now. */
  isRead: boolean;
}

/**
 * Returns the records for a step, without calls that the steps of this turn have already: the transcript was read before the
 * hook ran, or the hook has reported the call before a flush.
 */
export function withoutKept(
  objects: ObjectStore,
  chain: Chain,
  records: readonly StepRecord[],
  known: CallsKnown,
): StepRecord[] {
  const isSought = ({ record }: StepRecord): boolean => {
    const call = callOf(record);
    return call !== null && !known.isNew(call);
  };
  const sought = records.filter(isSought);
  if (sought.length === 0) return [...records];
  const kept: Kept = { inTurn: new Set(), before: new Set() };
  for (const _ of gathered(objects, chain, known, kept, sought.some(isOneOfAll)))
    if (sought.every((item) => isKept(item, kept))) break;
  return records.filter((item) => !isSought(item) || !isKept(item, kept));
}

/** Calls in steps: of this turn, and of earlier turns those that only a transcript has recorded. */
interface Kept {
  inTurn: Set<string>;
  before: Set<string>;
}

/**
 * Returns whether a record's call is in a step. Agents of some models number their calls per turn: a call of another turn
 * matches only if its id is unique.
 */
function isKept(item: StepRecord, { inTurn, before }: Kept): boolean {
  const deed = deedOf(item.record);
  return inTurn.has(deed) || inTurn.has(toldOf(item.record)) || (before.has(deed) && isOneOfAll(item));
}

/** An id with enough randomness to be unique, as `toolu_01…`, `call_…` and UUIDs are. */
const GIVEN_ONCE = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i;
const isOneOfAll = ({ record }: StepRecord): boolean => GIVEN_ONCE.test(callOf(record) ?? '');

/**
 * Collects, step by step from the head, the calls of the last turn that transcripts and hooks have recorded; all of the head
 * after a killed flush. Of earlier turns, if requested, those that a transcript has recorded: it was read before the hook of
 * the call ran, and the turn has ended meanwhile.
 */
function* gathered(
  objects: ObjectStore,
  { head, session }: Chain,
  { isCutOff, isRead }: CallsKnown,
  { inTurn, before }: Kept,
  isSoughtBefore: boolean,
): Generator<void> {
  const goesBefore = isSoughtBefore && session.sources.some(({ offset }) => offset > 0);
  let left = isRead && goesBefore ? FAR_BACK : LOOK_BACK;
  let isThisTurn = true;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    const records = readRecords(objects, tree, `step ${oid}`, false);
    const over: number = isThisTurn ? records.findLastIndex(isBetweenTurns) : records.length;
    const isWhole = isCutOff && oid === head;
    for (const [at, record] of records.entries()) {
      const isHooks = callOf(record) !== null;
      if (!isHooks && typeof record['tool_call_id'] !== 'string') continue;
      const isOfTurn = isWhole || at > over;
      if (!isHooks) (isOfTurn ? inTurn : before).add(deedOf(record));
      else if (isOfTurn) inTurn.add(toldOf(record));
    }
    yield;
    left -= 1;
    isThisTurn &&= over < 0;
    if (left === 0 || !(isThisTurn || goesBefore)) break;
  }
}

/** Returns whether a record comes between turns: a task or a note of a prompt, its transition, or the end of a turn. */
const isBetweenTurns = (record: StoredRecord): boolean => {
  if (isKind(record, 'note'))
    return wordsOfUser(record) !== null || (record.role !== 'plain' && record.role !== 'question');
  // A question of a tool is asked within a turn.
  if (isKind(record, 'transition')) return record.to.kind !== 'Running' && record['of_tool'] !== true;
  return record.kind === 'task';
};

/** Returns what identifies the call of a hook's record: the agent's id, else the time of the report; null if it has neither. */
function callOf(record: StoredRecord): string | null {
  const { hook, tool_call_id: id, told_at } = record as { hook?: unknown; tool_call_id?: unknown; told_at?: unknown };
  const call = id ?? told_at;
  return hook === true && typeof call === 'string' ? call : null;
}

/** Returns the content of a hook's record without its time and id; its payloads are named by its id. */
function toldBy({ id, at: _at, ...told }: StoredRecord): string {
  return JSON.stringify(told).replaceAll(id, '');
}

/** The same without the exit code of its command, which may be known from elsewhere, or not yet. */
const toldOf = (record: StoredRecord): string => toldBy({ ...record, exit_code: null });

/** Returns the action of a call as one text. */
const deedOf = ({ tool_call_id: call, kind, path, command }: StoredRecord): string =>
  JSON.stringify([call, kind, path ?? command]);
