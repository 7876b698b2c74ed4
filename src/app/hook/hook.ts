/** `ctx hook`: one payload of an agent's, taken to the store and the session that it belongs to. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HOOKED, type HookAnswer, type HookedAgent, replyToMost } from '../../agents/hooks.ts';
import { CtxError } from '../../core/errors.ts';
import type { HookEvent, ToolDeeds, ToolRecord, ToolUse } from '../../core/hook-event.ts';
import { oddities } from '../../core/hook-shape.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { AnyBody } from '../../core/record.ts';
import { backToRunning, type SessionState } from '../../core/state.ts';
import { plural } from '../../core/text.ts';
import { type Layout, layoutOf } from '../../git/layout.ts';
import { noteHookError } from '../../history/store/hook-errors.ts';
import { findStore, type OpenOptions, type Repository } from '../../history/store/repository.ts';
import { systemClock, timeLimit } from '../../platform/clock.ts';
import { expectObjects } from '../../platform/hash.ts';
import { inWords } from '../../platform/machine-errors.ts';
import { redactText } from '../../secrets/redact.ts';
import {
  type Hook,
  isAtHomeUntold,
  isRemembered,
  lastKnownOf,
  lastSessionOf,
  NONE,
  openStateOf,
  remember,
  storeOf,
} from '../ingest/hook-session.ts';
import { forgottenSource } from '../redaction/forgotten-filter.ts';
import { redactionFor, redactionOptions } from '../redaction/redact.ts';
import { addRecord } from '../session/observe.ts';
import { keepingOf, snapshotAsItIs, snapshotContent, toldPath } from '../session/snapshot.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import type { Variables } from './home.ts';
import { readsTranscript, transcriptIn } from './transcript.ts';

/** Longest wait of a hook for LOCK, in milliseconds (format rule of ctx). */
const HOOK_WAIT = 1000;
/** Time of a hook after which it takes nothing more in, in milliseconds: what was taken in has to be written, too. */
const HOOK_TIME = 800;
/** Time of a hook in all, and what of it is left for writing, in milliseconds. */
const WHOLE_TIME = 2000;
const WRITE_TIME = 300;

export interface HookOptions extends OpenOptions {
  /** Where the home folder is; nothing is known of it where absent. */
  environment?: Surroundings['environment'];
  /** Milliseconds that it has taken already: its program had to start, and its payload to come. */
  taken?: number;
}

/**
 * Takes one payload. Nothing that goes wrong reaches the agent: it is noted in the store.
 * @param payload the text that the agent gave
 * @returns what the agent takes as its answer; null where it is told nothing
 */
export async function handleHook(name: string, payload: string, options: HookOptions): Promise<JsonObject | null> {
  const named = HOOKED.find((agent) => agent.name === name);
  if (!named) {
    const known = HOOKED.map((agent) => agent.name).join(', ');
    throw new CtxError('not_found', `There is no agent ${name} with hooks.`, { hint: `ctx knows: ${known}` });
  }
  const value = read(payload);
  const wholeTime = timeLimit(WHOLE_TIME - WRITE_TIME - (options.taken ?? 0));
  const hooked = senderOf(named, value);
  const { readHook, replyOf = replyToMost } = await hooked.reader();
  const event = value && readHook(value);
  const folder = event?.cwd ?? options.directory ?? process.cwd();
  let place: Place = { directory: folder, store: options.store ?? null };
  const note = (layout: Layout, caught: unknown): void => {
    const error = inWords(caught);
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
    if (hooked !== named && (await isToldTwice(hooked, folder, options))) return null;
    if (event && !['tool', 'foreign', 'nothing'].includes(event.happened.what)) expectObjects();
    place = await placeOf(hooked.name, event, folder, options);
    const { directory, store } = place;
    const repository = await storeOf(directory, begins(event), {
      ...options,
      ...(store !== null && { store }),
      lockWait: Math.min(HOOK_WAIT, wholeTime()),
    });
    if (!repository) return null;
    if (!value) throw new CtxError('invalid_input', whyNone(payload));
    const noteHere = (problem: CtxError): void => note(repository.layout, problem);
    for (const odd of oddities(value)) noteHere(new CtxError('invalid_input', odd));
    if (!event) return null;
    const transcript = await transcriptIn(folder, event, hooked.agent, noteHere);
    const answer = await act(repository, hooked, { ...event, transcript }, wholeTime, noteHere);
    return answer && replyOf(answer);
  } catch (error) {
    const store = place.store ?? findStore(place.directory);
    if (store === null) throw error;
    note(layoutOf(store), error);
    return null;
  }
}

