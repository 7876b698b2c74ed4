/** Which session belongs to an agent's conversation: remembered in the cache, else found by the sources of the sessions. */

import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { SessionState } from '../core/state.ts';
import { below } from '../platform/below.ts';
import { readIfThere, writeDurably } from '../platform/files.ts';
import { readChain } from '../store/chain.ts';
import { isSessionId, sessionRef } from '../store/layout.ts';
import { findStore, type OpenOptions, openRepository, type Repository } from '../store/repository.ts';
import { type ActiveSession, openSession } from './active.ts';
import { findSource } from './source.ts';
import { conversationKey } from './source-index.ts';

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
  /** The reader of its transcript; null where ctx knows none, or nothing is to be read. */
  agent: Agent | null;
}

const fileOf = (repository: Repository, { agent, agent_session }: Conversation): string =>
  below(repository.layout.cache, 'conversations', conversationKey(agent, agent_session));

/** What is remembered of a conversation whose prompts have begun nothing, or nothing since its session ended. */
const NONE = 'none';

/**
 * The session of a conversation: the open one, else the one that has read furthest; `NONE` where its last prompt has begun
 * nothing, null where nothing is known of it.
 */
function lookUp(repository: Repository, conversation: Conversation): string | null {
  const known = readIfThere(fileOf(repository, conversation), 1024)?.toString('utf8').trim() ?? '';
  if (isSessionId(known) && repository.refs.read(sessionRef(known)) !== null) return known;
  // One that has ended may be gone on with in another, which no hook has told of.
  const found = findSource(repository, conversation.agent, conversation.agent_session);
  if (!found) return known === NONE ? NONE : null;
  const { session_id } = found.chain.session;
  if (known === NONE && repository.refs.read(sessionRef(session_id)) === null) return NONE;
  remember(repository, conversation, session_id);
  return session_id;
}

/** Whether hooks have told of a conversation before, or its transcript was ingested. */
export const isKnown = (repository: Repository, conversation: Conversation): boolean =>
  lookUp(repository, conversation) !== null;

/** Whether the last prompt of a conversation has begun nothing, and there is no session that it belongs to. */
export const isUnbegun = (repository: Repository, conversation: Conversation): boolean =>
  lookUp(repository, conversation) === NONE;

/** Remembers the session of a conversation, or that it has none; what the cache says can be found again without it. */
export function remember(repository: Repository, conversation: Conversation, session: string | null): void {
  const path = fileOf(repository, conversation);
  const text = `${session ?? NONE}\n`;
  if (readIfThere(path, 1024)?.toString('utf8') === text) return;
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, text, { fsync: false });
  } catch {
    // The next hook looks for it in the sessions.
  }
}

/** The head of a conversation's open session; null where there is none, or it has ended. */
function openHeadOf(repository: Repository, conversation: Conversation): { ref: string; head: string } | null {
  const id = lookUp(repository, conversation);
  if (id === null || id === NONE) return null;
  const ref = sessionRef(id);
  const head = repository.refs.read(ref);
  return head === null ? null : { ref, head };
}

/** When a hook of a conversation last did something, in Unix seconds; null where none is remembered. */
export function lastEventOf(repository: Repository, conversation: Conversation): number | null {
  const stat = statSync(fileOf(repository, conversation), { throwIfNoEntry: false });
  return stat ? Math.floor(stat.mtimeMs / 1000) : null;
}

/** The open session of a conversation; null where there is none, or it has ended. */
export function openSessionOf(repository: Repository, conversation: Conversation): ActiveSession | null {
  const open = openHeadOf(repository, conversation);
  return open && openSession(repository, open.ref, open.head);
}

/** The same at the cost of its head: its id and its state. */
export function openStateOf(
  repository: Repository,
  conversation: Conversation,
): { session_id: string; state: SessionState } | null {
  const open = openHeadOf(repository, conversation);
  if (!open) return null;
  const { session_id, session_state } = readChain(repository.objects, open.head, open.ref).session;
  return { session_id, state: session_state };
}

/**
 * The store that a hook works on: the one of the folder that the agent works in. Where there is none and `make` says so, one
 * is made at the top of the Git work tree around it; anywhere else ctx was not asked for.
 */
export async function storeOf(cwd: string, make: boolean, options: OpenOptions): Promise<Repository | null> {
  if (options.store !== undefined) return openRepository({ ...options, directory: cwd });
  if (findStore(cwd) !== null) return openRepository({ ...options, directory: cwd });
  const top = make ? workTree(cwd) : null;
  if (top === null) return null;
  const { initRepository } = await import('./init.ts');
  return initRepository({ ...options, directory: top }).repository;
}

/** The top of the Git work tree that a folder lies in. */
function workTree(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(below(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}
