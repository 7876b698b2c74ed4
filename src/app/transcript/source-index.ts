/** Which sessions have anything of a conversation: an index in the cache, so that nobody reads every session that was ever kept. */

// It has two files, each a line for each session with what stands for its conversations. `sources` has the sessions that have begun of
// late, and is read whole; `conversations.index` has all those whose refs were packed when it was written, in order, and is searched
// by halves (see sorted-index.ts). So who asks looks at the refs that are not packed, and at no more: those are few.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { ARCHIVE, archiveRef, isSessionId, SESSIONS, sessionRef } from '../../git/layout.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readChain } from '../../history/chain/chain.ts';
import { lostRef, lostSessionRefs } from '../../history/pointers/lost-session.ts';
import { idOf } from '../../history/pointers/session-location.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { readIfThere, writeAll, writeDurably } from '../../platform/files.ts';
import { sha1 } from '../../platform/hash.ts';
import { everySorted, foundSorted, sortedStamp, writeSorted } from './sorted-index.ts';

/** Largest index that is read, in bytes. */
const LIMIT = 256 * 1024 * 1024;

/** What stands for a conversation in the names and lines of the cache. */
export const conversationKey = (agent: string, agentSession: string): string =>
  sha1(Buffer.from(`${agent}\0${agentSession}`));

/** A file of the cache; undefined also where it cannot be read: whatever it says can be found again without it. @throws {CtxError} damaged */
export function readCached(path: string, limit: number): Buffer | undefined {
  try {
    return readIfThere(path, limit);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'io') return undefined;
    throw error;
  }
}

const fileOf = (repository: Repository): string => below(repository.layout.cache, 'sources');

/** The conversations of sessions by their ids. */
type Known = Map<string, string>;

/**
 * Ids of the sessions, open or archived, that may have something of a conversation, the oldest first. The conversations of a session are
 * those that it began with: what the index says of one stays true but for what was forgotten. A session that is not in it
 * is read and put into it, so that it is right again whatever became of it.
 * @param agentSession its id, or what stands for the first line of its file (`Source.first_line`)
 * @throws {CtxError} damaged
 */
export function sessionsOf(repository: Repository, agent: string, agentSession: string): string[] {
  const key = conversationKey(agent, agentSession);
  return ofLate(repository, key) ?? ofAll(repository, key);
}

/** The same by the index as it stands; null where that may not be all, or not be right any more. @throws {CtxError} damaged */
function ofLate(repository: Repository, key: string): string[] | null {
  const { refs } = repository;
  if (sortedStamp(repository) !== refs.packedStamp()) return null;
  const recent = readIndex(repository);
  const loose = [SESSIONS, ARCHIVE].flatMap((prefix) => refs.looseNames(prefix).map(idOf));
  if (!loose.every((id) => recent.has(id))) return null;
  const found = new Set(foundSorted(repository, key));
  for (const [id, keys] of recent) if (keys.includes(key)) found.add(id);
  const ids = [...found].sort();
  return ids.every((id) => refs.read(sessionRef(id)) !== null || refs.read(archiveRef(id)) !== null) ? ids : null;
}

/** The same by every ref that there is; what the index lacks is put into it. @throws {CtxError} damaged */
function ofAll(repository: Repository, key: string): string[] {
  // Asked before the refs are: what is packed since is looked for once more.
  const stamp = repository.refs.packedStamp();
  const known: Known = new Map([...everySorted(repository), ...readIndex(repository)]);
  const refs = [SESSIONS, ARCHIVE].flatMap((prefix) => repository.refs.names(prefix));
  const there = new Set(refs.map(idOf));
  const missing = refs.filter((ref) => !known.has(idOf(ref)));
  // Nothing tells what it had of one whose ref is gone.
  if (known.size === 0) for (const [ref, head] of wholeLost(repository)) learn(repository, known, ref, head);
  for (const ref of missing) {
    const head = repository.refs.read(ref);
    // Saved between the two looks: it is found in the archive.
    if (head !== null) learn(repository, known, ref, head);
  }
  const found = [...known].filter(([, keys]) => keys.includes(key)).map(([id]) => id);
  const isGone = found.some((id) => !there.has(id));
  if (isGone) checkGone(repository, known, there, found);
  writeIndex(repository, known, stamp);
  return found.sort();
}

