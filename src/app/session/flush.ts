/** `ctx stage flush`: writes the pending records into one step, with a note if there is one. */
import { readChain } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { sessionsWithPending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { findSource, type KnownSource } from '../transcript/source.ts';
import { type FlushResult, flushPending } from './flush-waiting.ts';
import { prepareRecord } from './records.ts';
import { filledText } from './text.ts';

export interface FlushOptions {
  /** A note that goes into the step. */
  note?: string | undefined;
  /** Make a step even if nothing is pending. */
  allowEmpty?: boolean | undefined;
}

/** Moves the pending records, in order, into one WorkCommit. @throws {CtxError} no_active_session, busy, damaged */
export function flushStep(repository: Repository, { note, allowEmpty = false }: FlushOptions = {}): FlushResult {
  if (note === undefined) return flushPending(repository, allowEmpty);
  return flushPending(repository, allowEmpty, (at) => {
    const content = filledText(note, 'The note');
    return [prepareRecord(repository, repository.objects, at, { body: { kind: 'note', content, role: 'plain' } })];
  });
}

/** Flushes what was observed beside a transcript into a step of its own, before the transcript's records. */
export function withPendingFlushed(repository: Repository, known: KnownSource | null): KnownSource | null {
  if (!known?.open || !sessionsWithPending(repository).includes(known.chain.session.session_id)) return known;
  transact(repository, { command: 'ingest', message: 'flush before ingest' }, (transaction) => {
    const head = transaction.read(known.ref) ?? known.head;
    const chain = readChain(repository.objects, head, known.ref);
    const flushed = flushInto(repository, chain, repository.clock(), { leavesMissed: true });
    transaction.move(known.ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
  });
  // A hook may have read further before that: its position comes with the head.
  const { agent, agent_session_id } = known.source;
  return findSource(repository, agent, agent_session_id);
}
