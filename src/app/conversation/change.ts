/** Changes the conversation of the active session: one step holds what was pending and the records of the command. */
import { foldConversation } from '../../core/conversation/fold.ts';
import { CtxError } from '../../core/errors.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { flushInto } from '../../history/flush.ts';
import { flushable } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { openSession, requireCurrent } from '../session/active.ts';
import { prepareRecord } from '../session/records.ts';
import { foldChain, type Loaded, UNFLUSHED } from './load.ts';

/** The change that a command makes in a conversation. */
export interface ConversationPlan<T> {
  /** The records of the command; none if nothing changes. */
  records: readonly AnyBody[];
  /** True if the texts of the records are redacted already, because they come from the store. */
  isRedacted?: boolean;
  /** Changes of the session itself. */
  session?: Partial<Session>;
  /** Callback that runs once the records are in the chain, still under LOCK. */
  afterwards?: (() => void) | undefined;
  result: T;
}

/**
 * Changes the conversation of the active session under LOCK, as an operation that can be undone.
 * @param command as the operation log names it
 * @param run shared by the changes of one command, if it makes several: they are undone together
 * @throws {CtxError} no_active_session, choice_waits, busy, damaged, and what `plan` throws
 */
export function changeConversation<T>(
  repository: Repository,
  command: string,
  plan: (loaded: Loaded) => ConversationPlan<T>,
  run?: string,
): T {
  return transact(repository, { command, message: command, logged: true, run }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const { session_id } = chain.session;
    const folded = foldChain(repository, head, session_id);
    // A record that arrives while the command runs comes after it.
    const { pending } = openSession(repository, ref, head);
    foldConversation(
      pending.map(({ record }) => record),
      folded.conversation,
      { step: UNFLUSHED },
    );
    const names = pending.map(({ record }) => `${record.id}.json`);
    if (flushable(repository, session_id, names).length < names.length)
      throw new CtxError('choice_waits', 'A question waits for an answer: what came after it may belong elsewhere.', {
        hint: 'Answer it with: ctx choose',
      });
    const planned = plan({ session: chain.session, isOpen: true, head, before: [], ...folded });
    if (planned.records.length === 0 && planned.session === undefined) return planned.result;
    const at = repository.clock();
    const isRedacted = planned.isRedacted === true;
    const own = planned.records.map((body) => prepareRecord(repository, repository.objects, at, { body, isRedacted }));
    const flushed = flushInto(repository, chain, at, {
      own,
      always: true,
      only: names,
      session: { ...chain.session, ...planned.session },
    });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    if (planned.afterwards) transaction.afterwards(planned.afterwards);
    return planned.result;
  });
}
