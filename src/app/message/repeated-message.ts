/** What a message does that was heard before: nothing, but for what its session has still to make up for. */

import { stateAfter } from '../../core/session/user-message.ts';
import type { Repository } from '../../history/store/repository.ts';
import { latePrompt } from '../../language/index.ts';
import { madeUpFor } from './missed.ts';
import type { Before, Plan } from './result.ts';

/** The plan of such a message. */
export function toldAgain(repository: Repository, { active, choice }: Before): Plan {
  const state = active?.session.session_state ?? null;
  const deeds = active && state && !choice ? madeUpFor(repository, active, state, latePrompt) : [];
  return {
    classified: { classification: 'Clarification', confidence: 1, reason: 'It was recorded before.' },
    action: 'unchanged',
    deeds,
    answers: null,
    state_after: stateAfter(state, deeds, repository.clock()),
  };
}
