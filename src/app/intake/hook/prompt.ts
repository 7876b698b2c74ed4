/** Handles the hook of a prompt: the user's message moves the session, and the agent reads what ctx asks. */
import type { HookAnswer } from '../../../agents/contract/hook-settings.ts';
import { CtxError } from '../../../core/errors.ts';
import { type LastPrompt, type Prompt, reconcile, type Stored } from '../../../core/intake/reconcile.ts';
import { titleOf } from '../../../core/listing/title.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { remembered } from '../../../core/remembered.ts';
import { missedNote, missedPrompt } from '../../../core/session/missed.ts';
import type { Session } from '../../../core/session/session.ts';
import { sessionRef } from '../../../history/names/layout.ts';
import { sha1 } from '../../../platform/hash.ts';
import { redactionFor } from '../../redaction/redact.ts';
import type { ActiveSession } from '../../session/active.ts';
import { answerCommand } from '../../session/waiting.ts';
import {
  forgetBegun,
  type Hook,
  hasBegunAgain,
  lastPromptOf,
  openSessionOf,
  remember,
  rememberAtWork,
  rememberPrompt,
} from '../conversation.ts';
import { handleUserMessage } from '../message/message.ts';
import type { HookPart } from '../message/options.ts';
import type { Before, MessageResult } from '../message/result.ts';
import { asQuestion, asSaved } from './context.ts';
import { endOfOwnPart, keepLateTurns } from './late-turns.ts';
import { finishedBefore } from './open-sessions.ts';
import { beginning, hasNoTranscript, incrementOf, keepIfBusy, unansweredOf } from './part.ts';

/** Handles a prompt; returns what the agent reads. */
export function handlePrompt(hook: Hook, text: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  if (text.trim() === '') return null;
  const part = partOf(hook);
  const result = handleMessage(hook, text, part);
  // Another hook of the same prompt has done everything.
  if (part.wasRepeated()) return null;
  const { choice, session_id, compacted, problem } = result;
  if (problem !== undefined) hook.note(new CtxError('io', problem));
  // The rest of a turn belongs to the session that its prompt has ended, or whose question it has answered.
  remember(repository, conversation, session_id ?? compacted?.session_id ?? part.asked());
  if (part.beginsConversation) forgetBegun(repository, conversation);
  // An outcome that the user has confirmed, or has been asked about, needs no note.
  const isUnasked = compacted?.commit_type.kind === 'InterruptedByNewTask' && result.classification !== 'Response';
  if (isUnasked && session_id !== null && result.action === 'started')
    return { event: event.event, context: asSaved(titleOf(compacted)) };
  if (!choice || session_id === null) return null;
  return {
    event: event.event,
    context: asQuestion(choice.message, answerCommand(repository, session_id), conversation.agent),
  };
}

/** Wrapped, so that its code is loaded only when it is called. */
const endOf: Hook['endOf'] = (hook, chain, known) => endOfOwnPart(hook, chain, known);

/** Lets the message move its session. */
function handleMessage(hook: Hook, text: string, part: HookPart): MessageResult {
  const { repository, event } = hook;
  const notes = (session: string): AnyBody[] => {
    const note = missedNote(event.happened, session);
    const prompt = promptOf(redactionFor(repository).text(text), idOf(hook));
    const stored = { missedPrompts: missedPrompts(openSessionOf(repository, hook.conversation)) };
    return note === null || reconcile(stored, { kind: 'prompt', from: 'hook', prompt }) !== 'new' ? [] : [note];
  };
  return keepIfBusy(hook, notes, undefined, () => handleUserMessage(repository, text, { hook: part }));
}

const idOf = ({ event: { happened } }: Hook): string | null => (happened.what === 'prompt' && happened.id) || null;

/**
 * Returns the hook's part, with the id of the session that has left a question, null before a lookup and if there is
 * none; and with whether the prompt is a repetition.
 */
