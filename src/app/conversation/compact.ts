/** `ctx context compact` and `uncompact`: a summary takes the place of what was said first, in the view of the model alone. */
import { overlaysOf } from '../../core/conversation/acts.ts';
import type { FoldedMessage } from '../../core/conversation/conversation.ts';
import { extractSummary, type Told } from '../../core/conversation/extract.ts';
import { isUsers, uncompact as takenBack } from '../../core/conversation/rewind.ts';
import { type ContextSettings, contextSettings } from '../../core/conversation/settings.ts';
import { isSummary } from '../../core/conversation/sight.ts';
import { type CompactionPlan, planCompaction } from '../../core/conversation/tail.ts';
import { usedWithout } from '../../core/conversation/window.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { observedSession } from '../session/observe.ts';
import { changeConversation } from './change.ts';
import { type ContextWindow, knownModel, seenParts, windowOf } from './context.ts';
import { type Estimate, loadEstimate } from './estimate.ts';
import { type Loaded, loadConversation, partReader } from './load.ts';
import { type Outcome, summarise } from './summarise.ts';
import { commandSummarizer, openaiSummarizer, type Surroundings } from './summarizer.ts';

export interface CompactContextOptions extends Surroundings {
  /** Only if what is usable of the window is full; else at any fill, also if the window is unknown. */
  auto?: boolean | undefined;
  summarizer?: ContextSettings['summarizer'] | undefined;
  /** True if the summary is only made and shown. */
  dryRun?: boolean | undefined;
  /** The model whose window counts; by default the one of the next message. */
  model?: string | undefined;
  /** Shared by the changes of one command: they are undone together. */
  run?: string | undefined;
  /** Most tokens that the context may have afterwards: else it is refused, and nothing changes. */
  mustFit?: { tokens: number; refusal: CtxError } | undefined;
}

/** The part of the message that holds a summary. */
export interface CompactionPart {
  type: 'data-compaction';
  data: {
    summary: string;
    /** The first message that stays as it was. */
    tail_start_id: string;
    auto: boolean;
    summary_tokens: number;
    compactionId: string;
    status: 'completed';
    /** Number of turns of the user that it replaces. */
    turns: number;
    summarizer: string;
  };
}

export interface CompactContextResult {
  session_id: string;
  /** Null if nothing was compacted: there was room, or the summarizer failed for the moment. */
  part: CompactionPart | null;
  message_id: string | null;
  /** Number of messages that went out of view. */
  hidden: number;
  turns: number;
  tail_start_id: string | null;
  tokens_before: number;
  tokens_after: number;
  estimated: boolean;
  warnings: string[];
  dry_run: boolean;
}

/**
 * Compacts the context of the active session: the model sees a summary and the last turns. Nothing is deleted.
 * @throws {CtxError} no_such_move, if there is nothing to summarise, or the view changed meanwhile; invalid_input, if the history is too
 * large; io, if the summarizer refuses or, without `auto`, fails; invalid_settings, no_active_session, choice_waits, busy, damaged
 */
export async function compactContext(
  repository: Repository,
  options: CompactContextOptions = {},
): Promise<CompactContextResult> {
  const estimate = await loadEstimate();
  const settings = contextSettings(repository.settings.context);
  const loaded = loadConversation(repository, observedSession(repository));
  const window = windowOf(repository, loaded.session, loaded.conversation, estimate, options.model);
  const auto = options.auto === true;
  const nothing = (warnings: string[]): CompactContextResult => ({
    session_id: loaded.session.session_id,
    part: null,
    message_id: null,
    hidden: 0,
    turns: 0,
    tail_start_id: null,
    tokens_before: window.used,
    tokens_after: window.used,
    estimated: window.estimated,
    warnings,
    dry_run: options.dryRun === true,
  });
  if (auto && (window.usable === null || window.used < window.usable)) return nothing([]);
  const plan = planOf(loaded, settings, window, estimate);
  if (!plan) {
    if (auto) return nothing(['There is no turn before the last ones to summarise.']);
    throw new CtxError('no_such_move', 'There is no turn before the last ones to summarise.', {
      hint: 'Free space with: ctx context prune',
    });
  }
  const name = options.summarizer ?? settings.summarizer;
  const { summary, warnings } = await summaryOf(repository, loaded, plan, name, settings, options, estimate, window);
  const all = [...plan.warnings, ...warnings];
  if (summary === null) {
    if (auto) return nothing(all);
    throw new CtxError('io', all.at(-1) ?? 'The summarizer failed.', {
      hint: 'Summarise without it with: ctx context compact --summarizer extract',
    });
  }
  const act = repository.ids();
  const part: CompactionPart = {
    type: 'data-compaction',
    data: {
      summary,
      tail_start_id: plan.tail.id,
      auto,
      summary_tokens: estimate.text(summary),
      compactionId: act,
      status: 'completed',
      turns: plan.turns,
      summarizer: name,
    },
  };
  const freed = sizeOf(plan.summarised, estimate);
  const result: CompactContextResult = {
    ...nothing(all),
    part,
    hidden: plan.summarised.length,
    turns: plan.turns,
    tail_start_id: plan.tail.id,
    tokens_after: usedWithout(window, freed) + part.data.summary_tokens,
    estimated: true,
  };
  if (result.tokens_after >= result.tokens_before)
    result.warnings.push('The summary takes as much room as what it replaces.');
  if (options.mustFit && result.tokens_after >= options.mustFit.tokens) throw options.mustFit.refusal;
  if (options.dryRun) return result;
  const message_id = repository.ids();
  const hide = plan.summarised.map(({ id }) => id);
  return changeConversation(
    repository,
    'context compact',
    (now) => {
      checkUnchanged(now, hide);
      const message = {
        id: message_id,
        role: 'assistant',
        parts: [part],
        metadata: { created_at: repository.clock(), is_compact_summary: true, recorded_by: 'ctx' },
      };
      return {
        records: [{ kind: 'message', message }, ...overlaysOf({ id: act, by: 'compact', to: message_id }, { hide })],
        result: { ...result, message_id },
      };
    },
    options.run,
  );
}

