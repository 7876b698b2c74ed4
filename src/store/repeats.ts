/** What waits twice: an event that an agent has told two times, as it does where ctx stands in two of its files, is one. */
import { isKind, type StoredRecord } from '../core/record.ts';
import { wordsOfUser } from '../core/words-note.ts';
import { type Chain, readRecords, type StepRecord, walkChain } from './chain/chain.ts';
import type { ObjectStore } from './objects/objects.ts';
import type { Pending } from './pending.ts';

/** Steps in which a call is looked for that a transcript, or the same hook, may have told of before. */
const LOOK_BACK = 5;

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
}

/**
 * Records as they are to stand in a step, without what the steps of this turn have of their calls: the transcript was read before
 * the hook came, or the hook has told it before a flush.
 */
export function withoutKept(
  objects: ObjectStore,
  { head }: Chain,
  records: readonly StepRecord[],
  { isNew, isCutOff }: CallsKnown,
): StepRecord[] {
  const isSought = ({ record }: StepRecord): boolean => {
    const call = callOf(record);
    return call !== null && !isNew(call);
  };
  if (!records.some(isSought)) return [...records];
  const kept = keptIn(objects, head, isCutOff);
  return records.filter((item) => !isSought(item) || ![deedOf(item.record), toldOf(item.record)].some(kept.has, kept));
}

/** What transcripts have told of calls, and all that hooks have, in the last turn; in all of the head where `isWhole`. */
function keptIn(objects: ObjectStore, head: string, isWhole: boolean): ReadonlySet<string> {
  const kept = new Set<string>();
  let left = LOOK_BACK;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    const records = readRecords(objects, tree, `step ${oid}`, false);
    // Agents of some models count their calls anew with each turn.
    const over = records.findLastIndex(isBetweenTurns);
    for (const record of records.slice(isWhole ? 0 : over + 1))
      if (typeof record['tool_call_id'] === 'string')
        kept.add(callOf(record) === null ? deedOf(record) : toldOf(record));
    left -= 1;
    if (left === 0 || over >= 0) break;
  }
  return kept;
}

/** Whether a record is what a prompt has left, a task or a note of it or of the move that it came to, or the end of a turn. */
const isBetweenTurns = (record: StoredRecord): boolean => {
  if (isKind(record, 'note'))
    return wordsOfUser(record) !== null || (record.role !== 'plain' && record.role !== 'question');
  // A question of a tool's is put within a turn.
  if (isKind(record, 'transition')) return record.to.kind !== 'Running' && record['of_tool'] !== true;
  return record.kind === 'task';
};

/** The agent's id of the call that a hook tells of; null where there is none. */
function callOf(record: StoredRecord): string | null {
  const { hook, tool_call_id } = record as { hook?: unknown; tool_call_id?: unknown };
  return hook === true && typeof tool_call_id === 'string' ? tool_call_id : null;
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
