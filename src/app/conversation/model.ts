/** `ctx model use`: chooses the model of the messages to come; a conversation that its window cannot hold is compacted first. */
import { contextSettings } from '../../core/conversation/settings.ts';
import { CtxError } from '../../core/errors.ts';
import type { ChosenModel } from '../../core/session/schema.ts';
import type { Session } from '../../core/session/session.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { observedSession } from '../session/observe.ts';
import { changeConversation } from './change.ts';
import { type CompactContextResult, compactContext } from './compact.ts';
import { windowOf } from './context.ts';
import { loadEstimate } from './estimate.ts';
import { loadConversation } from './load.ts';
import type { Surroundings } from './summarizer.ts';

export interface SwitchModelResult extends ChosenModel {
  session_id: string;
  /** The model before; null if none was known. */
  previous: string | null;
  used: number;
  limit: number | null;
  /** The compaction that the switch needed; null if the conversation fits as it is, or the window is unknown. */
  compacted: CompactContextResult | null;
}

export interface SwitchModelOptions extends Surroundings {
  variant?: string | undefined;
  /** Called with each warning of the compaction that the switch needed; an error that it leads to has them in its `data` too. */
  onWarning?: ((warning: string) => void) | undefined;
}

const TOO_SMALL =
  'Switching to a model with a smaller context window would lose the conversation; consider branching with the new model.';

/**
 * Chooses the model for the next messages of the active session.
 * @param given `provider/model`
 * @throws {CtxError} invalid_input, if it is none; no_such_move, if the conversation does not fit even when it is compacted: nothing is
 * changed then; io, if the summarizer fails; no_active_session, choice_waits, busy, damaged
 */
export async function switchModel(
  repository: Repository,
  given: string,
  { variant, onWarning, ...surroundings }: SwitchModelOptions = {},
): Promise<SwitchModelResult> {
  const redaction = redactionFor(repository);
  const chosen: ChosenModel = {
    ...parsed(redaction.text(given)),
    ...(variant ? { variant: redaction.text(variant) } : {}),
  };
  const estimate = await loadEstimate();
  const { session, conversation } = loadConversation(repository, observedSession(repository));
  const window = windowOf(repository, session, conversation, estimate, given);
  const refusedWith = (warnings: readonly string[]): CtxError =>
    new CtxError('no_such_move', TOO_SMALL, {
      hint: `Branch with: ctx branch <message> --model ${given}; or make room: ctx context prune, ctx context compact`,
      data: { used: window.used, usable: window.usable, limit: window.limit, warnings },
    });
  const run = repository.ids();
  let compacted: CompactContextResult | null = null;
  if (window.usable !== null && window.used >= window.usable) {
    if (!contextSettings(repository.settings.context).auto) throw refusedWith([]);
    compacted = await compactContext(repository, {
      ...surroundings,
      auto: true,
      run,
      model: given,
      mustFit: { tokens: window.usable, refusal: refusedWith([]) },
    });
    for (const warning of compacted.warnings) onWarning?.(warning);
    if (!compacted.part) throw refusedWith(compacted.warnings);
  }
  const previous = windowOf(repository, session, conversation, estimate).model;
  return changeConversation(
    repository,
    'model use',
    (now) => ({
      records: [],
      session: { chosen_model: chosen, model: `${chosen.provider_id}/${chosen.model_id}` } as Partial<Session>,
      result: {
        session_id: now.session.session_id,
        ...chosen,
        previous,
        used: compacted?.tokens_after ?? window.used,
        limit: window.limit,
        compacted,
      },
    }),
    run,
  );
}

/** @throws {CtxError} invalid_input */
function parsed(given: string): ChosenModel {
  const match = /^([^\s/]+)\/(\S+)$/.exec(given);
  if (match) return { provider_id: match[1] as string, model_id: match[2] as string };
  throw new CtxError('invalid_input', `${given === '' ? 'An empty text' : given} names no model.`, {
    hint: 'Name it as <provider>/<model>, such as anthropic/claude-sonnet-4-5',
  });
}