/** The agent that a payload is of: one that runs the hooks of others as well has signs of its own in it. */
const senderOf = (named: HookedAgent, value: JsonObject | null): HookedAgent =>
  HOOKED.find(({ abroad }) => value && abroad?.signs.every((key) => Object.hasOwn(value, key))) ?? named;

/** Whether an agent that ran the hook of another tells ctx of the same by its own. */
async function isToldTwice(
  { abroad }: HookedAgent,
  directory: string,
  { environment = {} }: HookOptions,
): Promise<boolean> {
  if (!abroad) return false;
  const { isToldItself } = await import('./route.ts');
  return isToldItself(await abroad.hooks(), { directory, environment });
}

/** What went wrong, without secrets: paths may hold them. Nothing is known of the store here, so they get no label of its own. */
const harmlessWords = (message: string): string => redactText(message, redactionOptions(null), () => '000000').text;

/** Whether a store is made for it where there is none. */
const begins = (event: HookEvent | null): boolean =>
  event?.sub_agent === null && (event.happened.what === 'start' || event.happened.what === 'prompt');

function read(payload: string): JsonObject | null {
  try {
    const value = JSON.parse(payload.startsWith('\ufeff') ? payload.slice(1) : payload) as unknown;
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** Why a payload is none: an agent that was stopped leaves a part of it, or nothing. */
function whyNone(payload: string): string {
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
  event: HookEvent,
  wholeTime: () => number,
  note: Hook['note'],
): Promise<HookAnswer | null> {
  const ownTime = timeLimit(HOOK_TIME);
  const timeLeft = (): number => Math.min(ownTime(), wholeTime());
  const { sub_agent, happened } = event;
  // What a sub-agent says is its caller's business; what it does, and asks the user for, is the session's.
  const isHeard = sub_agent === null || happened.what === 'tool' || happened.what === 'question';
  if (happened.what === 'nothing' || !isHeard) return null;
  const conversation = { agent: hooked.name, agent_session: redactionFor(repository).text(event.agent_session) };
  if (forgottenSource(repository, conversation.agent, conversation.agent_session)) return null;
  const hook: Hook = { repository, event, conversation, timeLeft, note, agent: null };
  if (happened.what === 'tool') return used(hook, happened);
  if (happened.what === 'foreign') return begunNothing(hook);
  if (happened.what === 'interrupt' && happened.cut) keepCut(hook, happened.cut);
  const whole = { ...hook, agent: readsTranscript(event) ? await hooked.agent() : null };
  // What a message means is a third of all code that hooks have: only those that have one load it.
  if (happened.what === 'prompt') return (await import('./prompt.ts')).prompted(whole, happened.text);
  if (happened.what === 'start') return (await import('./start.ts')).started(whole, happened.source);
  await (await import('./moves.ts')).moveOn(whole);
  return null;
}

/** What the user has not said begins nothing: a conversation that is new has no task yet. */
function begunNothing({ repository, conversation }: Hook): null {
  if (lastKnownOf(repository, conversation) === null) remember(repository, conversation, null);
  return null;
}

/** What a tool did that the user has stopped is kept first: the step of the interruption takes it along. */
function keepCut(hook: Hook, cut: ToolDeeds): void {
  const session = openStateOf(hook.repository, hook.conversation)?.session_id;
  if (session !== undefined) keepRecords(hook, session, cut);
}

/** A tool was used: its records wait for the next flush, without LOCK; an agent that works is at work. */
async function used(given: Hook, told: ToolUse): Promise<null> {
  const { repository, conversation } = given;
  const isChoice = told.answer !== null && (await (await import('./picked-option.ts')).answersCtx(given, told.answer));
  // What answers ctx says nothing to the agent.
  const happened = isChoice ? { ...told, answer: null } : told;
  const hook = isChoice ? { ...given, event: { ...given.event, happened } } : given;
  const open = openStateOf(repository, conversation);
  const isTold = open === null && happened.answer !== null;
  const use = isTold ? (await import('../../core/tool-question.ts')).withNotes(happened) : happened;
  const session = open?.session_id ?? (await sessionWithout(hook, use));
  if (session === null) return null;
  // What the user has answered counts whatever state it finds.
  const counts = open !== null && (happened.answer !== null || backToRunning(open.state.kind) !== undefined);
  try {
    if (counts && isAnswer(hook, happened, open.state)) await (await import('./moves.ts')).moveOn(hook);
  } finally {
    // Whoever holds LOCK: what was done is kept.
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
 * The session that a tool is kept in where its conversation has none that is open: one that begins with it, or the last one;
 * null where none keeps it, for a transcript tells of it.
 */
async function sessionWithout(hook: Hook, { records }: ToolUse): Promise<string | null> {
  const { repository, conversation, event } = hook;
  const { transcript, sub_agent } = event;
  if (records.length === 0) return null;
  // That of its conversation does not tell what a sub-agent does, which may come late.
  const last = sub_agent === null ? null : lastSessionOf(repository, conversation);
  if (last !== null) return last;
  const known = lastKnownOf(repository, conversation);
  if (known === NONE) return begun(hook);
  if (sub_agent !== null) return null;
  const isTold = transcript !== null && existsSync(transcript);
  // One that has ended gets no other session by a tool.
  if (known !== null) return isTold && !(await hasLeft(hook, known)) ? null : known;
  // Nobody will tell more of it than its tools, without prompts and transcript.
  return isTold ? null : begun(hook);
}

/** Begins the session of a conversation that a tool is the first to tell of. */
async function begun(hook: Hook): Promise<string | null> {
  (await import('./unprompted-session.ts')).beginUntold(hook);
  return openStateOf(hook.repository, hook.conversation)?.session_id ?? null;
}

/** Whether a session has left a question of ctx's: what comes after it belongs to the session that the answer picks. */
const hasLeft = async ({ repository }: Hook, session: string): Promise<boolean> =>
  (await import('../session/left-question.ts')).leftIn(repository, session) !== null;

/** Whether a tool that came back tells that the agent is at work again: one of a sub-agent's only where it was waited for. */
function isAnswer({ repository, event }: Hook, { permission, answer }: ToolUse, state: SessionState): boolean {
  if (event.sub_agent === null || answer !== null) return true;
  if (permission === undefined || state.kind !== 'AwaitingUser') return false;
  return state.question === redactionFor(repository).text(permission);
}

function addToolRecord(repository: Repository, session: string, { body, content }: ToolRecord, marks: object): void {
  addRecord(repository, session, (keeper) => {
    const path = (body as { path?: unknown }).path;
    const redaction = redactionFor(repository);
    // Its secrets go before it is tidied: a URL in it would no longer look like one.
    const { project } = repository;
    const named: { path?: string } = typeof path === 'string' ? { path: toldPath(path, project, redaction.text) } : {};
    const keeping = keepingOf(repository, keeper, redaction);
    const kept = content
      ? snapshotContent(content, String(path), keeping)
      : body.kind === 'write' &&
        named.path?.startsWith('/') === false &&
        snapshotAsItIs(String(path), project, keeping);
    const { fields, content: blob } = kept || {};
    return { body: { ...body, ...named, ...marks, ...fields } as AnyBody, content: blob, redaction };
  });
}

/** A folder, and the store that it lies at; null where there is none yet. */
export interface Place {
  directory: string;
  store: string | null;
}

/** Where an event belongs. An agent may go to another project in the middle of a conversation, which stays where it is. */
export async function placeOf(
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
  // A tool goes where the one before it has gone.
  const mayGoHome = event.happened.what !== 'tool' && store !== null && isAtHomeUntold(store, conversation);
  if (isKnownHere && !mayGoHome) return here;
  const { homeOf, wentHome } = await import('./home.ts');
  const transcript = event.transcript ? resolve(folder, event.transcript) : null;
  const home = homeOf(agent, { ...event, transcript }, store, options);
  if (mayGoHome) wentHome(store, conversation, transcript, home !== null);
  return home ?? here;
}
