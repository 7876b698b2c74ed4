/** `ctx op log` and `ctx undo`: what moved which pointer, and taking the last of it back without losing anything. */
import { CtxError } from '../core/errors.ts';
import type { AnyBody } from '../core/record.ts';
import { plural } from '../core/text.ts';
import { type Chain, readChain, writeStep } from '../store/chain.ts';
import { ARCHIVE, archiveRef, SESSIONS } from '../store/layout.ts';
import type { Operation } from '../store/operation.ts';
import { readOperations } from '../store/oplog.ts';
import type { PointerMove } from '../store/pointer.ts';
import type { Repository } from '../store/repository.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { sessionIdOf } from './active.ts';
import { prepareRecord } from './records.ts';

export interface ListedOperation {
  id: string;
  /** Unix seconds. */
  at: number;
  command: string;
  message: string;
  moves: PointerMove[];
}

/** The operations that moved pointers, newest first. @throws {CtxError} damaged */
export function* listOperations(repository: Repository): Generator<ListedOperation> {
  for (const { id, at, command, message, moves } of readOperations(repository))
    yield { id, at, command, message, moves };
}

export interface UndoResult {
  /** What was taken back, newest first. */
  undone: { id: string; command: string }[];
}

/**
 * Takes the last operations back. Steps that were flushed meanwhile stay: a session that comes back has them, one that goes
 * is archived. Undoing is an operation like any other, and can be undone.
 * @throws {CtxError} not_found, where there are fewer; refused as `busy`, where a pointer has moved since
 */
export function undoOperations(repository: Repository, count = 1): UndoResult {
  return transact(repository, { command: 'undo', message: 'undo', logged: true }, (transaction) => {
    const chosen: Operation[] = [];
    for (const operation of readOperations(repository)) {
      // What was expired is gone: there is no way back.
      if (chosen.length < count && operation.command !== 'gc') chosen.push(operation);
    }
    if (chosen.length < count) {
      const there =
        chosen.length === 0
          ? 'There is nothing to undo.'
          : `There ${chosen.length === 1 ? 'is' : 'are'} only ${plural(chosen.length, 'operation')}.`;
      throw new CtxError('not_found', there, { hint: 'See them with: ctx op log' });
    }
    for (const operation of chosen) undo(repository, transaction, operation);
    return { undone: chosen.map(({ id, command }) => ({ id, command })) };
  });
}

function undo(repository: Repository, transaction: Transaction, operation: Operation): void {
  for (const move of operation.moves) {
    if (move.pointer.startsWith(SESSIONS)) undoSession(repository, transaction, operation, move);
    else if (!move.pointer.startsWith(ARCHIVE)) takeBack(transaction, move);
  }
}

/** A pointer that says what the operation made it say goes back; any other stops the undo. */
function takeBack(transaction: Transaction, move: PointerMove): void {
  const now = move.pointer === 'STAGE' ? transaction.stage() : transaction.read(move.pointer);
  if (now !== move.new) {
    throw new CtxError('busy', `${move.pointer} has moved since: it cannot be taken back.`, {
      hint: 'Nothing was changed. See what moved it with: ctx op log',
      data: { pointer: move.pointer, expected: move.new, current: now },
    });
  }
  transaction.move(move.pointer, now, move.old);
}

function undoSession(repository: Repository, transaction: Transaction, operation: Operation, move: PointerMove): void {
  const archive = archiveRef(sessionIdOf(move.pointer));
  const now = transaction.read(move.pointer);
  if (move.old === null) {
    // The operation opened it: it goes, and its steps stay in the archive.
    if (now === null) return;
    if (operation.command === 'ingest' && now === move.new) {
      // Nothing but a transcript stands in it: it must be possible to ingest that anew.
      transaction.move(move.pointer, now, null);
      return;
    }
    transaction.move(archive, transaction.read(archive), now);
    transaction.move(move.pointer, now, null);
    return;
  }
  if (move.new !== null) {
    // An ingest took in nothing but a transcript, which can be ingested again. Any other step holds what was observed: it
    // stays, and only the state goes back.
    if (operation.command === 'ingest' || now === null) takeBack(transaction, move);
    else
      transaction.move(
        move.pointer,
        now,
        reopened(repository, readChain(repository.objects, now, move.pointer), move.old).head,
      );
    return;
  }
  const archived = transaction.read(archive);
  if (now === null && archived === null) {
    transaction.move(move.pointer, null, move.old);
    return;
  }
  if (now !== null || archived === null) {
    throw new CtxError('busy', `${move.pointer} is open again: "${operation.command}" cannot be taken back.`, {
      hint: 'Nothing was changed. See: ctx op log',
    });
  }
  transaction.move(
    move.pointer,
    null,
    reopened(repository, readChain(repository.objects, archived, archive), move.old).head,
  );
  transaction.move(archive, archived, null);
}

/** An archived chain as it goes on: in the state it had before the operation, with all that was flushed since. */
function reopened(repository: Repository, chain: Chain, before: string): Chain {
  const from = chain.session.session_state;
  const to = readChain(repository.objects, before).session.session_state;
  if (JSON.stringify(from) === JSON.stringify(to)) return chain;
  const at = repository.clock();
  const body: AnyBody = { kind: 'transition', from, to, by: 'undo' };
  const records = [prepareRecord(repository, repository.objects, at, { body })];
  return writeStep(repository.objects, { chain, session: chain.session, records, at });
}
