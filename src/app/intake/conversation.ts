/** Maps an agent's conversation to its session: by the cache, else by the sources of the sessions. */

import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import type { CtxError } from '../../core/errors.ts';
import type { Conversation } from '../../core/intake/reconcile.ts';
import type { HookEvent } from '../../core/session/hook-event.ts';
import type { Source } from '../../core/session/session.ts';
import type { SessionState } from '../../core/state.ts';
import { type Chain, readChain } from '../../history/chain/chain.ts';
import { isSessionId, layoutOf, sessionRef } from '../../history/names/layout.ts';
import { findStore, type OpenOptions, openRepository, type Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists, removeFile, writeDurably } from '../../platform/files.ts';
import { overwrite } from '../../platform/plain-files.ts';
import { type ActiveSession, openSession } from '../session/active.ts';
import { findSource } from '../transcript/source.ts';
import { conversationKey, readCached } from '../transcript/source-index.ts';
import type { End } from './late-records.ts';

/** Everything that one hook works with. */
export interface Hook {
  repository: Repository;
  event: HookEvent;
  conversation: Conversation;
  /** Milliseconds left of the time that it may take. */
  timeLeft: () => number;
  /** Notes an error that does not stop the hook. */
  note: (problem: CtxError) => void;
  /** The reader of its transcript; null if ctx has none, or nothing is to be read. */
  agent: Agent | null;
  /**
   * The position of its open session that has read nothing yet, once its predecessors have read their own parts; null
   * until then.
   */
  from?: Source | null | undefined;
  /**
   * Returns where the part of a session ends that its user has ended; null if unknown. Passed in, since few hooks need
   * that much code.
   */
  endOf?: ((hook: Hook, chain: Chain, known: Source) => End | null) | undefined;
}

/** The keys of this process's conversations: they are asked for again and again. */
const keys = new WeakMap<Conversation, string>();

function keyOf(conversation: Conversation): string {
  const key = keys.get(conversation) ?? conversationKey(conversation.agent, conversation.agent_session);
  keys.set(conversation, key);
  return key;
}

const fileOf = ({ layout }: Pick<Repository, 'layout'>, conversation: Conversation): string =>
  below(layout.cache, 'conversations', keyOf(conversation));

/** The entry of a conversation whose prompts have begun nothing, or nothing since its session ended. */
export const NONE = 'none';

const read = (path: string): string => readCached(path, 1024)?.toString('utf8').trim() ?? '';

/** Returns the entry of a conversation in the cache: its session, or `NONE`. */
const remembered = (repository: Repository, conversation: Conversation): string =>
  read(fileOf(repository, conversation));

/** Returns whether a store remembers a conversation, even one that has begun nothing. */
export const isRemembered = (store: string, conversation: Conversation): boolean =>
  exists(fileOf({ layout: layoutOf(store) }, conversation));

/**
 * The session of a conversation: the open one, else the one that has read furthest; `NONE` if its last prompt has begun
 * nothing.
 */
interface Known {
  session: string;
  /** If that session is open: its ref, and the value of the ref. */
  open: { ref: string; head: string } | null;
}

const openHeadOf = (repository: Repository, session: string): Known['open'] => {
  const ref = sessionRef(session);
  const head = repository.refs.read(ref);
  return head === null ? null : { ref, head };
};

/** Looks up the session of a conversation; null if nothing is known of it. */
function lookUp(repository: Repository, conversation: Conversation): Known | null {
  const known = remembered(repository, conversation);
  const none = known === NONE ? { session: NONE, open: null } : null;
  const open = isSessionId(known) ? openHeadOf(repository, known) : null;
  if (open) return { session: known, open };
  // An ended session may be continued in another one without a hook.
  const found = findSource(repository, conversation.agent, conversation.agent_session);
  if (!found) return none;
  const { session_id: session } = found.chain.session;
  const again = openHeadOf(repository, session);
  if (none && !again) return none;
  remember(repository, conversation, session);
  return { session, open: again };
}

/**
 * Returns the last session of a conversation, or `NONE` if its last prompt has begun nothing; null if nothing is known
 * of it.
 */
export const lastKnownOf = (repository: Repository, conversation: Conversation): string | null =>
  lookUp(repository, conversation)?.session ?? null;

/** Returns whether a conversation has had hooks before, or its transcript was ingested. */
export const isKnown = (repository: Repository, conversation: Conversation): boolean =>
  lookUp(repository, conversation) !== null;

/** Returns the last session of a conversation if it has ended and nothing has been begun or said since; else null. */
export function endedSessionOf(repository: Repository, conversation: Conversation): string | null {
  const known = lookUp(repository, conversation);
  return known && known.session !== NONE && !known.open ? known.session : null;
}

/** Returns the last session of a conversation, whatever was said since; null if it has none. */
export const lastSessionOf = (repository: Repository, { agent, agent_session }: Conversation): string | null =>
  findSource(repository, agent, agent_session)?.chain.session.session_id ?? null;

/** Remembers the session of a conversation, or that it has none; the cache can be recomputed. */
export function remember(repository: Repository, conversation: Conversation, session: string | null): void {
  const known = session ?? NONE;
  if (remembered(repository, conversation) !== known) write(repository, fileOf(repository, conversation), known);
}

/**
 * Returns the file with a head at which a session was at work; a separate file, since a concurrent move may remember
 * another session.
 */
const workFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.at-work`;

/** Remembers a head at which the session of a conversation is at work. */
export function rememberAtWork(repository: Repository, conversation: Conversation, head: string): void {
  const file = workFileOf(repository, conversation);
  if (read(file) !== head) writeHead(repository, file, head);
}

const unplacedFileOf = (repository: Pick<Repository, 'layout'>, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.untold`;

