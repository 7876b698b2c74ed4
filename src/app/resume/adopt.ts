/** Makes a new conversation of an agent that ctx has started a part of the session that was resumed. */
import type { Conversation } from '../../core/intake/reconcile.ts';
import { readChain } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { isSessionId, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { lastSessionOf, remember } from '../intake/conversation.ts';
import { newSource } from '../intake/increment.ts';
import { redactionFor } from '../redaction/redact.ts';
import { prepareRecord } from '../session/records.ts';
import { indexSession } from '../transcript/source-index.ts';

/**
 * Adds a conversation to the session that its agent was started for, if it is the first one since: an agent that this agent starts
 * inherits its environment.
 * @returns whether the conversation belongs to that session now
 */
export function adoptConversation(
  repository: Repository,
  resumed: string,
  conversation: Conversation,
  transcript: string | null,
): boolean {
  const [id = '', launched = ''] = resumed.split(':');
  if (!isSessionId(id) || lastSessionOf(repository, conversation) !== null) return false;
  const ref = sessionRef(id);
  return transact(repository, { command: 'hook', message: 'hook of a resumed agent' }, (transaction) => {
    const head = transaction.read(ref);
    if (head === null) return false;
    const chain = readChain(repository.objects, head, ref);
    if (chain.session.launched === launched) return false;
    const at = repository.clock();
    const { agent, agent_session } = conversation;
    const source = redactionFor(repository).value(newSource(agent, agent_session, transcript));
    const session = { ...chain.session, sources: [...chain.session.sources, source] };
    const body = { kind: 'about', by: 'resume', agent, launched };
    const own = [prepareRecord(repository, repository.objects, at, { body })];
    const flushed = flushInto(repository, chain, at, { own, session, leavesMissed: true });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    transaction.afterwards(() => {
      indexSession(repository, flushed.chain.session);
      remember(repository, conversation, id);
    });
    return true;
  });
}
