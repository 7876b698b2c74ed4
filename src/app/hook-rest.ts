/** What a conversation has still told when its session had ended already. */

import type { Session } from '../core/session.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Hook } from './hook-session.ts';
import { AT_LEAST, sizeOf } from './increment.ts';
import { isWorkedOn, keepRest } from './rest.ts';
import { findSource } from './source.ts';
import { transcriptText } from './transcript-text.ts';

/** What the transcript still tells of the conversation's last session goes to its archive; gives that session. */
export function restKept({ repository, event, conversation, agent }: Hook, transaction: Transaction): Session | null {
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
  return keepRest(repository, transaction, rest)?.chain.session ?? null;
}

/** Whether an agent has worked on a task that the transcript tells behind the conversation's last session, which has ended. */
export function isMoreLeft({ repository, event: { transcript }, conversation, agent }: Hook): boolean {
  if (!agent || transcript === null || sizeOf(transcript) === 0) return false;
  const known = findSource(repository, agent.name, conversation.agent_session);
  if (!known || known.open) return false;
  return isWorkedOn(repository, known, { agent, text: transcriptText(transcript, agent), limit: AT_LEAST });
}
