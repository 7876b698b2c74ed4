/** `ctx stage flush`: what waits becomes one step. */

import { readChain } from '../store/chain.ts';
import { flushInto } from '../store/flush.ts';
import { sessionsWithPending } from '../store/pending.ts';
import type { Repository } from '../store/repository.ts';
import { transact } from '../store/transaction.ts';
import { requireCurrent } from './active.ts';
import { prepareRecord } from './records.ts';
import type { KnownSource } from './source.ts';
import { filledText } from './text.ts';

export interface FlushResult {
  session_id: string;
  /** Head of the session's chain. */
  oid: string;
  step: number;
  /** How many records the new step holds; 0 where there was nothing to flush. */
  flushed: number;
  /** Whether there is a new step. */
  committed: boolean;
}

export interface FlushOptions {
  /** A note that goes into the step. */
  note?: string | undefined;
  /** Make a step even where nothing waits. */
  allowEmpty?: boolean | undefined;
}

/** Takes what waits, in order, into one WorkCommit. @throws {CtxError} no_active_session, busy, damaged */
export function flushStep(repository: Repository, options: FlushOptions = {}): FlushResult {
  return transact(repository, { command: 'stage flush', message: 'flush' }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const at = repository.clock();
    if (options.note !== undefined) filledText(options.note, 'The note');
    const own =
      options.note === undefined
        ? []
        : [
            prepareRecord(repository, repository.objects, at, {
              body: { kind: 'note', content: options.note, role: 'plain' },
            }),
          ];
    const flushed = flushInto(repository, chain, at, { own, always: options.allowEmpty === true });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    return {
      session_id: chain.session.session_id,
      oid: flushed.chain.head,
      step: flushed.chain.session.step,
      flushed: flushed.count + own.length,
      committed: flushed.chain.head !== head,
    };
  });
}

/** What somebody observed beside the transcript becomes a step of its own first. */
export function withPendingFlushed(repository: Repository, known: KnownSource | null): KnownSource | null {
  if (!known?.open || !sessionsWithPending(repository).includes(known.chain.session.session_id)) return known;
  transact(repository, { command: 'ingest', message: 'flush before ingest' }, (transaction) => {
    const head = transaction.read(known.ref) ?? known.head;
    const flushed = flushInto(repository, readChain(repository.objects, head, known.ref), repository.clock());
    transaction.move(known.ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
  });
  const head = repository.refs.read(known.ref) ?? known.head;
  return { ...known, head, chain: readChain(repository.objects, head, known.ref) };
}
