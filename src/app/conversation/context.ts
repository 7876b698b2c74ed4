/** `ctx context`: how full the window of the model is, and what fills it. */
import type { Conversation, FoldedMessage } from '../../core/conversation/conversation.ts';
import { contextSettings, type ModelSettings, reserveOf } from '../../core/conversation/settings.ts';
import { prunedPart, seenByModel } from '../../core/conversation/view.ts';
import { type Filling, fillingOf, type Rollup, rollupOf } from '../../core/conversation/window.ts';
import type { Session } from '../../core/session/session.ts';
import type { Repository } from '../../history/store/repository.ts';
import { observedSession } from '../session/observe.ts';
import { type Estimate, loadEstimate } from './estimate.ts';
import { loadConversation } from './load.ts';

export interface ContextWindow extends Filling {
  session_id: string;
  /** Null if no message names one. */
  model: string | null;
  /** The tokens that the model takes in; null if unknown. */
  limit: number | null;
  /** Source of the limit. */
  limit_source: 'settings' | 'agent' | null;
  /** Tokens kept free for the next answer. */
  reserve: number;
  usable: number | null;
  /** Of what is usable. */
  percent: number | null;
  /** Usage of all calls of the session, those that are out of view too: this is no measure of the window. */
  session: Rollup;
}

/**
 * Says how full the window of a model is.
 * @param given a session, a step or a commit; the active session if absent
 * @throws {CtxError} not_found, ambiguous, no_active_session, damaged
 */
export async function contextWindow(repository: Repository, given?: string): Promise<ContextWindow> {
  const loaded = loadConversation(repository, given ?? observedSession(repository));
  return windowOf(repository, loaded.session, loaded.conversation, await loadEstimate());
}

/** The window of a conversation. @param model the model to compare with; by default the one of the next message */
export function windowOf(
  { settings }: Pick<Repository, 'settings'>,
  session: Session,
  conversation: Conversation,
  estimate: Estimate,
  model = modelOf(session, conversation),
): ContextWindow {
  const seen = seenParts(conversation);
  const { known, limit, limit_source } = limitOf(settings.models, seen, model);
  const reserve = reserveOf(contextSettings(settings.context), known);
  const usable = limit === null ? null : Math.max(0, limit - reserve);
  const filling = fillingOf(conversation, seen, estimate.part);
  return {
    session_id: session.session_id,
    model,
    limit,
    limit_source,
    used: filling.used,
    reserve,
    usable,
    percent: usable === null ? null : percentOf(filling.used, usable),
    estimated: filling.estimated,
    reported: filling.reported,
    by_role: filling.by_role,
    by_tool: filling.by_tool,
    largest: filling.largest,
    session: rollupOf(conversation),
  };
}

const percentOf = (used: number, usable: number): number =>
  usable === 0 ? 100 : Math.round((1000 * used) / usable) / 10;

/** The messages that the model sees, with their parts as it sees them. */
export const seenParts = (conversation: Conversation): FoldedMessage[] =>
  seenByModel(conversation).map((message) => ({
    ...message,
    parts: message.parts.map((one) => ({ ...one, part: prunedPart(conversation, message.id, one.part) })),
  }));

/** The model of the next message: the one that was chosen, else the one of the last answer in view. */
export function modelOf(session: Session, conversation: Conversation): string | null {
  const { chosen_model: chosen, model } = session;
  if (chosen) return `${chosen.provider_id}/${chosen.model_id}`;
  const last = seenByModel(conversation).findLast(({ metadata }) => typeof metadata['model'] === 'string');
  return (last?.metadata['model'] as string | undefined) ?? model ?? null;
}

/** Returns the settings of a model: under its whole id, or under the part of it behind its provider. */
export function knownModel(models: Readonly<Record<string, ModelSettings>>, id: string): ModelSettings | undefined {
  const names = [id, ...id.split('/').map((_part, index, parts) => parts.slice(index + 1).join('/'))];
  return names.flatMap((name) => (Object.hasOwn(models, name) ? [models[name]] : []))[0];
}

function limitOf(
  models: Readonly<Record<string, ModelSettings>>,
  seen: readonly FoldedMessage[],
  model: string | null,
): Pick<ContextWindow, 'limit' | 'limit_source'> & { known: ModelSettings | undefined } {
  const known = model === null ? undefined : knownModel(models, model);
  if (known?.context !== undefined) return { known, limit: known.context, limit_source: 'settings' };
  const measured = seen.findLast(({ metadata }) => typeof metadata['context_window'] === 'number');
  const limit =
    measured && (measured.metadata['model'] ?? model) === model
      ? (measured.metadata['context_window'] as number)
      : null;
  return { known, limit, limit_source: limit === null ? null : 'agent' };
}
