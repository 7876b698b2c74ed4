/** `ctx stage status`: reports the active session, at the cost of one ref, one commit and one small blob. */
import { type Question, questionOf } from '../../core/choice.ts';
import { addCounts } from '../../core/counts.ts';
import { openStatus, type SessionStatus } from '../../core/listing/status.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { Session } from '../../core/session/session.ts';
import type { Staleness } from '../../core/stale.ts';
import { allowedVerbs, type SessionState } from '../../core/state.ts';
import { newPathCount } from '../../history/chain/chain.ts';
import { readChoice } from '../../history/pending/choices.ts';
import { openRefs } from '../../history/pointers/places.ts';
import { type HookError, readHookErrorList } from '../../history/store/hook-errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type ForgottenConversation, recentlyForgotten } from '../redaction/forgotten-conversations.ts';
import { type ActiveSession, activeOrNone, idleness } from './active.ts';
import { questionForCommand } from './left-question.ts';
import { answerCommand } from './waiting.ts';

export interface ActiveStatus {
  active: true;
  session_id: string;
  title: string;
  task_description: string;
  session_state: SessionState;
  status: SessionStatus;
  base: string;
  staging_head: string;
  step: number;
  pending_observations: number;
  started_at: number;
  last_activity: number;
  idle_secs: number;
  staleness: Staleness;
  files_touched: number;
  /** Number of secrets that were redacted, by rule. */
  redacted: Record<string, number>;
  allowed: string[];
  /** The question of ctx's own that waits for the user; null if none does. */
  choice: Question | null;
  agent: string | null;
  /** Failures of hooks; null if there were none. */
  hook_errors: HookErrors | null;
}

/** The number of recorded failures of hooks, and the last of them. */
interface HookErrors {
  count: number;
  /** Null if none of them can be read. */
  last: HookError | null;
  /** Number of lines of the list that cannot be read. */
  unreadable: number;
}

/** No session is active; others may be open, for `ctx stage switch`. */
export interface InactiveStatus {
  active: false;
  allowed: string[];
  open_sessions: number;
  /** The unanswered question of ctx's in a saved session; absent if there are none or several. */
  choice?: Question;
  /** The command that answers it. */
  answer_with?: string;
  /** Forgotten conversations that may continue and of which nothing is kept; empty if any session has begun since. */
  forgotten: ForgottenConversation[];
  hook_errors: HookErrors | null;
}

export type Status = ActiveStatus | InactiveStatus;

/** Reports what is active; never changes anything. */
export function sessionStatus(repository: Repository): Status {
  const active = activeOrNone(repository);
  if (active) return describe(repository, active);
  const open_sessions = openRefs(repository).length;
  const left = questionForCommand(repository);
  return {
    active: false,
    allowed: open_sessions > 0 ? ['start', 'switch'] : ['start'],
    open_sessions,
    ...(left && {
      choice: questionOf(left.choice.kind, left.session.task_description),
      answer_with: answerCommand(repository, left.session.session_id),
    }),
    forgotten: recentlyForgotten(repository),
    hook_errors: hookErrors(repository),
  };
}

/** Describes an open session, including its pending records. */
export function describe(repository: Repository, active: ActiveSession): ActiveStatus {
  const { session, chain, pending } = active;
  return {
    active: true,
    session_id: session.session_id,
    title: titleOf(session),
    task_description: session.task_description,
    session_state: session.session_state,
    status: statusOf(repository, active),
    base: session.base,
    staging_head: chain.head,
    step: session.step,
    pending_observations: pending.length,
    started_at: session.started_at,
    last_activity: active.last_activity,
    ...idleness(repository, active),
    files_touched: filesTouched(repository, active),
    redacted: pending.reduce((sum, { record }) => addCounts(sum, record.redacted), addCounts(session.redacted, {})),
    allowed: allowedVerbs(session.session_state.kind),
    choice: waitingQuestion(repository, session),
    agent: session.agent,
    hook_errors: hookErrors(repository),
  };
}

/** Returns the status of an open session, as of now. */
export const statusOf = (
  { settings, clock }: Repository,
  { session, last_activity }: Pick<ActiveSession, 'session' | 'last_activity'>,
): SessionStatus => openStatus({ paused: session.paused, last_activity }, clock(), settings.auto_pause);

function hookErrors(repository: Repository): HookErrors | null {
  const { errors, unreadable } = readHookErrorList(repository);
  const last = errors.at(-1) ?? null;
  return last || unreadable > 0 ? { count: errors.length, last, unreadable } : null;
}

function waitingQuestion(repository: Repository, session: Session): Question | null {
  const choice = readChoice(repository, session.session_id);
  return choice && questionOf(choice.kind, session.task_description);
}

function filesTouched(repository: Repository, active: ActiveSession): number {
  const session: Session = active.session;
  return (
    session.counts.files +
    newPathCount(
      repository.objects,
      active.chain,
      active.pending.map((item) => item.record),
    )
  );
}
