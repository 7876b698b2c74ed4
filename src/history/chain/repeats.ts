/** What waits twice: an event that an agent has told two times, as it does where ctx stands in two of its files, is one. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { wordsOfUser } from '../../core/session/words-note.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { Pending } from '../pending/pending.ts';
import { type Chain, readRecords, type StepRecord, walkChain } from './chain.ts';

/** Steps in which a call is looked for that a transcript, or the same hook, may have told of before. */
const LOOK_BACK = 5;
/** The same where a transcript was read just now that tells nothing of it: it has done so before, or does so later. */
const FAR_BACK = 32;

/** What waits, in its order, without what a hook has left of a call already. */
export function withoutRepeats(waiting: readonly Pending[]): Pending[] {
  const calls = new Map<string, number>();
  for (const { record } of waiting) {
    const call = callOf(record);
    if (call !== null) calls.set(call, (calls.get(call) ?? 0) + 1);
  }
  const seen = new Set<string>();
  return waiting.filter(({ record, payloads }) => {
    const call = callOf(record);
    // Nearly every call is told once, and has left one record: what that holds need not be looked at.
    if (call === null || calls.get(call) === 1) return true;
    const told = `${toldBy(record)} ${payloads.map(({ oid }) => oid)}`;
    if (seen.has(told)) return false;
    seen.add(told);
    return true;
  });
}

/** What is known of the calls in records that are to stand in a step. */
export interface CallsKnown {
  /** Whether one is known to stand in no step, so that none need be read for it. */
  isNew: (call: string) => boolean;
  /** Whether the head has records that wait on: a flush was killed before it removed them. */
  isCutOff: boolean;
  /** Whether a transcript was read just now. */
  isRead: boolean;
}

/**
 * Records as they are to stand in a step, without what the steps of this turn have of their calls: the transcript was read before
 * the hook came, or the hook has told it before a flush.
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

/** What stands in steps of calls: in this turn, and of turns before it what only a transcript has told. */
interface Kept {
  inTurn: Set<string>;
  before: Set<string>;
}

/**
 * Whether a record stands there. Agents of some models count their calls anew with each turn: of another turn is only a call whose
 * id no other has.
 */
function isKept(item: StepRecord, { inTurn, before }: Kept): boolean {
  const deed = deedOf(item.record);
  return inTurn.has(deed) || inTurn.has(toldOf(item.record)) || (before.has(deed) && isOneOfAll(item));
}

/** An id with so much chance in it that it is given once, as `toolu_01…`, `call_…` and UUIDs are. */
const GIVEN_ONCE = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i;
const isOneOfAll = ({ record }: StepRecord): boolean => GIVEN_ONCE.test(callOf(record) ?? '');

/**
 * Gathers step by step from the head what transcripts have told of calls, and all that hooks have, in the last turn; in all of the
 * head where a flush was cut off. Of turns before it, where that is asked for, what a transcript has told: it was read before the
 * hook of the call came, and something else was said or the turn was over meanwhile.
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

/** Whether a record is what a prompt has left, a task or a note of it or of the move that it came to, or the end of a turn. */
const isBetweenTurns = (record: StoredRecord): boolean => {
  if (isKind(record, 'note'))
    return wordsOfUser(record) !== null || (record.role !== 'plain' && record.role !== 'question');
  // A question of a tool's is put within a turn.
  if (isKind(record, 'transition')) return record.to.kind !== 'Running' && record['of_tool'] !== true;
  return record.kind === 'task';
};

/** What a call is known by that a hook tells of: the agent's id of it, else the time at which it told of it; null where neither is there. */
function callOf(record: StoredRecord): string | null {
  const { hook, tool_call_id: id, told_at } = record as { hook?: unknown; tool_call_id?: unknown; told_at?: unknown };
  const call = id ?? told_at;
  return hook === true && typeof call === 'string' ? call : null;
}

/** All that a hook's record says but when; its payloads are named by its id. */
function toldBy({ id, at: _at, ...told }: StoredRecord): string {
  return JSON.stringify(told).replaceAll(id, '');
}

/** The same of one that is or was to be kept, without how its command has ended: that may be known from elsewhere by now, or not yet. */
const toldOf = (record: StoredRecord): string => toldBy({ ...record, exit_code: null });

/** What a call did, in one text. */
const deedOf = ({ tool_call_id: call, kind, path, command }: StoredRecord): string =>
  JSON.stringify([call, kind, path ?? command]);
