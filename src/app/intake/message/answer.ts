/** Plans an answer to a question of ctx's: for its session, or for a new one if the session was saved without an answer. */
import type { Choice } from '../../../core/choice.ts';
import type { Classification } from '../../../core/message-class.ts';
import type { Session } from '../../../core/session/session.ts';
import { choicePlan, type Deed, leftChoicePlan, stateAfter } from '../../../core/session/user-message.ts';
import type { WaitingChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { latePrompt } from '../../../language/index.ts';
import type { ActiveSession } from '../../session/active.ts';
import { type Classified, classify } from './classify.ts';
import { catchUpDeeds } from './missed.ts';
import type { Handling } from './options.ts';
import type { Plan } from './result.ts';

const asResponse = (chosen: Choice): Classified => ({
  classification: 'Response',
  confidence: 1,
  reason: `It answers the question: ${chosen}.`,
});

/** Classifies the message that raised a question, once it counts. @param session the one that the message is for */
function classOfRaised(
  repository: Repository,
  { as, raised }: WaitingChoice,
  session: Session | null,
  { asking }: Handling,
): Classification {
  const [state, task] = [session?.session_state ?? null, session?.task_description ?? null];
  const given = (as ?? undefined) as Classification | undefined;
  return classify(repository, raised, { as: given, state, task }, asking).classification;
}

/** Plans an answer: the message that raised the question counts now. */
export function answered(
  repository: Repository,
  active: ActiveSession,
  choice: WaitingChoice,
  chosen: Choice,
  options: Handling,
  /** True if an agent acts on the answer at once: then it is at work, whatever it did since the question. */
  isTakenUp = options.hook !== undefined,
): Plan {
  const { session } = active;
  const state = session.session_state;
  const classification = classOfRaised(repository, choice, chosen === 'fresh' ? null : session, options);
  const hook = options.hook !== undefined;
  const plan = choicePlan(choice.kind, chosen, { state: state.kind, classification, message: choice.raised, hook });
  const at = repository.clock();
  const now = stateAfter(state, plan.deeds, at);
  // Deeds of its agent since then count for the session that continues; a new one catches up by itself.
  const since =
    now === null || chosen === 'fresh' || isTakenUp ? [] : catchUpDeeds(repository, active, now, latePrompt);
  return {
    classified: asResponse(chosen),
    action: plan.action,
    deeds: [...plan.deeds, ...since],
    answers: { question: choice, goesTo: begins(plan.deeds) ? 'new' : 'own' },
    state_after: stateAfter(now, since, at),
  };
}

/**
 * Plans the answer to a question of a session that has ended without it: the work continues in a new session.
 * @param first what ends the session, if it is not saved yet
 */
export function answeredLate(
  repository: Repository,
  session: Session,
  choice: WaitingChoice,
  chosen: Choice,
  options: Handling,
  first: readonly Deed[],
): Plan {
  const message = choice.raised;
  const classification = classOfRaised(repository, choice, null, options);
  const { action, deeds } = leftChoicePlan(chosen, { task: session.task_description, classification, message });
  return {
    classified: asResponse(chosen),
    action,
    deeds: [...first, ...deeds],
    answers: { question: choice, goesTo: begins(deeds) ? 'new' : 'own' },
    state_after: stateAfter(null, deeds, repository.clock()),
  };
}

const begins = (deeds: readonly Deed[]): boolean => deeds.some((deed) => deed.do === 'start');
