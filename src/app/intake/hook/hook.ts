/** `ctx hook`: passes one payload of an agent to the store and the session that it belongs to. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HookAnswer } from '../../../agents/contract/hook-settings.ts';
import { AGENTS, type HookedAgent, isHooked } from '../../../agents/index.ts';
import { CtxError } from '../../../core/errors.ts';
import { oddities } from '../../../core/hook-shape.ts';
import type { Conversation } from '../../../core/intake/reconcile.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { RESUMED_VARIABLE } from '../../../core/resume/own-words.ts';
import type { HookEvent, ToolDeeds, ToolRecord, ToolUse } from '../../../core/session/hook-event.ts';
import { backToRunning, type SessionState } from '../../../core/state.ts';
import { plural } from '../../../core/text.ts';
import type { Layout } from '../../../git/layout.ts';
import { layoutOf } from '../../../history/names/layout.ts';
import { noteHookError } from '../../../history/store/hook-errors.ts';
import { findStore, type OpenOptions, type Repository } from '../../../history/store/repository.ts';
import { systemClock, timeLimit } from '../../../platform/clock.ts';
import { expectObjects } from '../../../platform/hash.ts';
import { toCtxError } from '../../../platform/machine-errors.ts';
import { redactText } from '../../../secrets/index.ts';
import { forgottenSource } from '../../redaction/forgotten-filter.ts';
import { redactionFor, redactionOptions } from '../../redaction/redact.ts';
import { addRecord } from '../../session/observe.ts';
import { keepingOf, snapshotContent, snapshotWritten, statedPath } from '../../session/snapshot.ts';
import type { Surroundings } from '../../setup/hook-places.ts';
import {
  type Hook,
  isRemembered,
  isResuming,
  isUnplaced,
  lastKnownOf,
  lastSessionOf,
  modelOf,
  NONE,
  openStateOf,
  remember,
  storeOf,
} from '../conversation.ts';
import type { Variables } from './home.ts';
import { readsTranscript, transcriptIn } from './transcript.ts';

/** Longest wait of a hook for LOCK, in milliseconds (format rule of ctx). */
const HOOK_WAIT = 1000;
/** Time after which a hook reads no more, in milliseconds: what was read has to be written, too. */
const HOOK_TIME = 800;
/** Total time of a hook, and what of it is reserved for writing, in milliseconds. */
const WHOLE_TIME = 2000;
const WRITE_TIME = 300;

export interface HookOptions extends OpenOptions {
  /** The environment, to find the home folder; unknown if absent. */
  environment?: Surroundings['environment'];
  /** True if questions for permissions are answered by the rules. */
  permissions?: boolean | undefined;
  /** Milliseconds that were spent before: to start the program, and to receive the payload. */
  taken?: number;
}

/**
 * Handles one payload. No error reaches the agent: errors are noted in the store.
 * @param payload the text from the agent
 * @returns the answer for the agent; null if there is none
 */
