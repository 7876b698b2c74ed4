/** `ctx undo`: undoes the last operations, without losing anything that was recorded since. */
import { CtxError } from '../../core/errors.ts';
import type { Session } from '../../core/session/session.ts';
import { plural } from '../../core/text.ts';
import { MAIN } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { appendRequired } from '../../git/refs/reflog.ts';
import { type Chain, readChain, type StepRecord } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { ARCHIVE, archiveRef, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import type { Operation } from '../../history/operations/operation.ts';
import { readOperations } from '../../history/operations/operation-files.ts';
import { pendingNames } from '../../history/pending/pending.ts';
import { idOf } from '../../history/pointers/session-location.ts';
import { checkNoRun } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { finishRestore } from '../conversation/snapshots.ts';
import { danglingStage, sessionIdOf } from '../session/active.ts';
import { prepareRecord } from '../session/records.ts';
import { COMES_AGAIN, isOfTranscript, isSame, stateChanged, statusBefore, stoodBefore } from './before-operation.ts';
import { squashedHead, unsquashed } from './expired.ts';
import { asItIsNow, type Line, layBack, newLine, saveAdded } from './line.ts';
import { FINAL, type LeftAlone, type UndoResult, undoneOf } from './undone.ts';

import { exportsTakenBack, rememberExports } from './undone-exports.ts';

import { FilesBack } from './undone-files.ts';
import { choicesTakenBack, rulesTakenBack, viewTakenBack } from './undone-view.ts';

/** One undo, of however many operations. */
interface Undo {
  repository: Repository;
  transaction: Transaction;
  /** Chains that have grown, as they were before, with the records of the one step that each of them gets. */
  grown: Map<string, { from: Chain; own: StepRecord[]; chosen: Partial<Session>; clean: () => void }>;
  line: Line;
  /** Heads that no ref will name any more, and that another undo may restore. */
  left: Set<string>;
  files: FilesBack;
}

/**
 * Undoes the last operations. What was recorded meanwhile stays: a restored session has it, a removed one is archived
 * with it, and a compacted one is compacted again. Files that a rewind has restored become what they were before it, unless they have changed
 * since. Undoing is an operation like any other, and can be undone.
 * @throws {CtxError} not_found, if there are fewer, if nothing would change, or if the steps of one were expired;
 * no_such_move, if a pointer has moved since, or a run of a session is in flight
 */
export function undoOperations(repository: Repository, count = 1): UndoResult {
  const finished = finishRestore(repository);
  if (finished !== null) repository.notices.push(finished);
  return transact(repository, { command: 'undo', message: 'undo', logged: true }, (transaction) => {
    const undo: Undo = {
      repository,
      transaction,
      grown: new Map(),
      line: newLine(),
      left: new Set(),
      files: new FilesBack(repository),
    };
    const { undone, runs, left } = undoLast(undo, count);
    const rest = restOf(repository, undone);
    if (runs < count) {
      const there = `There ${runs === 1 ? 'is' : 'are'} only ${plural(runs, 'operation')}.`;
      throw new CtxError('not_found', undone.length === 0 ? 'There is nothing to undo.' : there, {
        hint: 'See them with: ctx op log',
      });
    }
    if (count === 1 && undone.every(({ moves }) => !moves.some((move) => hasMoved(repository, transaction, move))))
      throw new CtxError('not_found', 'To take that back would change nothing.', {
        hint: 'What was done before it goes back too with: ctx undo 2',
      });
    transaction.undoes(undone.map(({ id }) => id));
    for (const chain of undo.line.ended.values()) saveAdded(repository, transaction, chain);
    for (const { clean } of undo.grown.values()) transaction.afterwards(clean);
    for (const head of undo.left) keepForGit(repository, head);
    const result: UndoResult = {
      undone: undone.map((operation) => undoneOf(repository, operation)),
      left,
      rest,
      world: null,
    };
    const restore = undo.files.begin();
    if (restore)
      transaction.afterwards(() => {
        result.world = restore();
      });
    return result;
  });
}

/** Operations that were undone, newest first: consecutive operations of one command count as one. */
interface Taken {
  undone: Operation[];
  runs: number;
  left: LeftAlone[];
}

/** Counts the remaining operations of the command that was undone last: others were made between them. */
function restOf(repository: Repository, undone: readonly Operation[]): number {
  const last = undone.at(-1);
  if (last?.run === undefined) return 0;
  let rest = 0;
  for (const { id, run } of readOperations(repository)) if (run === last.run && id < last.id) rest += 1;
  return rest;
}

function undoLast(undo: Undo, count: number): Taken {
  const taken: Taken = { undone: [], runs: 0, left: [] };
  let run: string | undefined;
  for (const operation of readOperations(undo.repository)) {
    const { id, command } = operation;
    const isSame = run !== undefined && operation.run === run;
    if (taken.runs === count && !isSame) break;
    if (FINAL.includes(command)) {
      taken.left.push({ id, command });
      continue;
    }
    // Nothing may be left of an operation whose sessions were forgotten since.
    if (!undoOne(undo, operation)) continue;
    taken.undone.push(operation);
    if (!isSame) taken.runs += 1;
    run = operation.run;
  }
  return taken;
}

/**
 * Undoes an operation. Sessions come first: restored commits are made from them, and STAGE names an open one.
 * @returns whether anything of it could be undone, even only a state that it had left unchanged
 */
function undoOne(undo: Undo, operation: Operation): boolean {
  const { repository, transaction, line } = undo;
  const before = operation.moves.map(({ pointer }) => standsAt(transaction, pointer));
  const ended = new Map<string, Chain>();
  const isIngestible = comesAgain(repository, operation);
  for (const move of operation.moves.filter(({ pointer }) => pointer.startsWith(SESSIONS))) {
    const chain = undoSession(undo, operation, move, isIngestible);
    if (chain) ended.set(chain.session.session_id, chain);
  }
  for (const move of operation.moves) {
    const { pointer } = move;
    if (pointer === 'STAGE') undoStage(undo, move);
    else if (pointer.startsWith(ARCHIVE)) undoArchive(undo, operation, move);
    else if (pointer === MAIN) {
      const now = move.new === null ? null : asItIsNow(line, move.new);
      // The start of any other operation's move is still on the line.
      if (operation.command === 'undo') ifThere(repository, operation, move);
      takeBack(undo, { pointer, new: now }, () => layBack(repository, transaction, line, move, ended));
    }
  }
  // A session that an undo has restored ends again; what any other operation opened began there, and has not ended without it.
  if (operation.command === 'undo') for (const [id, chain] of ended) line.ended.set(id, chain);
  return operation.moves.some(
    (move, index) => standsAt(transaction, move.pointer) !== before[index] || isOpen(undo, move),
  );
}

/** Returns whether a session that was open before and after a move is open now. */
const isOpen = ({ transaction }: Undo, { pointer, old, new: next }: PointerMove): boolean =>
  pointer.startsWith(SESSIONS) && old !== null && next !== null && transaction.read(pointer) !== null;

const standsAt = ({ stage, read }: Transaction, pointer: string): string | null =>
  pointer === 'STAGE' ? stage() : read(pointer);

const hasMoved = ({ refs }: Repository, transaction: Transaction, { pointer }: PointerMove): boolean =>
  standsAt(transaction, pointer) !== (pointer === 'STAGE' ? refs.stage() : refs.read(pointer));

/**
 * Moves STAGE back to the session that it named, if that is open. If a `forget` has left none current, nothing is lost.
 */
function undoStage(undo: Undo, { pointer, old, new: next }: PointerMove): void {
  const { stage, read } = undo.transaction;
  const isThere = old !== null && read(old) !== null;
  takeBack(undo, { pointer, new: stage() === null ? null : next }, () => (isThere ? old : null));
}

/**
 * Undoes the move of an archive alone: it is removed if a transcript was ingested and saved at once, so that it can be
 * ingested again, and restored if an undo removed both. What an export recorded of an ended session is taken back by a late step. Any other
 * archive moves with its session.
 */
function undoArchive(undo: Undo, operation: Operation, move: PointerMove): void {
  const { repository, transaction, left } = undo;
  const { pointer } = move;
  const open = sessionRef(idOf(pointer));
  const now = transaction.read(pointer);
  if (operation.moves.some((other) => other.pointer === open) || transaction.read(open) !== null) return;
  if (move.new === null && now === null) transaction.move(pointer, null, ifThere(repository, operation, move));
  if (now === null) return;
  if (move.old !== null && move.new !== null && !isOfTranscript(repository, operation, move)) {
    const chain = readChain(repository.objects, now, pointer);
    transaction.move(pointer, now, grow(undo, chain, move.old, move.new, true).head);
    return;
  }
  if (hasPending(repository, pointer)) return;
  if (move.old !== null && operation.command === 'import' && now === move.new) {
    left.add(now);
    transaction.move(pointer, now, ifThere(repository, operation, move));
  }
  if (move.old !== null) return;
  // The remains of expired steps are removed: nobody needs them.
  if (now !== move.new && squashedHead(readChain(repository.objects, now, pointer)) !== move.new) return;
  left.add(now);
  transaction.move(pointer, now, null);
}

/** Moves a pointer back if it has the value of the operation; otherwise the undo stops. */
function takeBack(
  { repository, transaction }: Undo,
  move: Pick<PointerMove, 'pointer' | 'new'>,
  old: () => string | null,
): void {
  const now = standsAt(transaction, move.pointer);
  if (now !== move.new) {
    // A torn value is no move.
    if (move.pointer === 'STAGE' && now !== null && transaction.read(now) === null)
      throw danglingStage(repository, now);
    throw new CtxError('no_such_move', `${move.pointer} has moved since: it cannot be taken back.`, {
      hint: 'Nothing was changed. See what moved it with: ctx op log; what a repair has set aside is in lost/',
      data: { pointer: move.pointer, expected: move.new, current: now },
    });
  }
  transaction.move(move.pointer, now, old());
}

/**
 * Undoes the move of a session.
 * @param isIngestible true if what the operation took in can be taken in again
 * @returns the chain of a session that ends by this, and has been compacted or begun before
 */
function undoSession(undo: Undo, operation: Operation, move: PointerMove, isIngestible: boolean): Chain | null {
  const { repository, transaction } = undo;
  checkNoRun(repository, sessionIdOf(move.pointer));
  const archive = archiveRef(sessionIdOf(move.pointer));
  const [now, archived] = [transaction.read(move.pointer), transaction.read(archive)];
  const kept = operation.moves.find(({ pointer }) => pointer === archive);
  const chainAt = (ref: string, head: string): Chain => readChain(repository.objects, head, ref);
  if (move.old === null) {
    if (now === null) return null;
    // The operation opened it: it is closed, and its steps stay in the archive; if only a transcript is in it, that
    // must remain ingestible.
    const bare = isIngestible && now === move.new && !hasPending(repository, move.pointer);
    const chain = bare ? null : grow(undo, chainAt(move.pointer, now), kept?.old ?? null, move.new);
    if (chain) transaction.move(archive, archived, chain.head);
    else undo.left.add(now);
    transaction.move(move.pointer, now, null);
    return chain;
  }
  if (move.new !== null) {
    // It was forgotten while open: it has no steps to go back to.
    if (now === null && archived !== null) return null;
    // A transcript can be ingested again. Any other step holds observations: it stays, and only the state goes back.
    if (now === null || isOfTranscript(repository, operation, move)) {
      if (now !== null) undo.left.add(now);
      takeBack(undo, move, () => ifThere(repository, operation, move));
    } else transaction.move(move.pointer, now, grow(undo, chainAt(move.pointer, now), move.old, move.new, true).head);
    return null;
  }
  if (now === null && archived === null) {
    transaction.move(move.pointer, null, ifThere(repository, operation, move));
    return null;
  }
  if (now !== null || archived === null) {
    throw new CtxError('no_such_move', `${move.pointer} is open again: "${operation.command}" cannot be taken back.`, {
      hint: 'Nothing was changed. See: ctx op log',
    });
  }
  const whole = unsquashed(repository.objects, chainAt(archive, archived));
  const chain = grow(undo, whole, stoodBefore(repository, move), kept?.new ?? move.old);
  transaction.move(move.pointer, null, chain.head);
  transaction.move(archive, archived, null);
  undo.line.ended.delete(chain.session.session_id);
  return null;
}

/** Returns whether what an operation took in can be taken in again; also one that brings such an operation back. */
function comesAgain(repository: Repository, { command, undone = [] }: Operation): boolean {
  if (command !== 'undo') return COMES_AGAIN.includes(command);
  const ids = new Set(undone);
  if (ids.size === 0) return false;
  for (const operation of readOperations(repository))
    if (ids.delete(operation.id) && !comesAgain(repository, operation)) return false;
  return ids.size === 0;
}

/** Keeps a head in the reflog of HEAD: no ref names its steps, and the reflog saves them from pruning, as in Git. */
function keepForGit({ layout, clock, durability }: Repository, head: string): void {
  const move = { pointer: 'HEAD', old: null, new: head };
  appendRequired(layout.root, move, { at: clock(), message: 'undo: moved on from what was ingested' }, durability);
}

/**
 * Returns a value that no ref has named since an operation moved on from it.
 * @throws {CtxError} not_found, if Git has pruned it: that is no damage
 */
function ifThere({ objects }: Repository, { command }: Operation, { pointer, old }: PointerMove): string | null {
  if (old === null || kindOf(objects, old) !== 'absent') return old;
  throw new CtxError('not_found', `"${command}" cannot be taken back: ${old}, which ${pointer} named, is gone.`, {
    hint: 'Nothing was changed. Nothing has named it since, and Git has pruned it.',
    data: { pointer, oid: old },
  });
}

const hasPending = (repository: Repository, ref: string): boolean => pendingNames(repository, idOf(ref)).length > 0;

/**
 * Adds to a chain its pending records, and the state before an operation, if that changed it. It gets one step, however
 * many operations are undone: pending records must be in the head, or a kill would let them be flushed twice.
 */
function grow(undo: Undo, chain: Chain, before: string | null, after: string | null, ofView = false): Chain {
  const { repository, grown } = undo;
  const { session_id, session_state } = chain.session;
  const at = repository.clock();
  const { from, own }: { from: Chain; own: StepRecord[] } = grown.get(session_id) ?? { from: chain, own: [] };
  const to = before && after ? stateChanged(repository.objects, chain, before, after) : null;
  if (to && !isSame(to, session_state)) {
    const body = { kind: 'transition' as const, from: session_state, to, by: 'undo' };
    own.push(prepareRecord(repository, repository.objects, at, { body }));
  }
  const changed = before && after ? statusBefore(repository.objects, chain, before, after) : null;
  if (changed) own.push(prepareRecord(repository, repository.objects, at, { body: changed }));
  let chosen: Partial<Session> = grown.get(session_id)?.chosen ?? {};
  if (ofView && before && after) {
    const now = { ...from.session, ...chosen };
    chosen = {
      ...chosen,
      ...choicesTakenBack(repository, now, before, after),
      ...exportsTakenBack(repository, now, before, after),
    };
    const rules = rulesTakenBack(repository, from.session, own, before, after);
    for (const body of [...viewTakenBack(repository, from, own, before, after, undo.files), ...rules])
      own.push(prepareRecord(repository, repository.objects, at, { body, isRedacted: true }));
  }
  const isChosen = Object.keys(chosen).length > 0;
  const plan = isChosen ? { own, always: true, session: { ...from.session, ...chosen } } : { own };
  const flushed = flushInto(repository, from, at, plan);
  if (flushed.chain === from) return chain;
  const clean = (): void => {
    flushed.clean();
    rememberExports(repository, from.session, flushed.chain.session);
  };
  grown.set(session_id, { from, own, chosen, clean });
  return flushed.chain;
}
