/** What an answer to a question of ctx's does: to its session, or to one that goes on where that was saved without it. */
import type { Choice } from '../../core/choice.ts';
import type { Classification } from '../../core/message-class.ts';
import type { Session } from '../../core/session/session.ts';
import { choicePlan, type Deed, leftChoicePlan, stateAfter } from '../../core/session/user-message.ts';
import type { WaitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { latePrompt } from '../../language/index.ts';
import type { ActiveSession } from '../session/active.ts';
import { type Classified, classify } from './classify.ts';
import { madeUpFor } from './missed.ts';
import type { Handling } from './options.ts';
import type { Plan } from './result.ts';

const asResponse = (chosen: Choice): Classified => ({
  classification: 'Response',
  confidence: 1,
  reason: `It answers the question: ${chosen}.`,
});

/** How the message is classed that raised a question, once it counts. @param stood the session that it is said to */
function classOfRaised(
  repository: Repository,
  { as, raised }: WaitingChoice,
  stood: Session | null,
  { asking }: Handling,
): Classification {
  const [state, task] = [stood?.session_state ?? null, stood?.task_description ?? null];
  const given = (as ?? undefined) as Classification | undefined;
  return classify(repository, raised, { as: given, state, task }, asking).classification;
}

/** What an answer does: the message that raised the question counts now. */
export function answered(
  repository: Repository,
  active: ActiveSession,
  choice: WaitingChoice,
  chosen: Choice,
  options: Handling,
  /** Whether an agent takes the answer up at once: then it is at work, whatever it did since the question. */
  isTakenUp = options.hook !== undefined,
): Plan {
  const { session } = active;
  const state = session.session_state;
  const classification = classOfRaised(repository, choice, chosen === 'fresh' ? null : session, options);
  const hook = options.hook !== undefined;
  const plan = choicePlan(choice.kind, chosen, { state: state.kind, classification, message: choice.raised, hook });
  const at = repository.clock();
  const now = stateAfter(state, plan.deeds, at);
  // What its agent has done since counts for the session that goes on; a new one makes up for it by itself.
  const since = now === null || chosen === 'fresh' || isTakenUp ? [] : madeUpFor(repository, active, now, latePrompt);
  return {
    classified: asResponse(chosen),
    action: plan.action,
    deeds: [...plan.deeds, ...since],
    answers: { question: choice, goesTo: begins(plan.deeds) ? 'new' : 'own' },
    state_after: stateAfter(now, since, at),
  };
}

/**
 * The same where the session is over without the answer: what goes on does so in a session of its own.
 * @param first what ends the session, where nothing has saved it yet
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
