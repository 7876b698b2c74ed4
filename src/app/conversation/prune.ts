/** `ctx context prune` and `restore`: large outputs of finished calls go out of the model's view, and come back. */
import { overlaysOf } from '../../core/conversation/acts.ts';
import { type Prunable, prunable } from '../../core/conversation/prune.ts';
import { contextSettings } from '../../core/conversation/settings.ts';
import { pruneNotice, seenByModel } from '../../core/conversation/view.ts';
import { usedWithout } from '../../core/conversation/window.ts';
import { CtxError } from '../../core/errors.ts';
import type { ToolPart } from '../../core/message.ts';
import type { Repository } from '../../history/store/repository.ts';
import { changeConversation } from './change.ts';
import { windowOf } from './context.ts';
import { loadEstimate } from './estimate.ts';

export interface PruneOptions {
  /** Tokens to free; all that can be freed if absent. */
  tokens?: number | undefined;
  /** Names of tools whose outputs stay, in upper or lower case. */
  protect?: readonly string[] | undefined;
  dryRun?: boolean | undefined;
}

export interface PruneResult {
  session_id: string;
  /** The outputs that went out of view, oldest first. */
  pruned: Prunable[];
  hidden: number;
  tail_start_id: null;
  tokens_before: number;
  tokens_after: number;
  estimated: true;
  warnings: string[];
  dry_run: boolean;
}

/**
 * Prunes the outputs of finished calls that are over 1 KB, oldest first, until enough is free: never those of the last turns, nor of tools
 * that say where the task is.
 * @throws {CtxError} no_active_session, choice_waits, busy, damaged
 */
export async function pruneOutputs(repository: Repository, options: PruneOptions = {}): Promise<PruneResult> {
  const estimate = await loadEstimate();
  const { tail_turns: turns } = contextSettings(repository.settings.context);
  return changeConversation(repository, 'context prune', ({ session, conversation }) => {
    const rules = { tokens: options.tokens, protect: options.protect, turns };
    const outputTokens = (part: ToolPart): number =>
      Math.max(0, estimate.part(part) - estimate.part(pruneNotice(part)));
    const pruned = prunable(conversation, seenByModel(conversation), rules, outputTokens);
    const window = windowOf(repository, session, conversation, estimate);
    const freed = pruned.reduce((sum, { tokens }) => sum + tokens, 0);
    const wanted = options.tokens ?? 0;
    const isChange = pruned.length > 0 && !options.dryRun;
    return {
      records: isChange
        ? overlaysOf({ id: repository.ids(), by: 'prune' }, { prune: pruned.map(({ call }) => call) })
        : [],
      isRedacted: true,
      result: {
        session_id: session.session_id,
        pruned,
        hidden: 0,
        tail_start_id: null,
        tokens_before: window.used,
        tokens_after: freed === 0 ? window.used : usedWithout(window, freed),
        estimated: true,
        warnings: freed < wanted ? [`Only about ${freed} tokens could be freed.`] : [],
        dry_run: options.dryRun === true,
      },
    };
  });
}

export interface RestoreResult {
  session_id: string;
  /** The calls, or messages, whose outputs are in view again. */
  restored: string[];
}

/**
 * Brings all outputs that ctx has pruned back into the model's view: an agent does not see again what it has pruned itself.
 * @throws {CtxError} no_such_move, if none is pruned; no_active_session, busy
 */
export function restoreOutputs(repository: Repository): RestoreResult {
  return changeConversation(repository, 'context restore', ({ session, conversation: { pruned, overlays } }) => {
    const ofAgent = new Set(overlays.flatMap(({ id, act }) => (act === null ? [id] : [])));
    const restored = [...pruned].flatMap(([target, { overlay }]) => (ofAgent.has(overlay) ? [] : [target]));
    if (restored.length === 0)
      throw new CtxError(
        'no_such_move',
        pruned.size === 0 ? 'No output is pruned.' : 'Only the agent itself has pruned outputs.',
        { hint: 'See every message as it is: ctx messages --view all' },
      );
    return {
      records: overlaysOf({ id: repository.ids(), by: 'restore' }, { unprune: restored }),
      isRedacted: true,
      result: { session_id: session.session_id, restored },
    };
  });
}