export async function handleHook(name: string, payload: string, options: HookOptions): Promise<JsonObject | null> {
  const named = AGENTS.filter(isHooked).find((agent) => agent.name === name);
  if (!named) {
    const known = AGENTS.filter(isHooked)
      .map((agent) => agent.name)
      .join(', ');
    throw new CtxError('not_found', `There is no agent ${name} with hooks.`, { hint: `ctx knows: ${known}` });
  }
  const value = read(payload);
  const wholeTime = timeLimit(WHOLE_TIME - WRITE_TIME - (options.taken ?? 0));
  const hooked = senderOf(named, value);
  const { read: readHook, replyOf = replyToMost } = hooked.hooks;
  const event = value && readHook(value);
  const folder = event?.cwd ?? options.directory ?? process.cwd();
  let place: Place = { directory: folder, store: options.store ?? null };
  const note = (layout: Layout, caught: unknown): void => {
    const error = toCtxError(caught);
    const { code, message } = error instanceof CtxError ? error : { code: 'bug', message: String(error) };
    const at = (options.clock ?? systemClock())();
    noteHookError(layout, {
      at,
      agent: name,
      event: harmlessWords(event?.event ?? ''),
      code,
      message: harmlessWords(message),
    });
  };
  try {
    if (hooked !== named && (await isReportedTwice(hooked, folder, options))) return null;
    if (event && !['tool', 'foreign', 'nothing'].includes(event.happened.what)) expectObjects();
    place = await placeOf(hooked.name, event, folder, options);
    const { directory, store } = place;
    const repository = await storeOf(directory, begins(event), {
      ...options,
      ...(store !== null && { store }),
      lockWait: Math.min(HOOK_WAIT, wholeTime()),
    });
    if (!repository) return null;
    if (!value) throw new CtxError('invalid_input', payloadProblem(payload));
    const noteHere = (problem: CtxError): void => note(repository.layout, problem);
    for (const odd of oddities(value)) noteHere(new CtxError('invalid_input', odd));
    if (!event) return null;
    const transcript = await transcriptIn(folder, event, hooked, noteHere);
    const conversation = { agent: hooked.name, agent_session: redactionFor(repository).text(event.agent_session) };
    const whole = { ...event, transcript };
    if (await isOfCommand(repository, conversation, whole)) return null;
    const isDone = await isAdopted(repository, conversation, whole, options.environment);
    const { model, sub_agent } = whole;
    if (model !== undefined && sub_agent === null && model !== modelOf(repository, conversation))
      (await import('./model.ts')).keepModel(repository, conversation, model);
    if (isDone) return null;
    if (options.permissions && hooked.hooks.permissions) {
      const { answerByRules } = await import('./permission.ts');
      const answered = answerByRules(repository, hooked, conversation, whole, value, options.environment);
      if (answered) return answered;
    }
    const answer = await act(repository, hooked, conversation, whole, wholeTime, noteHere);
    if (event.happened.what === 'pause') rememberPause(repository, conversation);
    if (repository.settings.conversations !== null && repository.saved.size > 0)
      (await import('../../mirror/saved.ts')).mirrorSaved(repository);
    return answer && replyOf(answer);
  } catch (error) {
    const store = place.store ?? findStore(place.directory);
    if (store === null) throw error;
    note(layoutOf(store), error);
    return null;
  }
}

/** Counts a session as saved before its agent compacts its context. */
function rememberPause(repository: Repository, conversation: Conversation): void {
  if (repository.settings.conversations === null) return;
  const open = openStateOf(repository, conversation);
  if (open) repository.saved.add(open.session_id);
}

/** Returns whether an event belongs to a command of ctx that the user has typed in the conversation, and to nothing else. */
async function isOfCommand(repository: Repository, conversation: Conversation, event: HookEvent): Promise<boolean> {
  const { happened, sub_agent } = event;
  if (sub_agent !== null) return false;
  const isTyped = happened.what === 'foreign' && happened.command !== undefined;
  if (!isTyped && !isResuming(repository, conversation)) return false;
  return (await import('./own-command.ts')).followsOwnCommand(repository, conversation, event);
}

/** Returns whether an agent that `ctx resume` has started begins its conversation now: that becomes a part of the session. */
async function isAdopted(
  repository: Repository,
  conversation: Conversation,
  event: HookEvent,
  environment: HookOptions['environment'] = {},
): Promise<boolean> {
  const resumed = environment[RESUMED_VARIABLE];
  const { sub_agent, happened, transcript } = event;
  const isBeginning = happened.what === 'start' || happened.what === 'prompt' || happened.what === 'foreign';
  if (!resumed || sub_agent !== null || !isBeginning) return false;
  const { adoptConversation } = await import('../../resume/adopt.ts');
  return adoptConversation(repository, resumed, conversation, transcript) && happened.what !== 'prompt';
}

/**
 * Returns the agent that sent a payload: one that also runs the hooks of other agents leaves signs of its own in it.
 */
const senderOf = (named: HookedAgent, value: JsonObject | null): HookedAgent =>
  AGENTS.filter(isHooked).find(({ hooks }) => value && hooks.signs?.every((key) => Object.hasOwn(value, key))) ?? named;

/** Returns whether an agent that ran the hook of another also reports the event by its own. */
async function isReportedTwice(
  { hooks }: HookedAgent,
  directory: string,
  { environment = {} }: HookOptions,
): Promise<boolean> {
  if (!hooks.signs) return false;
  const { reportsItself } = await import('./route.ts');
  return reportsItself(hooks.settings(), { directory, environment });
}

/**
 * Redacts an error, since paths may hold secrets. The store is unknown here, so that the labels are not the store's.
 */
const harmlessWords = (message: string): string => redactText(message, redactionOptions(null), () => '000000').text;

/** Returns whether a store is created for an event if there is none. */
const begins = (event: HookEvent | null): boolean =>
  event?.sub_agent === null && (event.happened.what === 'start' || event.happened.what === 'prompt');