/**
 * Remembers that a tool has begun the session of a conversation before its transcript showed which project it belongs
 * to.
 */
export const rememberUnplaced = (repository: Repository, conversation: Conversation): void =>
  write(repository, unplacedFileOf(repository, conversation), NONE);

/** Returns whether a store has a session of a conversation that may belong to another project. */
export const isUnplaced = (store: string, conversation: Conversation): boolean =>
  exists(unplacedFileOf({ layout: layoutOf(store) }, conversation));

/** Settles the project of a conversation. @param isHere whether it is this store's: else this store forgets it */
export function settlePlace(store: string, conversation: Conversation, isHere: boolean): void {
  const at = { layout: layoutOf(store) };
  removeFile(unplacedFileOf(at, conversation));
  if (!isHere) removeFile(fileOf(at, conversation));
}

const begunFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.begun`;

/** Remembers that a conversation with an open session begins again: its next prompt may be about something else. */
export const rememberBegun = (repository: Repository, conversation: Conversation): void =>
  write(repository, begunFileOf(repository, conversation), NONE);

/** Returns whether a conversation has begun again since its last prompt. */
export const hasBegunAgain = (repository: Repository, conversation: Conversation): boolean =>
  exists(begunFileOf(repository, conversation));

/** Forgets that a conversation has begun again: its prompt is taken. */
export function forgetBegun(repository: Repository, conversation: Conversation): void {
  removeFile(begunFileOf(repository, conversation));
}

const resumingFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.resuming`;

/** Remembers that the user resumes another session in a conversation, and how far they have come. */
export const rememberResuming = (repository: Repository, conversation: Conversation, word: string): void =>
  write(repository, resumingFileOf(repository, conversation), word);

/** Returns whether the user may be about to resume another session in a conversation. */
export const isResuming = (repository: Repository, conversation: Conversation): boolean =>
  exists(resumingFileOf(repository, conversation));

/** Returns how far they have come; empty if they do not. */
export const resumingSince = (repository: Repository, conversation: Conversation): string =>
  read(resumingFileOf(repository, conversation));

/** Forgets that they do. */
export function forgetResuming(repository: Repository, conversation: Conversation): void {
  removeFile(resumingFileOf(repository, conversation));
}

const modelFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.model`;

/** Returns the model that the hooks of a conversation have named last; empty if they have named none. */
export const modelOf = (repository: Repository, conversation: Conversation): string =>
  read(modelFileOf(repository, conversation));

/** Remembers the model that the hooks of a conversation name, so that an event that names the same one does nothing. */
export const rememberModel = (repository: Repository, conversation: Conversation, model: string): void =>
  write(repository, modelFileOf(repository, conversation), model);

const promptFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.prompt`;

/** Returns the entry for the last prompt of a conversation; empty if there is none. */
export const lastPromptOf = (repository: Repository, conversation: Conversation): string =>
  read(promptFileOf(repository, conversation));

/** Remembers the last prompt of a conversation, in a text of fixed length. */
export const rememberPrompt = (repository: Repository, conversation: Conversation, words: string): void =>
  writeHead(repository, promptFileOf(repository, conversation), words);

/** Overwrites a head in place; a torn one is ignored, since only a complete head is compared. */
function writeHead(repository: Repository, path: string, head: string): void {
  if (!overwrite(path, Buffer.from(`${head}\n`))) write(repository, path, head);
}

function write(repository: Repository, path: string, word: string): void {
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, `${word}\n`, { fsync: false });
  } catch {
    // The next hook searches the sessions.
  }
}

/** Returns when a hook of a conversation last did something, in Unix seconds; null if unknown. */
export function lastEventOf(repository: Repository, conversation: Conversation): number | null {
  try {
    return Math.floor(statSync(fileOf(repository, conversation)).mtimeMs / 1000);
  } catch {
    // There is none, or it may not be read.
    return null;
  }
}

/** Returns the open session of a conversation; null if there is none, or it has ended. */
export function openSessionOf(repository: Repository, conversation: Conversation): ActiveSession | null {
  const open = lookUp(repository, conversation)?.open;
  return open ? openSession(repository, open.ref, open.head) : null;
}

/**
 * Returns the id and the state of the same, reading only its head. Most events find it at work, as the last event left
 * it: what a head says never changes, so that is cached by the head.
 */
export function openStateOf(
  repository: Repository,
  conversation: Conversation,
): { session_id: string; state: SessionState } | null {
  const known = lookUp(repository, conversation);
  if (!known?.open) return null;
  const { ref, head } = known.open;
  const workFile = workFileOf(repository, conversation);
  if (read(workFile) === head) return { session_id: known.session, state: { kind: 'Running' } };
  const { session_id, session_state } = readChain(repository.objects, head, ref).session;
  if (session_state.kind === 'Running') writeHead(repository, workFile, head);
  return { session_id, state: session_state };
}

/**
 * Returns the store that a hook works on: the one of the folder that the agent works in. If there is none and `make`
 * says so, creates one at the top of the Git work tree around it; elsewhere ctx was not asked for.
 */
export async function storeOf(cwd: string, make: boolean, options: OpenOptions): Promise<Repository | null> {
  const store = options.store ?? findStore(cwd);
  if (store !== null) return openRepository({ ...options, store, directory: cwd });
  const top = make ? workTree(cwd) : null;
  if (top === null) return null;
  const { initRepository } = await import('../init.ts');
  return initRepository({ ...options, directory: top, trust: 'if made' }).repository;
}

/** Returns the top of the Git work tree that contains a folder. */
function workTree(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(below(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}
