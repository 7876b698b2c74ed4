/** What `ctx message` and `ctx choose` give. */
import { type Question, questionOf } from '../../core/choice.ts';
import type { Classification } from '../../core/message-class.ts';
import type { Session } from '../../core/session/session.ts';
import type { Action, Deed } from '../../core/session/user-message.ts';
import type { Staleness } from '../../core/stale.ts';
import type { SessionState } from '../../core/state.ts';
import type { WaitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Increment } from '../ingest/increment.ts';
import type { ActiveSession } from '../session/active.ts';
import type { CompactResult } from '../session/compact.ts';
import { answerCommand } from '../session/waiting.ts';
import type { Classified } from './classify.ts';
import type { Answered, Outcome } from './deeds.ts';

export interface MessageResult {
  classification: Classification;
  /** From 0 to 1. */
  confidence: number;
  /** Why it was classed so, in words. */
  reason: string;
  /** Why the user's own classifier did not decide; absent where there is none, or it did. */
  problem?: string;
  action: Action;
  state_before: SessionState | null;
  state_after: SessionState | null;
  /** Seconds since anything was recorded, before this message; null where no session was active. */
  idle_secs: number | null;
  staleness: Staleness | null;
  /** The question that now waits for the user. */
  choice: Question | null;
  /** The command that answers it; null where none waits. */
  answer_with: string | null;
  /** The canonical commit that was written; null where none was. */
  commit: string | null;
  /** How a session ended, where one did. */
  compacted: CompactResult | null;
  /** The session after the message; null where none is active, or one would only begin. */
  session_id: string | null;
  dry_run: boolean;
  /** With a dry run, the session that would end; null where none would, or it did. */
  would_end: string | null;
}

/** What is known before a message counts. */
export interface Before {
  active: ActiveSession | null;
  idle_secs: number | null;
  staleness: Staleness | null;
  choice: WaitingChoice | null;
  /** Where no session is active: the one that has left that question. */
  left: Session | null;
  /** What the agent's transcript tells beyond the chain. */
  increment: Increment | null;
}

/** What is to be done, and how it was found. */
export interface Plan {
  classified: Classified;
  action: Action;
  deeds: Deed[];
  /** A question that these deeds answer, or go past, and where what came after it goes. */
  answers: Answered | null;
  state_after: SessionState | null;
}

/** @param outcome what became of it, or what stands where nothing was done */
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
