/** Which session belongs to an agent's conversation: remembered in the cache, else found by the sources of the sessions. */

import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import type { CtxError } from '../../core/errors.ts';
import type { HookEvent } from '../../core/session/hook-event.ts';
import type { Source } from '../../core/session/session.ts';
import type { SessionState } from '../../core/state.ts';
import { isSessionId, layoutOf, sessionRef } from '../../git/layout.ts';
import { type Chain, readChain } from '../../history/chain/chain.ts';
import { findStore, type OpenOptions, openRepository, type Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists, removeFile, writeDurably } from '../../platform/files.ts';
import { overwrite } from '../../platform/plain-files.ts';
import { type ActiveSession, openSession } from '../session/active.ts';
import { findSource } from '../transcript/source.ts';
import { conversationKey, readCached } from '../transcript/source-index.ts';
import type { End } from './late-records.ts';

/** A conversation of an agent's. */
export interface Conversation {
  agent: string;
  agent_session: string;
}

/** Everything that one hook works with. */
export interface Hook {
  repository: Repository;
  event: HookEvent;
  conversation: Conversation;
  /** Milliseconds that are left of the time that it may take. */
  timeLeft: () => number;
  /** Notes what went wrong, and does not keep the hook from its work. */
  note: (problem: CtxError) => void;
  /** The reader of its transcript; null where ctx knows none, or nothing is to be read. */
  agent: Agent | null;
  /** Where its open session reads on that has read nothing yet, once those before it have read their own parts; null until then. */
  from?: Source | null | undefined;
  /** Where the part of a session ends that its user has ended; null where nobody can tell. Much code, which few hooks need. */
  endOf?: ((hook: Hook, chain: Chain, known: Source) => End | null) | undefined;
}

/** What stands for the conversations that this process has to do with: it asks for one again and again. */
const keys = new WeakMap<Conversation, string>();

function keyOf(conversation: Conversation): string {
  const key = keys.get(conversation) ?? conversationKey(conversation.agent, conversation.agent_session);
  keys.set(conversation, key);
  return key;
}

const fileOf = ({ layout }: Pick<Repository, 'layout'>, conversation: Conversation): string =>
  below(layout.cache, 'conversations', keyOf(conversation));

/** What is remembered of a conversation whose prompts have begun nothing, or nothing since its session ended. */
export const NONE = 'none';

const read = (path: string): string => readCached(path, 1024)?.toString('utf8').trim() ?? '';

/** What the cache says of a conversation: its session, or `NONE`. */
const remembered = (repository: Repository, conversation: Conversation): string =>
  read(fileOf(repository, conversation));

/** Whether a store remembers a conversation, or that it has begun nothing. */
export const isRemembered = (store: string, conversation: Conversation): boolean =>
  exists(fileOf({ layout: layoutOf(store) }, conversation));

/** Of a conversation: its session, the open one, else the one that has read furthest; `NONE` where its last prompt has begun nothing. */
interface Known {
  session: string;
  /** Where that session is open: its ref, and what that names. */
  open: { ref: string; head: string } | null;
}

const openHeadOf = (repository: Repository, session: string): Known['open'] => {
  const ref = sessionRef(session);
  const head = repository.refs.read(ref);
  return head === null ? null : { ref, head };
};

/** Null where nothing is known of a conversation. */
function lookUp(repository: Repository, conversation: Conversation): Known | null {
  const known = remembered(repository, conversation);
  const none = known === NONE ? { session: NONE, open: null } : null;
  const open = isSessionId(known) ? openHeadOf(repository, known) : null;
  if (open) return { session: known, open };
  // One that has ended may be gone on with in another, which no hook has told of.
  const found = findSource(repository, conversation.agent, conversation.agent_session);
  if (!found) return none;
  const { session_id: session } = found.chain.session;
  const again = openHeadOf(repository, session);
  if (none && !again) return none;
  remember(repository, conversation, session);
  return { session, open: again };
}

/** The last session of a conversation, or `NONE` where its last prompt has begun nothing; null where nothing is known of it. */
export const lastKnownOf = (repository: Repository, conversation: Conversation): string | null =>
  lookUp(repository, conversation)?.session ?? null;

/** Whether hooks have told of a conversation before, or its transcript was ingested. */
export const isKnown = (repository: Repository, conversation: Conversation): boolean =>
  lookUp(repository, conversation) !== null;