/** Most characters of a summary without a model, and the part of what is usable that it may take. */
const LONGEST = 24_000;
const SHARE = 0.1;
const CHARACTERS_PER_TOKEN = 4;

/** Plans which messages are summarised, and what stays. */
function planOf(
  { conversation }: Loaded,
  settings: ContextSettings,
  { usable }: ContextWindow,
  estimate: Estimate,
): CompactionPlan | null {
  const rules = {
    turns: settings.tail_turns,
    budget: usable === null ? null : Math.floor(usable * settings.tail_budget_pct),
    split: settings.split_last_turn,
  };
  return planCompaction(seenParts(conversation), rules, (message) => sizeOf([message], estimate));
}

const sizeOf = (messages: readonly FoldedMessage[], estimate: Estimate): number =>
  messages.reduce((sum, { parts }) => sum + parts.reduce((of, { part }) => of + estimate.part(part), 0), 0);

/** @throws {CtxError} no_such_move, if a message that was summarised is out of view now */
function checkUnchanged({ conversation }: Loaded, hide: readonly string[]): void {
  if (hide.every((id) => conversation.messages.get(id)?.hidden === null)) return;
  throw new CtxError('no_such_move', 'The view of the conversation changed while it was summarised.', {
    hint: 'Nothing was changed. Run the command again.',
  });
}

async function summaryOf(
  repository: Repository,
  { session, conversation, trees }: Loaded,
  { summarised }: CompactionPlan,
  name: ContextSettings['summarizer'],
  settings: ContextSettings,
  surroundings: Surroundings,
  estimate: Estimate,
  { usable }: ContextWindow,
): Promise<Outcome> {
  // A summary must leave most of a small window free.
  const longest = usable === null ? undefined : Math.min(LONGEST, usable * CHARACTERS_PER_TOKEN * SHARE);
  const read = partReader(repository, trees, name === 'extract' ? 'stored' : 'whole');
  const messages = summarised.map((message): Told => {
    const parts = message.parts.map(({ part, step }) => {
      const exit_code = part.type === 'dynamic-tool' ? conversation.exits.get(String(part.toolCallId)) : undefined;
      return exit_code === undefined ? read(part, step) : { ...read(part, step), exit_code };
    });
    return { role: message.role, isUsers: isUsers(message), isSummary: isSummary(message), parts };
  });
  const task = session.task_description;
  if (name === 'extract') return { summary: extractSummary(task, messages, longest), warnings: [] };
  const isServer = name === 'openai';
  const summarizer = isServer ? openaiSummarizer(settings, surroundings) : commandSummarizer(repository, settings);
  const limit = isServer ? inputLimit(repository, settings) : null;
  return summarise({ task, messages, summarizer, settings, surroundings, tokensOf: estimate.text, limit });
}

/** The tokens of a history that the model behind a server takes in; null if unknown. */
function inputLimit({ settings: { models } }: Repository, { openai }: ContextSettings): number | null {
  if (!openai) return null;
  const window = knownModel(models, openai.model)?.context;
  return openai.max_input_tokens ?? (window === undefined ? null : window - openai.max_output_tokens);
}

export interface UncompactResult {
  session_id: string;
  /** The message with the summary that went out of view. */
  message_id: string;
  hidden: number;
  shown: number;
}

/**
 * Takes back the last compaction that the model sees: what it summarised is in view again, as it was.
 * @throws {CtxError} no_such_move, if the model sees no summary; no_active_session, choice_waits, busy, damaged
 */
export function uncompactContext(repository: Repository): UncompactResult {
  return changeConversation(repository, 'context uncompact', ({ session, conversation }) => {
    const back = takenBack(conversation);
    if (!back)
      throw new CtxError('no_such_move', 'The model sees no summary that could be taken back.', {
        hint: 'See the conversation with: ctx messages',
      });
    const act = {
      id: repository.ids(),
      by: 'uncompact',
      to: back.summary.id,
      ...(back.act ? { of: back.act.id } : {}),
    };
    return {
      records: overlaysOf(act, back),
      isRedacted: true,
      result: {
        session_id: session.session_id,
        message_id: back.summary.id,
        hidden: back.hide.length,
        shown: back.show.length,
      },
    };
  });
}
