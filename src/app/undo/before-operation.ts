/** Finds the state of a session before an operation, to which an undo returns it. */
import { isStopped } from '../../core/listing/status.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { SessionState } from '../../core/state.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { type Chain, readChain, walkChain } from '../../history/chain/chain.ts';
import type { Operation } from '../../history/operations/operation.ts';
import { readOperations } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';
import { checkUnexpired } from './expired.ts';

/** Commands whose steps can be taken in again. */
export const COMES_AGAIN = ['ingest', 'import'];

/**
 * Returns the step that a session goes back to: the one where its end began; if a user has confirmed it through a hook,
 * which is no operation by itself, the one before that, since a confirmed session would be saved again with the next
 * event.
 */
export function stoodBefore(repository: Repository, { pointer, old }: PointerMove): string | null {
  if (old === null) return null;
  const confirmed = new Set<string>();
  for (const [oid] of walkChain(repository.objects, old)) {
    if (readChain(repository.objects, oid).session.session_state.kind !== 'Complete') {
      const isMove = (move: PointerMove): boolean => move.pointer === pointer && confirmed.has(move.new ?? '');
      for (const { moves } of readOperations(repository)) if (moves.some(isMove)) return old;
      return oid;
    }
    confirmed.add(oid);
  }
  return old;
}

/**
 * Returns whether an operation moved over steps of a transcript or a bundle: an ingest or import that made them, or an undo
 * that later moves over them.
 */
export function isOfTranscript(repository: Repository, operation: Operation, move: PointerMove): boolean {
  if (operation.command !== 'undo') return COMES_AGAIN.includes(operation.command);
  const ends = [move.old, move.new];
  const isSame = ({ pointer, old, new: next }: PointerMove): boolean =>
    pointer === move.pointer && ends.includes(old) && ends.includes(next);
  for (const { command, moves } of readOperations(repository))
    if (COMES_AGAIN.includes(command) && moves.some(isSame)) return true;
  return false;
}

export const isSame = (a: SessionState, b: SessionState): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns the state at one step of a session if a later step has another one; else null.
 * @throws {CtxError} not_found, if the steps were expired
 */
export function stateChanged(objects: ObjectStore, chain: Chain, before: string, after: string): SessionState | null {
  checkUnexpired(objects, chain, [before, after]);
  const [old, next] = [before, after].map((head) => readChain(objects, head).session.session_state);
  return old && next && !isSame(old, next) ? old : null;
}

/** Returns the record that takes back how an operation paused a session or made it active; null if it did neither, or it is so already. */
export function statusBefore(objects: ObjectStore, chain: Chain, before: string, after: string): AnyBody | null {
  checkUnexpired(objects, chain, [before, after]);
  const [then, later, now] = [readChain(objects, before).session, readChain(objects, after).session, chain.session];
  const [was, became, is] = [then, later, now].map(isStopped);
  if (was === became || was === is) return null;
  if (!was) return { kind: 'status', from: 'paused', to: 'active', by: 'undo' };
  const summary = then.paused?.summary;
  return { kind: 'status', from: 'active', to: 'paused', by: 'undo', ...(summary !== undefined && { summary }) };
}
