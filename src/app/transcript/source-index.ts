/** Which sessions have anything of a conversation: an index in the cache, so that nobody reads every session that was ever kept. */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Session, Source } from '../../core/session.ts';
import { below } from '../../platform/below.ts';
import { readIfThere, writeAll, writeDurably } from '../../platform/files.ts';
import { sha1 } from '../../platform/hash.ts';
import { readChain } from '../../store/chain/chain.ts';
import { lostRef, lostSessionRefs } from '../../store/chain/lost-session.ts';
import { idOf } from '../../store/chain/whereabouts.ts';
import { ARCHIVE, isSessionId, SESSIONS } from '../../store/layout.ts';
import { isDamaged } from '../../store/repair/set-aside.ts';
import type { Repository } from '../../store/repository.ts';

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

/**
 * Ids of the sessions, open or archived, that may have something of a conversation, the oldest first. The conversations of a session are
 * those that it began with: what the index says of one stays true but for what was forgotten. A session that is not in it
 * is read and put into it, so that it is right again whatever became of it.
 * @param agentSession its id, or what stands for the first line of its file (`Source.first_line`)
 * @throws {CtxError} damaged
 */
export function sessionsOf(repository: Repository, agent: string, agentSession: string): string[] {
  const known = readIndex(repository);
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
  const key = conversationKey(agent, agentSession);
  const found = [...known].filter(([, keys]) => keys.includes(key)).map(([id]) => id);
  const isGone = found.some((id) => !there.has(id));
  if (isGone) checkGone(repository, known, there, found);
  if (missing.length > 0 || isGone) writeIndex(repository, known);
  return found.sort();
}

function learn(repository: Repository, known: Map<string, string>, ref: string, head: string): void {
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
function checkGone(
  repository: Repository,
  known: Map<string, string>,
  there: ReadonlySet<string>,
  wanted: readonly string[],
): void {
  const lost = new Set<string>();
  for (const [ref, head] of wholeLost(repository)) {
    if (wanted.includes(idOf(ref))) throw lostRef(ref, head);
    lost.add(idOf(ref));
  }
  for (const id of known.keys()) if (!there.has(id) && !lost.has(id)) known.delete(id);
}

/** The conversations of each session that the index knows, as it spells them. */
function readIndex(repository: Repository): Map<string, string> {
  const known = new Map<string, string>();
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
  if (session.sources.length === 0) return;
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

function writeIndex(repository: Repository, known: ReadonlyMap<string, string>): void {
  const path = fileOf(repository);
  const lines = [...known].map(([id, keys]) => lineOf(id, keys));
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, lines.join(''), { fsync: false });
  } catch {
    // The next one who asks reads the sessions again.
  }
}
