/** What waits twice: an event that an agent has told two times, as it does where ctx stands in two of its files, is one. */
import type { Pending } from './pending.ts';

/** What waits, in its order, without what a hook has left of a call already. */
export function withoutRepeats(waiting: readonly Pending[]): Pending[] {
  const calls = new Map<string, number>();
  for (const item of waiting) {
    const call = callOf(item);
    if (call !== null) calls.set(call, (calls.get(call) ?? 0) + 1);
  }
  const seen = new Set<string>();
  return waiting.filter((item) => {
    const call = callOf(item);
    // Nearly every call is told once, and has left one record: what that holds need not be looked at.
    if (call === null || calls.get(call) === 1) return true;
    const told = toldBy(item);
    if (seen.has(told)) return false;
    seen.add(told);
    return true;
  });
}

/** The agent's id of the call that a hook tells of; null where there is none. */
function callOf({ record }: Pending): string | null {
  const { hook, tool_call_id } = record as { hook?: unknown; tool_call_id?: unknown };
  return hook === true && typeof tool_call_id === 'string' ? tool_call_id : null;
}

/** All that a record says but when, with its contents. Its payloads are named by its id. */
function toldBy({ record, payloads }: Pending): string {
  const { id, at: _at, ...told } = record;
  return JSON.stringify([told, payloads.map(({ oid }) => oid)]).replaceAll(id, '');
}