function learn(repository: Repository, known: Known, ref: string, head: string): void {
  const { session } = readChain(repository.objects, head, ref);
  known.set(session.session_id, keysOf(session));
}

/** Sessions' refs that are lost, and can be given back what they named. */
function wholeLost(repository: Repository): [ref: string, head: string][] {
  const isWhole = (ref: string, head: string): boolean => !isDamaged(() => readChain(repository.objects, head, ref));
  return [...lostSessionRefs(repository)].filter(([ref, head]) => isWhole(ref, head));
}

/**
 * Whoever took a conversation for unknown whose session is only lost would take all of it in again. What was undone or forgotten
 * goes from the index: where it comes back it is read anew.
 * @param there ids of the sessions that are open or archived
 * @param wanted those of the conversation that is looked for
 * @throws {CtxError} damaged
 */
function checkGone(repository: Repository, known: Known, there: ReadonlySet<string>, wanted: readonly string[]): void {
  const lost = new Set<string>();
  for (const [ref, head] of wholeLost(repository)) {
    if (wanted.includes(idOf(ref))) throw lostRef(ref, head);
    lost.add(idOf(ref));
  }
  for (const id of known.keys()) if (!there.has(id) && !lost.has(id)) known.delete(id);
}

/** The conversations of each session that has begun of late, as the index spells them. */
function readIndex(repository: Repository): Known {
  const known: Known = new Map();
  for (const line of readCached(fileOf(repository), LIMIT)?.toString('latin1').split('\n') ?? []) {
    const [id = '', ...keys] = line.split(' ');
    // A line that was cut off counts for nothing.
    if (isSessionId(id) && keys.at(-1) === END) known.set(id, keys.slice(0, -1).join(' '));
  }
  return known;
}

/** The last word of a line. */
const END = '.';

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);

/**
 * Adds a session that has just begun: should its ref be lost before anybody looks for its conversation, only the index tells of
 * it. Where there is no index yet the next one who asks makes it.
 */
export function noteSession(repository: Repository, session: Pick<Session, 'session_id' | 'sources'>): void {
  try {
    const handle = openSync(fileOf(repository), APPEND);
    try {
      // What a killed process has left of a line must not become a part of this one.
      if (fstatSync(handle).isFile()) writeAll(handle, Buffer.from(`\n${lineOf(session.session_id, keysOf(session))}`));
    } finally {
      closeSync(handle);
    }
  } catch {
    // It is found all the same, as long as its ref is there.
  }
}

const keysOf = ({ sources }: Pick<Session, 'sources'>): string =>
  sources.flatMap((source) => idsOf(source).map((id) => conversationKey(source.agent, id))).join(' ');

/** What a conversation is looked for by. */
const idsOf = ({ agent_session_id, first_line }: Source): string[] =>
  first_line === undefined ? [agent_session_id] : [agent_session_id, first_line];

const lineOf = (id: string, keys: string): string => `${keys === '' ? id : `${id} ${keys}`} ${END}\n`;

/** Writes both files: those whose refs are not packed stand in the one that is added to. */
function writeIndex(repository: Repository, known: Known, stamp: string): void {
  const path = fileOf(repository);
  const loose = new Set([SESSIONS, ARCHIVE].flatMap((prefix) => repository.refs.looseNames(prefix).map(idOf)));
  const lines = [...known].filter(([id]) => loose.has(id)).map(([id, keys]) => lineOf(id, keys));
  try {
    // What is in neither for a moment is looked for among all refs, and read once more.
    writeSorted(repository, known, stamp);
    writeDurably(path, `${path}.${repository.ids()}.tmp`, lines.join(''), { fsync: false });
  } catch {
    // The next one who asks reads the sessions again.
  }
}
