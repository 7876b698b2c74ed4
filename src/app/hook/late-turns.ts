/** What a conversation has still told when its session had ended already. */

import type { Session, Source } from '../../core/session.ts';
import type { Chain } from '../../history/chain/chain.ts';
import { type Change, type Transaction, transact } from '../../history/transaction.ts';
import type { Hook } from '../ingest/hook-session.ts';
import { AT_LEAST, sizeOf } from '../ingest/increment.ts';
import { type End, endOfRest, isWorkedOn, type Kept, keepRest } from '../ingest/late-records.ts';
import { findSource } from '../transcript/source.ts';
import { sourceOfText } from '../transcript/source-file.ts';
import { fileText, transcriptText } from '../transcript/text.ts';
import { isUnchanged } from '../transcript/transcript.ts';

/** What the transcript still tells of the conversation's last session goes to its archive; gives that session. */
export const restKept = (hook: Hook, transaction: Transaction): Session | null =>
  keptBy(hook, transaction)?.chain.session ?? null;

function keptBy({ repository, event, conversation, agent }: Hook, transaction: Transaction): Kept | null {
  const { transcript, happened } = event;
  if (!agent || transcript === null || sizeOf(transcript) === 0) return null;
  const said = happened.what === 'prompt' ? happened.text : null;
  const rest = {
    agent,
    agentSession: conversation.agent_session,
    text: transcriptText(transcript, agent),
    said,
    limit: AT_LEAST,
  };
  return keepRest(repository, transaction, rest);
}

/** Keeps all that sessions which have ended have still to read, as far as the time of the hook reaches. */
export function restsKept(hook: Hook, change: Change): Kept | null {
  for (;;) {
    const kept = transact(hook.repository, change, (transaction) => keptBy(hook, transaction));
    if (!kept?.tally || hook.timeLeft() <= 0) return kept;
  }
}

/**
 * Where the open session of a conversation reads on that has read nothing of its transcript yet; null where those before it have
 * still to read their own parts.
 */
export function readOnFrom(hook: Hook, change: Change): Source | null {
  const kept = restsKept(hook, change);
  const known = findSource(hook.repository, hook.conversation.agent, hook.conversation.agent_session);
  const isNext = known?.before === null || (kept !== null && kept.tally === null);
  return known && isNext ? known.source : null;
}

/** Whether an agent has worked on a task that the transcript tells behind the conversation's last session, which has ended. */
export function isMoreLeft({ repository, event: { transcript }, conversation, agent }: Hook): boolean {
  if (!agent || transcript === null || sizeOf(transcript) === 0) return false;
  const known = findSource(repository, agent.name, conversation.agent_session);
  if (!known || known.open) return false;
  return isWorkedOn(repository, known, { agent, text: transcriptText(transcript, agent), limit: AT_LEAST });
}

/**
 * Where the part of a session ends that its user has ended, and that still waits for the end of its turn: at the next task, which
 * no hook has told of. Null where its transcript was written anew.
 */
export function endOfOwn({ repository, event, agent }: Hook, chain: Chain, known: Source): End | null {
  const { transcript, happened } = event;
  if (!agent || transcript === null) return null;
  const text = fileText(transcript);
  const source = sourceOfText(known, agent, text);
  if (!isUnchanged(text, source)) return null;
  const said = happened.what === 'prompt' ? happened.text : null;
  return endOfRest(repository, { chain, source }, { agent, text, said, limit: AT_LEAST }, null);
}
