/** Which sessions have anything of a conversation: an index in the cache, so that nobody reads every session that was ever kept. */
import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { readIfThere, writeDurably } from '../platform/files.ts';
import { sha1 } from '../platform/hash.ts';
import { readChain } from '../store/chain.ts';
import { ARCHIVE, isSessionId, SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';

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
 * @throws {CtxError} damaged
 */
export function sessionsOf(repository: Repository, agent: string, agentSession: string): string[] {
  const known = readIndex(repository);
  const missing = [SESSIONS, ARCHIVE].flatMap((prefix) =>
    repository.refs.names(prefix).filter((ref) => !known.has(ref.slice(prefix.length))),
  );
  for (const ref of missing) {
    const head = repository.refs.read(ref);
    // Saved between the two looks: it is found in the archive.
    if (head === null) continue;
    const { session_id, sources } = readChain(repository.objects, head, ref).session;
    known.set(session_id, sources.map((source) => conversationKey(source.agent, source.agent_session_id)).join(' '));
  }
  if (missing.length > 0) writeIndex(repository, known);
  const key = conversationKey(agent, agentSession);
  const found = [...known].filter(([, keys]) => keys.includes(key));
  return found.map(([id]) => id).sort();
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

function writeIndex(repository: Repository, known: ReadonlyMap<string, string>): void {
  const path = fileOf(repository);
  const lines = [...known].map(([id, keys]) => `${keys === '' ? id : `${id} ${keys}`} ${END}\n`);
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, lines.join(''), { fsync: false });
  } catch {
    // The next one who asks reads the sessions again.
  }
}
