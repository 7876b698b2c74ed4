/** Indexes in the cache which sessions have a part of a conversation, so that not every session must be read. */

// The index has two files, each with a line for each session and the keys of its conversations. `sources` has the
// sessions that began recently, and is read whole; `conversations.index` has all sessions whose refs were packed when
// it was written, sorted for binary search (see sorted-index.ts). So a lookup reads only the refs that are not packed,
// which are few.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readChain } from '../../history/chain/chain.ts';
import { ARCHIVE, archiveRef, isSessionId, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { lostRef, lostSessionRefs } from '../../history/pointers/lost-session.ts';
import { idOf } from '../../history/pointers/session-location.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { readIfThere, writeAll, writeDurably } from '../../platform/files.ts';
import { sha1 } from '../../platform/hash.ts';
import { findSorted, readSorted, sortedStamp, writeSorted } from './sorted-index.ts';

/** Largest index that is read, in bytes. */
const LIMIT = 256 * 1024 * 1024;

/** Returns the key of a conversation in the names and lines of the cache. */
export const conversationKey = (agent: string, agentSession: string): string =>
  sha1(Buffer.from(`${agent}\0${agentSession}`));

/**
 * Reads a file of the cache; undefined also if it cannot be read, since its content can be recomputed.
 * @throws {CtxError} damaged
 */
export function readCached(path: string, limit: number): Buffer | undefined {
  try {
    return readIfThere(path, limit);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'io') return undefined;
    throw error;
  }
}

const fileOf = (repository: Repository): string => below(repository.layout.cache, 'sources');

/** The conversations of sessions, by session id. */
type Known = Map<string, string>;

/**
 * Returns the ids of the sessions, open or archived, that may have a part of a conversation, the oldest first. The
 * conversations of a session are known from its beginning, so that an entry stays valid until something is forgotten. A
 * session that is not in the index is read and added, so that the index repairs itself.
 * @param agentSession its id, or the key of its file's first line (`Source.first_line`)
 * @throws {CtxError} damaged
 */
export function sessionsOf(repository: Repository, agent: string, agentSession: string): string[] {
  const key = conversationKey(agent, agentSession);
  return lookUpInIndex(repository, key) ?? lookUpInRefs(repository, key);
}

/**
 * Looks a conversation up in the index alone; null if the index may be incomplete or outdated.
 * @throws {CtxError} damaged
 */
function lookUpInIndex(repository: Repository, key: string): string[] | null {
  const { refs } = repository;
  if (sortedStamp(repository) !== refs.packedStamp()) return null;
  const recent = readIndex(repository);
  const loose = [SESSIONS, ARCHIVE].flatMap((prefix) => refs.looseNames(prefix).map(idOf));
  if (!loose.every((id) => recent.has(id))) return null;
  const found = new Set(findSorted(repository, key));
  for (const [id, keys] of recent) if (keys.includes(key)) found.add(id);
  const ids = [...found].sort();
  return ids.every((id) => refs.read(sessionRef(id)) !== null || refs.read(archiveRef(id)) !== null) ? ids : null;
}

/** Looks a conversation up by all refs, and completes the index. @throws {CtxError} damaged */
function lookUpInRefs(repository: Repository, key: string): string[] {
  // Read before the refs: refs that are packed since are checked again.
  const stamp = repository.refs.packedStamp();
  const known: Known = new Map([...readSorted(repository), ...readIndex(repository)]);
  const refs = [SESSIONS, ARCHIVE].flatMap((prefix) => repository.refs.names(prefix));
  const there = new Set(refs.map(idOf));
  const missing = refs.filter((ref) => !known.has(idOf(ref)));
  // Without any index, only lost refs show which conversations their sessions had.
  if (known.size === 0) for (const [ref, head] of intactLostRefs(repository)) addSession(repository, known, ref, head);
  for (const ref of missing) {
    const head = repository.refs.read(ref);
    // It was saved between the two reads, and is found in the archive.
    if (head !== null) addSession(repository, known, ref, head);
  }
  const found = [...known].filter(([, keys]) => keys.includes(key)).map(([id]) => id);
  const isGone = found.some((id) => !there.has(id));
  if (isGone) checkLost(repository, known, there, found);
  writeIndex(repository, known, stamp);
  return found.sort();
}