/** Returns the answer in the form of Claude Code, which most agents have taken over. */
const replyToMost = ({ event, context }: HookAnswer): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: context },
});

function read(payload: string): JsonObject | null {
  try {
    const value = JSON.parse(payload.startsWith('\ufeff') ? payload.slice(1) : payload) as unknown;
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** Explains why a payload is invalid: an agent that was stopped leaves a part of it, or nothing. */
function payloadProblem(payload: string): string {
  const text = payload.trim();
  if (text === '') return 'No payload came.';
  const isBegun = text.startsWith('{') && !text.endsWith('}');
  return isBegun
    ? `The payload is no JSON object: it ends in the middle, after ${plural(Buffer.byteLength(text), 'byte')}.`
    : 'The payload is no JSON object.';
}

async function act(
  repository: Repository,
  hooked: HookedAgent,
  conversation: Conversation,
  event: HookEvent,
  wholeTime: () => number,
  note: Hook['note'],
): Promise<HookAnswer | null> {
  const ownTime = timeLimit(HOOK_TIME);
  const timeLeft = (): number => Math.min(ownTime(), wholeTime());
  const { sub_agent, happened } = event;
  // The words of a sub-agent concern its caller; its deeds, and its requests to the user, concern the session.
  const isOfSession = sub_agent === null || happened.what === 'tool' || happened.what === 'question';
  if (happened.what === 'nothing' || !isOfSession) return null;
  if (forgottenSource(repository, conversation.agent, conversation.agent_session)) return null;
  const hook: Hook = { repository, event, conversation, timeLeft, note, agent: null };
  if (happened.what === 'tool') return handleTool(hook, happened);
  if (happened.what === 'foreign') return noteNoTask(hook);
  if (happened.what === 'interrupt' && happened.cut) keepCut(hook, happened.cut);
  const whole = { ...hook, agent: readsTranscript(event) ? hooked : null };
  if (repository.settings.snapshots === false) return follow(whole);
  const answer = await follow(whole);
  if (sub_agent === null) await (await import('./files.ts')).keepFilesAt(hook);
  return answer;
}

/** Lets an event other than a tool's move the session of its conversation. */
async function follow(whole: Hook): Promise<HookAnswer | null> {
  const { happened } = whole.event;
  // Classifying a message needs a third of all code of hooks: it is loaded only for a message.
  if (happened.what === 'prompt') return (await import('./prompt.ts')).handlePrompt(whole, happened.text);
  if (happened.what === 'start') return (await import('./start.ts')).handleStart(whole, happened.source);
  await (await import('./moves.ts')).handleEvent(whole);
  return null;
}

/** Notes that a new conversation has no task yet: text that is not the user's begins none. */
function noteNoTask({ repository, conversation }: Hook): null {
  if (lastKnownOf(repository, conversation) === null) remember(repository, conversation, null);
  return null;
}

/** Records what an interrupted tool did before the step of the interruption, which includes it. */
function keepCut(hook: Hook, cut: ToolDeeds): void {
  const session = openStateOf(hook.repository, hook.conversation)?.session_id;
  if (session !== undefined) keepRecords(hook, session, cut);
}

/** Handles the use of a tool: its records wait for the next flush, without LOCK; and the agent is at work. */
async function handleTool(given: Hook, reported: ToolUse): Promise<null> {
  const { repository, conversation } = given;
  const isChoice =
    reported.answer !== null && (await (await import('./picked-option.ts')).answersCtx(given, reported.answer));
  // An answer to ctx says nothing to the agent.
  const happened = isChoice ? { ...reported, answer: null } : reported;
  const hook = isChoice ? { ...given, event: { ...given.event, happened } } : given;
  const open = openStateOf(repository, conversation);
  const wasAsked = open === null && happened.answer !== null;
  const use = wasAsked ? (await import('../../../core/session/tool-question.ts')).withNotes(happened) : happened;
  const session = open?.session_id ?? (await sessionWithout(hook, use));
  if (session === null) return null;
  // An answer of the user counts in any state.
  const counts = open !== null && (happened.answer !== null || backToRunning(open.state.kind) !== undefined);
  try {
    if (counts && isAnswer(hook, happened, open.state)) await (await import('./moves.ts')).handleEvent(hook);
  } finally {
    // The records are kept even if LOCK is taken.
    keepRecords(hook, session, use);
  }
  return null;
}

function keepRecords({ repository, event }: Hook, session: string, use: ToolDeeds): void {
  const marks = {
    hook: true,
    ...(use.call_id === null ? {} : { tool_call_id: use.call_id }),
    ...(use.told_at === undefined ? {} : { told_at: use.told_at }),
    ...(event.sub_agent === null ? {} : { sub_agent: event.sub_agent }),
  };
  for (const record of use.records) addToolRecord(repository, session, record, marks);
}

/**
 * Returns the session that records a tool if its conversation has no open one: a new one, or the last one; null if none
 * does, since a transcript has it.
 */
async function sessionWithout(hook: Hook, { records }: ToolUse): Promise<string | null> {
  const { repository, conversation, event } = hook;
  const { transcript, sub_agent } = event;
  if (records.length === 0) return null;
  // A conversation's transcript does not have what a sub-agent does, and the event may come late.
  const last = sub_agent === null ? null : lastSessionOf(repository, conversation);
  if (last !== null) return last;
  const known = lastKnownOf(repository, conversation);
  if (known === NONE) return beginByTool(hook);
  if (sub_agent !== null) return null;
  const hasTranscript = transcript !== null && existsSync(transcript);
  // After an ended session, a tool begins no other one.
  if (known !== null) return hasTranscript && !(await hasUnanswered(hook, known)) ? null : known;
  // Without prompts and transcript, only the tools show what the conversation did.
  return hasTranscript ? null : beginByTool(hook);
}

/** Begins the session of a conversation whose first event is a tool's. */
async function beginByTool(hook: Hook): Promise<string | null> {
  (await import('./unprompted-session.ts')).beginUnprompted(hook);
  return openStateOf(hook.repository, hook.conversation)?.session_id ?? null;
}

/**
 * Returns whether a session has left a question of ctx's: later records belong to the session that the answer picks.
 */
const hasUnanswered = async ({ repository }: Hook, session: string): Promise<boolean> =>
  (await import('../../session/left-question.ts')).unansweredIn(repository, session) !== null;

/**
 * Returns whether a finished tool shows that the agent is at work again: a sub-agent's only if the session waited for
 * it.
 */
function isAnswer({ repository, event }: Hook, { permission, answer }: ToolUse, state: SessionState): boolean {
  if (event.sub_agent === null || answer !== null) return true;
  if (permission === undefined || state.kind !== 'AwaitingUser') return false;
  return state.question === redactionFor(repository).text(permission);
}

function addToolRecord(repository: Repository, session: string, { body, content }: ToolRecord, marks: object): void {
  addRecord(repository, session, (keeper) => {
    const path = (body as { path?: unknown }).path;
    const redaction = redactionFor(repository);
    // A path is redacted before it is normalised: afterwards a URL in it would no longer look like one.
    const { project } = repository;
    const named: { path?: string } =
      typeof path === 'string' ? { path: statedPath(path, project, redaction.text) } : {};
    const keeping = keepingOf(repository, keeper, redaction);
    const kept = content
      ? snapshotContent(content, String(path), keeping)
      : body.kind === 'write' &&
        named.path?.startsWith('/') === false &&
        snapshotWritten(String(path), project, keeping);
    const { fields, content: blob } = kept || {};
    return { body: { ...body, ...named, ...marks, ...fields } as AnyBody, content: blob, redaction };
  });
}

/** A folder, and its store; null if there is none yet. */
export interface Place {
  directory: string;
  store: string | null;
}

/**
 * Returns the place of an event. An agent may change to another project during a conversation, which stays in its
 * store.
 */
async function placeOf(
  agent: string,
  event: HookEvent | null,
  folder: string,
  options: OpenOptions & { environment?: Variables },
): Promise<Place> {
  const store = options.store ?? findStore(folder);
  const here = { directory: folder, store };
  if (options.store !== undefined || !event) return here;
  const conversation = { agent, agent_session: event.agent_session };
  const isKnownHere = store !== null && isRemembered(store, conversation);
  // A tool's records follow those of the tool before it.
  const mayGoHome = event.happened.what !== 'tool' && store !== null && isUnplaced(store, conversation);
  if (isKnownHere && !mayGoHome) return here;
  const { homeOf, confirmHome } = await import('./home.ts');
  const transcript = event.transcript ? resolve(folder, event.transcript) : null;
  const home = homeOf(agent, { ...event, transcript }, store, options);
  if (mayGoHome) confirmHome(store, conversation, transcript, home !== null);
  return home ?? here;
}
