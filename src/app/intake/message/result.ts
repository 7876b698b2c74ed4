/** Defines the result of `ctx message` and `ctx choose`. */
import { type Question, questionOf } from '../../../core/choice.ts';
import type { Classification } from '../../../core/message-class.ts';
import type { Session } from '../../../core/session/session.ts';
import type { Action, Deed } from '../../../core/session/user-message.ts';
import type { Staleness } from '../../../core/stale.ts';
import type { SessionState } from '../../../core/state.ts';
import type { WaitingChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import type { ActiveSession } from '../../session/active.ts';
import type { CompactResult } from '../../session/compact.ts';
import { answerCommand } from '../../session/waiting.ts';
import type { Increment } from '../increment.ts';
import type { Classified } from './classify.ts';
import type { Answered, Outcome } from './deeds.ts';

export interface MessageResult {
  classification: Classification;
  /** From 0 to 1. */
  confidence: number;
  /** Why it has this class, in words. */
  reason: string;
  /** Why the user's own classifier did not decide; absent if there is none, or it did. */
  problem?: string;
  action: Action;
  state_before: SessionState | null;
  state_after: SessionState | null;
  /** Seconds since the last record before this message; null if no session was active. */
  idle_secs: number | null;
  staleness: Staleness | null;
  /** The question that now waits for the user. */
  choice: Question | null;
  /** The command that answers it; null if none waits. */
  answer_with: string | null;
  /** The canonical commit that was written; null if none was. */
  commit: string | null;
  /** The compaction, if a session ended. */
  compacted: CompactResult | null;
  /** The session after the message; null if none is active, or one would only begin. */
  session_id: string | null;
  dry_run: boolean;
  /** With a dry run, the session that would end; else null. */
  would_end: string | null;
}

/** Facts that are known before a message counts. */
export interface Before {
  active: ActiveSession | null;
  idle_secs: number | null;
  staleness: Staleness | null;
  choice: WaitingChoice | null;
  /** If no session is active: the one that has left that question. */
  left: Session | null;
  /** Additions of the agent's transcript to the chain. */
  increment: Increment | null;
}

/** The deeds to carry out, and the class that they follow from. */
export interface Plan {
  classified: Classified;
  action: Action;
  deeds: Deed[];
  /** A question that these deeds answer or pass over, and the session of the records after it. */
  answers: Answered | null;
  state_after: SessionState | null;
}

/** Makes the result. @param outcome of the deeds, or the present state if they were not carried out */
export function resultOf(
  repository: Repository,
  before: Before,
  plan: Plan,
  outcome: Outcome,
  dryRun: boolean,
): MessageResult {
  const asks = plan.deeds.find((deed) => deed.do === 'ask');
  const task = before.active?.session.task_description ?? '';
  const wouldEnd = dryRun && plan.deeds.some((deed) => deed.do === 'end');
  return {
    ...plan.classified,
    action: plan.action,
    state_before: before.active?.session.session_state ?? null,
    state_after: plan.state_after,
    idle_secs: before.idle_secs,
    staleness: before.staleness,
    choice: asks ? questionOf(asks.kind, task) : null,
    answer_with: asks && outcome.session_id !== null ? answerCommand(repository, outcome.session_id) : null,
    commit: outcome.compacted?.oid ?? null,
    compacted: outcome.compacted,
    session_id: wouldEnd ? null : outcome.session_id,
    dry_run: dryRun,
    would_end: wouldEnd ? (before.active?.session.session_id ?? null) : null,
  };
}
