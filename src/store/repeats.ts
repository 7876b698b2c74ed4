/** What waits twice: an event that an agent has told two times, as it does where ctx stands in two of its files, is one. */
import type { StoredRecord } from '../core/record.ts';
import { type Chain, readRecords, type StepRecord, walkChain } from './chain.ts';
import type { ObjectStore } from './objects.ts';
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

/**
 * The same records as they are to stand in a step, without what the latest steps have of their calls: the transcript was read
 * before the hook came, or the hook has told it before the last flush.
 * @param isNew whether a call is known to stand in no step, so that none need be read for it
 */
export function withoutKept(
  objects: ObjectStore,
  { head }: Chain,
  records: readonly StepRecord[],
  isNew: (call: string) => boolean,
): StepRecord[] {
  const isSought = ({ record }: StepRecord): boolean => {
    const call = callOf(record);
    return call !== null && !isNew(call);
  };
  if (!records.some(isSought)) return [...records];
  const kept = keptIn(objects, head);
  return records.filter((item) => {
    if (!isSought(item)) return true;
    const { record } = item;
    return !kept.has(String(record['tool_call_id'])) && !kept.has(deedOf(record));
  });
}

/** Calls of which a transcript has told what they did, and all that hooks have told, in the latest steps. */
function keptIn(objects: ObjectStore, head: string): ReadonlySet<string> {
  const kept = new Set<string>();
  let left = LOOK_BACK;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    for (const record of readRecords(objects, tree, `step ${oid}`, false)) {
      if (callOf(record) !== null) kept.add(deedOf(record));
      else if (typeof record['tool_call_id'] === 'string') kept.add(record['tool_call_id']);
    }
    left -= 1;
    if (left === 0) break;
  }
  return kept;
}

/** The agent's id of the call that a hook tells of; null where there is none. */
function callOf(record: StoredRecord): string | null {
  const { hook, tool_call_id } = record as { hook?: unknown; tool_call_id?: unknown };
  return hook === true && typeof tool_call_id === 'string' ? tool_call_id : null;
}

/** All that a hook's record says but when; its payloads are named by its id. */
function toldBy({ id, at: _at, ...told }: StoredRecord): string {
  return JSON.stringify(told).replaceAll(id, '');
}

/** The same without how its command has ended, which may be known from elsewhere by now, or not yet. */
const deedOf = (record: StoredRecord): string => toldBy({ ...record, exit_code: null });