/** The last session of a conversation, where that has ended and nothing has been begun or said since; else null. */
export function endedSessionOf(repository: Repository, conversation: Conversation): string | null {
  const known = lookUp(repository, conversation);
  return known && known.session !== NONE && !known.open ? known.session : null;
}

/** The last session of a conversation, whatever was said since; null where it has none. */
export const lastSessionOf = (repository: Repository, { agent, agent_session }: Conversation): string | null =>
  findSource(repository, agent, agent_session)?.chain.session.session_id ?? null;

/** Remembers the session of a conversation, or that it has none; what the cache says can be found again without it. */
export function remember(repository: Repository, conversation: Conversation, session: string | null): void {
  const known = session ?? NONE;
  if (remembered(repository, conversation) !== known) write(repository, fileOf(repository, conversation), known);
}

/** A head at which a session was at work. A file of its own: who moves the session meanwhile may remember another one. */
const workFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.at-work`;

/** Remembers a head at which the session of a conversation is at work. */
export function rememberAtWork(repository: Repository, conversation: Conversation, head: string): void {
  const file = workFileOf(repository, conversation);
  if (read(file) !== head) writeHead(repository, file, head);
}

const untoldFileOf = (repository: Pick<Repository, 'layout'>, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.untold`;

/** Remembers that a tool has begun the session of a conversation, before a transcript could tell where that is at home. */
export const rememberUntold = (repository: Repository, conversation: Conversation): void =>
  write(repository, untoldFileOf(repository, conversation), NONE);

/** Whether a store has a session of a conversation that may be at home elsewhere. */
export const isAtHomeUntold = (store: string, conversation: Conversation): boolean =>
  exists(untoldFileOf({ layout: layoutOf(store) }, conversation));

/** Knows where a conversation is at home. @param isHere whether in this store: else it need not be remembered there */
export function settleHome(store: string, conversation: Conversation, isHere: boolean): void {
  const at = { layout: layoutOf(store) };
  removeFile(untoldFileOf(at, conversation));
  if (!isHere) removeFile(fileOf(at, conversation));
}

const promptFileOf = (repository: Repository, conversation: Conversation): string =>
  `${fileOf(repository, conversation)}.prompt`;

/** What is remembered of the last prompt of a conversation; empty where nothing is. */
export const lastPromptOf = (repository: Repository, conversation: Conversation): string =>
  read(promptFileOf(repository, conversation));

/** Remembers the last prompt of a conversation, in a text that is as long for each. */
export const rememberPrompt = (repository: Repository, conversation: Conversation, told: string): void =>
  writeHead(repository, promptFileOf(repository, conversation), told);

/** A head, all of which must be there to be that of a session: written over, a torn one says nothing. */
function writeHead(repository: Repository, path: string, head: string): void {
  if (!overwrite(path, Buffer.from(`${head}\n`))) write(repository, path, head);
}

function write(repository: Repository, path: string, word: string): void {
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, `${word}\n`, { fsync: false });
  } catch {
    // The next hook looks for it in the sessions.
  }
}

/** When a hook of a conversation last did something, in Unix seconds; null where none is remembered. */
export function lastEventOf(repository: Repository, conversation: Conversation): number | null {
  try {
    return Math.floor(statSync(fileOf(repository, conversation)).mtimeMs / 1000);
  } catch {
    // There is none, or nobody may look.
    return null;
  }
}

/** The open session of a conversation; null where there is none, or it has ended. */
export function openSessionOf(repository: Repository, conversation: Conversation): ActiveSession | null {
  const open = lookUp(repository, conversation)?.open;
  return open ? openSession(repository, open.ref, open.head) : null;
}

/**
 * The same at the cost of its head: its id and its state. Most events find it at work, where the last one has left it: what a
 * head says never changes, so that is remembered by the head and costs nothing more.
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
 * The store that a hook works on: the one of the folder that the agent works in. Where there is none and `make` says so, one
 * is made at the top of the Git work tree around it; anywhere else ctx was not asked for.
 */
export async function storeOf(cwd: string, make: boolean, options: OpenOptions): Promise<Repository | null> {
  const store = options.store ?? findStore(cwd);
  if (store !== null) return openRepository({ ...options, store, directory: cwd });
  const top = make ? workTree(cwd) : null;
  if (top === null) return null;
  const { initRepository } = await import('../init.ts');
  return initRepository({ ...options, directory: top, trust: 'if made' }).repository;
}

/** The top of the Git work tree that a folder lies in. */
function workTree(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(below(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}
