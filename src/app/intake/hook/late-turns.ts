/** Reads what a transcript has of a conversation after its session has ended. */

import type { Session, Source } from '../../../core/session/session.ts';
import type { Chain } from '../../../history/chain/chain.ts';
import { type Change, type Transaction, transact } from '../../../history/transaction.ts';
import { classifyMessage } from '../../../language/index.ts';
import { findSource } from '../../transcript/source.ts';
import { sourceOfText, UNREAD } from '../../transcript/source-file.ts';
import { fileText, transcriptText } from '../../transcript/text.ts';
import { isUnchanged, TranscriptLines } from '../../transcript/transcript.ts';
import type { Hook } from '../conversation.ts';
import { AT_LEAST, sizeOf } from '../increment.ts';
import { type End, endOfRest, isWorkedOn, type Kept, keepRest } from '../late-records.ts';

/** Adds the rest of the transcript to the archive of the conversation's last session; returns that session. */
export const keepLateTurns = (hook: Hook, transaction: Transaction): Session | null =>
  keepRestOf(hook, transaction)?.chain.session ?? null;

function keepRestOf({ repository, event, conversation, agent }: Hook, transaction: Transaction): Kept | null {
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

/** Adds everything that ended sessions have still to read, as far as the hook's time allows. */
export function keepAllLateTurns(hook: Hook, change: Change): Kept | null {
  for (;;) {
    const kept = transact(hook.repository, change, (transaction) => keepRestOf(hook, transaction));
    if (!kept?.tally || hook.timeLeft() <= 0) return kept;
  }
}

/**
 * Returns the position from which the open session of a conversation reads if it has read nothing yet; null if its
 * predecessors must still read their own parts.
 */
export function nextPosition(hook: Hook, change: Change): Source | null {
  const kept = keepAllLateTurns(hook, change);
  const known = findSource(hook.repository, hook.conversation.agent, hook.conversation.agent_session);
  const isNext = known?.before === null || (kept !== null && kept.tally === null);
  return known && isNext ? known.source : null;
}

/**
 * Returns whether an agent has worked on a task that the transcript has after the conversation's last, ended session.
 */
export function hasUnreadTask({ repository, event: { transcript }, conversation, agent }: Hook): boolean {
  if (!agent || transcript === null || sizeOf(transcript) === 0) return false;
  const known = findSource(repository, agent.name, conversation.agent_session);
  if (!known || known.open) return false;
  return isWorkedOn(repository, known, { agent, text: transcriptText(transcript, agent), limit: AT_LEAST });
}

/**
 * Returns where the part of a session ends that its user has ended, and that waits for the end of its turn: at the next
 * task, which no hook has reported. Null if its transcript was rewritten.
 */
export function endOfOwnPart({ repository, event, agent }: Hook, chain: Chain, known: Source): End | null {
  const { transcript, happened } = event;
  if (!agent || transcript === null) return null;
  const text = fileText(transcript);
  const source = sourceOfText(known, agent, text);
  if (!isUnchanged(text, source)) return null;
  const said = happened.what === 'prompt' ? happened.text : null;
  return endOfRest(repository, { chain, source }, { agent, text, said, limit: AT_LEAST }, null);
}

/**
 * Returns whether no session has a part of a conversation, and the first of several prompts in its transcript begins a
 * task.
 */
export function hadEarlierTask({ repository, conversation, agent, event: { transcript } }: Hook): boolean {
  const size = transcript === null ? 0 : sizeOf(transcript);
  if (!agent || transcript === null || size === 0 || size > AT_LEAST) return false;
  // A conversation whose session has ended is not searched for its beginning at the end of each turn.
  if (findSource(repository, conversation.agent, conversation.agent_session)) return false;
  const text = transcriptText(transcript, agent);
  const reader = agent.reader(null);
  const prompts: string[] = [];
  for (const line of new TranscriptLines(text, UNREAD)) {
    if (line.text === null) continue;
    for (const event of reader.line(line.text, line.number)) if (event.type === 'prompt') prompts.push(event.text);
  }
  for (const event of reader.end()) if (event.type === 'prompt') prompts.push(event.text);
  const [first] = prompts;
  if (first === undefined || prompts.length < 2) return false;
  return classifyMessage({ state: null, message: first }).classification === 'NewTask';
}