function addSession(repository: Repository, known: Known, ref: string, head: string): void {
  const { session } = readChain(repository.objects, head, ref);
  known.set(session.session_id, keysOf(session));
}

/** Returns the lost refs of sessions whose chains are intact. */
function intactLostRefs(repository: Repository): [ref: string, head: string][] {
  const isWhole = (ref: string, head: string): boolean => !isDamaged(() => readChain(repository.objects, head, ref));
  return [...lostSessionRefs(repository)].filter(([ref, head]) => isWhole(ref, head));
}

/**
 * Throws if the session of a conversation is only lost: its transcript would be ingested again. Removes undone and
 * forgotten sessions from the index: if one comes back, it is read again.
 * @param there ids of the sessions that are open or archived
 * @param wanted ids of the sessions of the conversation
 * @throws {CtxError} damaged
 */
function checkLost(repository: Repository, known: Known, there: ReadonlySet<string>, wanted: readonly string[]): void {
  const lost = new Set<string>();
  for (const [ref, head] of intactLostRefs(repository)) {
    if (wanted.includes(idOf(ref))) throw lostRef(ref, head);
    lost.add(idOf(ref));
  }
  for (const id of known.keys()) if (!there.has(id) && !lost.has(id)) known.delete(id);
}

/** Reads the conversations of each session that began recently, in the format of the index. */
function readIndex(repository: Repository): Known {
  const known: Known = new Map();
  for (const line of readCached(fileOf(repository), LIMIT)?.toString('latin1').split('\n') ?? []) {
    const [id = '', ...keys] = line.split(' ');
    // A truncated line is ignored.
    if (isSessionId(id) && keys.at(-1) === END) known.set(id, keys.slice(0, -1).join(' '));
  }
  return known;
}

/** The last word of a line. */
const END = '.';

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);

/**
 * Adds a session that has just begun: if its ref is lost before the next lookup, only the index knows its conversation.
 * Without an index, the next lookup creates it.
 */
export function indexSession(repository: Repository, session: Pick<Session, 'session_id' | 'sources'>): void {
  try {
    const handle = openSync(fileOf(repository), APPEND);
    try {
      // The line feed ends a line that a killed process left incomplete.
      if (fstatSync(handle).isFile()) writeAll(handle, Buffer.from(`\n${lineOf(session.session_id, keysOf(session))}`));
    } finally {
      closeSync(handle);
    }
  } catch {
    // The session is found all the same, as long as its ref exists.
  }
}

const keysOf = ({ sources }: Pick<Session, 'sources'>): string =>
  sources.flatMap((source) => idsOf(source).map((id) => conversationKey(source.agent, id))).join(' ');

/** Returns the ids that a conversation is looked up by. */
const idsOf = ({ agent_session_id, first_line }: Source): string[] =>
  first_line === undefined ? [agent_session_id] : [agent_session_id, first_line];

const lineOf = (id: string, keys: string): string => `${keys === '' ? id : `${id} ${keys}`} ${END}\n`;

/** Writes both files: sessions whose refs are not packed go into the one that is appended to. */
function writeIndex(repository: Repository, known: Known, stamp: string): void {
  const path = fileOf(repository);
  const loose = new Set([SESSIONS, ARCHIVE].flatMap((prefix) => repository.refs.looseNames(prefix).map(idOf)));
  const lines = [...known].filter(([id]) => loose.has(id)).map(([id, keys]) => lineOf(id, keys));
  try {
    // A source that is in neither file for a moment is found among the refs, and read again.
    writeSorted(repository, known, stamp);
    writeDurably(path, `${path}.${repository.ids()}.tmp`, lines.join(''), { fsync: false });
  } catch {
    // The next lookup reads the sessions again.
  }
}
