/** `ctx stop`: saves and pauses the active session, and lets go of it. */
import { CtxError } from '../../core/errors.ts';
import { lastSentence } from '../../core/listing/plain-sentence.ts';
import { isStopped } from '../../core/listing/status.ts';
import { titleOf } from '../../core/listing/title.ts';
import { summaryOf } from '../../core/listing/where-stopped.ts';
import type { Digest } from '../../core/records/digest.ts';
import { digestRecord } from '../../core/session/compaction.ts';
import { head, oneLine } from '../../core/text.ts';
import { pauseRecord } from '../../history/auto-pause.ts';
import { digestChain } from '../../history/chain/canonical.ts';
import { flushInto } from '../../history/flush.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { readConversation } from '../conversation/read.ts';
import { redactionFor } from '../redaction/redact.ts';
import { type ActiveSession, openSession, requireActive, requireCurrent } from '../session/active.ts';
import { activeRecord } from '../session/pause.ts';
import { resumableSessions } from './resumable.ts';

export interface StopResult {
  session_id: string;
  short_id: string;
  title: string;
  status: 'paused';
  /** The point at which it stopped, in a sentence or two; null if nothing says so. */
  summary: string | null;
  /** The command that continues it. */
  resume_with: string;
}

/** Longest summary that is made of what the session says, in UTF-16 code units. */
const LONGEST = 300;

/** Most sessions that an error names. */
const NAMED = 5;

/**
 * Stops the active session: flushes what waits, records the pause, and lets go of STAGE.
 * @param given where it stopped, in words of the user or the agent
 * @throws {CtxError} no_active_session, naming what is paused; no_such_move, if it is stopped already; busy, damaged
 */
export function stopSession(repository: Repository, given?: string): StopResult {
  const active = activeOrRefusal(repository);
  refuseStopped(active, repository);
  const redaction = redactionFor(repository);
  // Text that needs the whole chain is read before LOCK is taken.
  const found = given?.trim() ? redaction.text(given.trim()) : whereItStopped(repository, active);
  const summary = found === null ? null : head(found, 4000);
  return transact(repository, { command: 'stop', message: 'stop' }, (transaction) => {
    const { ref, head: before, chain } = requireCurrent(repository, transaction);
    refuseStopped(openSession(repository, ref, before), repository);
    const at = repository.clock();
    const pause = pauseRecord(repository, at, 'stop', summary);
    // A pause that was recorded for idleness has ended: its user is here.
    const own = chain.session.paused ? [activeRecord(repository, at, 'stop'), pause] : [pause];
    const flushed = flushInto(repository, chain, at, { own, leavesMissed: true });
    transaction.move(ref, before, flushed.chain.head);
    if (transaction.stage() === ref) transaction.move('STAGE', ref, null);
    transaction.afterwards(flushed.clean);
    const { session } = flushed.chain;
    transaction.afterwards(() => repository.saved.add(session.session_id));
    const short_id = shortIdsOf(repository).get(session.session_id) as string;
    return {
      session_id: session.session_id,
      short_id,
      title: titleOf(session),
      status: 'paused',
      summary,
      resume_with: `ctx resume ${short_id}`,
    };
  });
}

function refuseStopped({ session }: ActiveSession, repository: Repository): void {
  if (!isStopped(session)) return;
  const short = shortIdsOf(repository).get(session.session_id) as string;
  throw new CtxError('no_such_move', `"${titleOf(session)}" is paused already.`, {
    hint: `Continue it with: ctx resume ${short}`,
    data: { session_id: session.session_id, status: 'paused' },
  });
}

function activeOrRefusal(repository: Repository): ActiveSession {
  try {
    return requireActive(repository);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'no_active_session') throw error;
    const paused = resumableSessions(repository).rows.filter(({ status }) => status !== 'completed');
    if (paused.length === 0) throw error;
    const lines = paused.slice(0, NAMED).map(({ short_id, title }) => `ctx resume ${short_id}  ${title}`);
    const more = paused.length > NAMED ? [`and ${paused.length - NAMED} more: ctx resume --list`] : [];
    throw new CtxError('no_active_session', 'No session is active: there is nothing to stop.', {
      hint: ['Continue one with:', ...lines, ...more].join('\n'),
      data: { paused: paused.map(({ session_id, short_id, title }) => ({ session_id, short_id, title })) },
    });
  }
}

/** Returns where an open session stopped, in a sentence or two; null if nothing says so. */
function whereItStopped(repository: Repository, active: ActiveSession): string | null {
  const summary = summaryOf(active.session);
  if (summary !== null) return summary;
  const said = lastWords(repository, active.session.session_id);
  if (said !== null) return said;
  const digest = digestChain(repository.objects, active.chain.head);
  for (const { record } of active.pending) digestRecord(digest, record);
  return lastNoted(digest);
}

/** Returns the last sentence that the agent has said; null if it has said nothing. */
function lastWords(repository: Repository, id: string): string | null {
  let last = '';
  for (const { parts } of readConversation(repository, id, { roles: ['assistant'], outputs: 'stored' }))
    for (const part of parts) if (part.type === 'text' && part.text.trim() !== '') last = part.text;
  return last === '' ? null : oneLine(lastSentence(last), LONGEST);
}

/** Returns the last remark, decision, answer or plan that was noted; null if there is none. */
function lastNoted({ remarks, decisions, conversation, plans }: Digest): string | null {
  const last = remarks.at(-1) ?? decisions.at(-1) ?? conversation.at(-1)?.text ?? plans.at(-1);
  return last === undefined ? null : oneLine(last, LONGEST);
}