function partOf(hook: Hook): HookPart & { asked: () => string | null; wasRepeated: () => boolean } {
  const { repository, event, conversation } = hook;
  let ended: Session | null = null;
  let asked: string | null = null;
  let wasRepeated = false;
  const rememberedAs = remembered((words) => promptOf(words, idOf(hook)));
  return {
    find: () => openSessionOf(repository, conversation),
    unanswered: () => {
      const left = unansweredOf(hook);
      asked = left?.session.session_id ?? null;
      return left;
    },
    asked: () => asked,
    settle: (transaction) => {
      ended = keepLateTurns(hook, transaction);
    },
    increment: ({ chain }) => incrementOf({ ...hook, endOf }, chain),
    timeLeft: hook.timeLeft,
    stageTrouble: hook.note,
    hasNoTranscript: hasNoTranscript(hook),
    beginsConversation: hasBegunAgain(repository, conversation),
    finished: (transaction) => (repository.settings.questions === 'always' ? null : finishedBefore(hook, transaction)),
    cannotAsk: event.happened.what === 'prompt' && event.happened.takesNothing === true,
    beginning: (active, increment) => beginning(hook, increment?.session ?? active?.session ?? ended),
    isRepeated: (message, before) => {
      wasRepeated = isRepeated(hook, rememberedAs(message), before);
      return wasRepeated;
    },
    wasRepeated: () => wasRepeated,
    taken: (message, { session_id, at_work }) => {
      // The first tool of the turn comes next.
      if (at_work !== null) rememberAtWork(repository, conversation, at_work);
      if (!wasRepeated) rememberTaken(hook, rememberedAs(message), session_id, at_work);
    },
  };
}

const NOTHING = '0'.repeat(40);
const hashOf = (text: string): string => sha1(Buffer.from(text));

/** Makes a prompt as it is compared: by hashes. @param words the redacted words */
const promptOf = (words: string, id: string | null): Prompt => ({
  words: hashOf(words),
  id: id === null ? null : hashOf(id),
});

/** Returns the prompts that are pending as missed ones. */
const missedPrompts = (active: ActiveSession | null): NonNullable<Stored['missedPrompts']> =>
  active?.pending.flatMap(({ record }, index, { length }) => {
    const missed = missedPrompt(active.session.session_id, record);
    return missed ? [{ ...promptOf(missed.words, missed.id), isLatest: index === length - 1 }] : [];
  }) ?? [];

/** Returns the last prompt of a conversation; null if none is known. */
function storedPrompt({ repository, conversation }: Hook): LastPrompt | null {
  const [words = '', id = '', head = '', latest = '', at = ''] = lastPromptOf(repository, conversation).split(' ');
  if (at === '') return null;
  return { words, id: id === NOTHING ? null : id, head: head === NOTHING ? null : head, latest, at: Number(at) };
}

/**
 * Remembers a prompt, and the head at which it has left its session.
 * @param session null if there is none
 * @param known the head of the session, if it is known already
 */
function rememberTaken(
  { repository, conversation }: Hook,
  { words, id }: Prompt,
  session: string | null,
  known: string | null,
): void {
  const head = known ?? ((session !== null && repository.refs.read(sessionRef(session))) || NOTHING);
  const at = String(repository.clock()).padStart(12, '0');
  rememberPrompt(repository, conversation, [words, id ?? NOTHING, head, repository.ids(), at].join(' '));
}

/**
 * Returns whether a prompt was reported before, since ctx is in two of the agent's settings files. Called under LOCK.
 * @param before the session of its conversation, and what the transcript adds, such as an interruption since
 */
function isRepeated(hook: Hook, prompt: Prompt, { active, increment }: Pick<Before, 'active' | 'increment'>): boolean {
  const now = {
    at: hook.repository.clock(),
    head: active?.chain.head ?? null,
    latest: active?.pending.at(-1)?.record.id ?? '',
    isCut: (increment?.interrupted ?? null) !== null,
  };
  const stored = { lastPrompt: storedPrompt(hook), missedPrompts: missedPrompts(active) };
  return reconcile(stored, { kind: 'prompt', from: 'hook', prompt, now }) !== 'new';
}
