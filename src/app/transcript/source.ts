/** Finds the session that a transcript belongs to, by the agent's own id: in open sessions first, then in the archive. */
import { CtxError } from '../../core/errors.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { type Chain, readChain } from '../../history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { StoredSources } from './conversation-id.ts';
import { linesRead, startAfter } from './source-file.ts';
import { sessionsOf } from './source-index.ts';

/** A session that has read a part of a transcript already. */
export interface KnownSource {
  ref: string;
  head: string;
  chain: Chain;
  source: Source;
  /** True if the session is open: an archived one is continued in a new session. */
  open: boolean;
  /** The archived session that must read its own part first, if this one has read nothing yet; else null. */
  before: KnownSource | null;
}

/** The position of one session in a transcript, without the session's chain. */
export interface KnownReading extends Pick<KnownSource, 'head' | 'source' | 'open'> {
  session_id: string;
}

/**
 * Returns the session that has read furthest in a transcript, of several the last one; an open one before an archived
 * one.
 */
export function findSource(repository: Repository, agent: string, agentSession: string): KnownSource | null {
  const key = keyOf({ agent, agent_session_id: agentSession });
  const ids = sessionsOf(repository, agent, agentSession);
  const read = new Map<string, KnownSource | null>();
  for (const prefix of [SESSIONS, ARCHIVE]) {
    let best: KnownSource | null = null;
    for (const id of ids) {
      const known = knownAt(repository, prefix, id, key, read);
      if (known && (!best || linesRead(known.source) >= linesRead(best.source))) best = known;
    }
    if (best) return best;
  }
  return null;
}

/** Returns what a session has of a transcript, and its position. @param read the results so far */
function knownAt(
  repository: Repository,
  prefix: string,
  id: string,
  key: string,
  read: Map<string, KnownSource | null>,
): KnownSource | null {
  const ref = prefix + id;
  const known = read.get(ref);
  if (known !== undefined) return known;
  // A session that continues itself would recurse forever.
  read.set(ref, null);
  const head = repository.refs.read(ref);
  if (head === null) return null;
  const chain = readChain(repository.objects, head, ref);
  const own = chain.session.sources.find((candidate) => keyOf(candidate) === key);
  if (!own) return null;
  const { continues } = chain.session;
  const before = own.behind && continues ? knownAt(repository, ARCHIVE, continues, key, read) : null;
  const source = before ? startAfter(before.source) : own;
  const found = { ref, head, chain, source, open: prefix === SESSIONS, before };
  read.set(ref, found);
  return found;
}

/** Returns the sessions that must still read in a transcript, each its own part: the first one first, this one last. */
export function readersOf(known: KnownSource): KnownSource[] {
  const readers: KnownSource[] = [];
  for (let at: KnownSource | null = known; at; at = at.before) readers.unshift(at);
  return readers;
}

/** Looks up what the sessions of a store have of transcripts, one by one. */
export const storedSources = (repository: Repository): StoredSources => ({
  of: (agent, agentSession) => findSource(repository, agent, agentSession),
  begunWith: (agent, firstLine) => {
    const ids = sessionsOf(repository, agent, firstLine);
    return ids.flatMap((id) => sourcesIn(repository, id)).filter(isBegunWith(agent, firstLine));
  },
});

function sourcesIn(repository: Repository, id: string): Source[] {
  for (const ref of [SESSIONS + id, ARCHIVE + id]) {
    const head = repository.refs.read(ref);
    if (head !== null) return readChain(repository.objects, head, ref).session.sources;
  }
  return [];
}

const isBegunWith =
  (agent: string, firstLine: string) =>
  (source: Source): boolean =>
    source.agent === agent && source.first_line === firstLine;

/**
 * Returns the session that started this one as a sub-agent, or that it is a copy of; null if there is none, or if it is
 * not in the store.
 */
export function parentOf(repository: Repository, session: Session): string | null {
  const { parent_session_id: known, parent_agent_session_id: parent, agent, session_id } = session;
  if (typeof known === 'string') return known;
  if (typeof parent !== 'string' || agent === null) return null;
  try {
    // The parent may have been stored later.
    const id = findSource(repository, agent, parent)?.chain.session.session_id;
    return id === undefined || id === session_id ? null : id;
  } catch (error) {
    // Damage in another session hides only the parent.
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
}

const keyOf = ({ agent, agent_session_id }: Pick<Source, 'agent' | 'agent_session_id'>): string =>
  `${agent}\0${agent_session_id}`;

/** Yields what every session has of transcripts, open sessions first. */
export function* everySource(repository: Repository): Generator<SessionSource> {
  for (const prefix of [SESSIONS, ARCHIVE]) {
    for (const [ref, head] of repository.refs.list(prefix)) {
      const { session } = readChain(repository.objects, head, ref);
      for (const source of session.sources) yield { session, source, head, open: prefix === SESSIONS };
    }
  }
}

/** The part of a transcript that a session has. */
interface SessionSource {
  session: Session;
  source: Source;
  head: string;
  open: boolean;
}

/** Returns a function that finds the position of each session in a transcript, as `findSource` does. */
function positionsOf(all: readonly SessionSource[]): (each: SessionSource) => Source {
  const saved = new Map(
    all.flatMap((each) => (each.open ? [] : [[`${each.session.session_id}\0${keyOf(each.source)}`, each]])),
  );
  return (each) => {
    const seen = new Set<SessionSource>();
    let first = each;
    for (let at: SessionSource | undefined = each; at && !seen.has(at); ) {
      first = at;
      seen.add(at);
      at = at.source.behind && saved.get(`${at.session.continues}\0${keyOf(at.source)}`);
    }
    return first === each ? each.source : startAfter(first.source);
  };
}

/** The parts of transcripts that the sessions of a store have: of each the one that has read furthest, as in `findSource`. */
export interface KnownReadings extends StoredSources {
  all: readonly KnownReading[];
  of: (agent: string, agentSession: string) => KnownReading | null;
}

export function knownReadings(repository: Repository): KnownReadings {
  const readings = new Map<string, KnownReading>();
  const sources = [...everySource(repository)];
  const placeOf = positionsOf(sources);
  for (const each of sources) {
    const { session, head, open } = each;
    const source = placeOf(each);
    const key = keyOf(source);
    const before = readings.get(key);
    if (before && (before.open !== open || linesRead(before.source) > linesRead(source))) continue;
    readings.set(key, { session_id: session.session_id, head, source, open });
  }
  const of = (agent: string, agent_session_id: string): KnownReading | null =>
    readings.get(keyOf({ agent, agent_session_id })) ?? null;
  const all = [...readings.values()];
  const begunWith = (agent: string, firstLine: string): Source[] =>
    all.map(({ source }) => source).filter(isBegunWith(agent, firstLine));
  return { all, of, begunWith };
}

/** Fields that a transcript states once for its whole conversation. */
export const STATED_ONCE = ['model', 'cwd', 'agent_version', 'git_branch'] as const;

/** Fields that the next session of a conversation takes over from its predecessor. */
export type Continuation = Pick<Session, 'continues'> & Partial<Pick<Session, (typeof STATED_ONCE)[number]>>;

export const continuationOf = (before: Session): Continuation => ({
  continues: before.session_id,
  ...textsAt(before, STATED_ONCE),
});

/** Returns the values of a session at some keys, as far as they are text. */
export function textsAt<Key extends keyof Session>(session: Session, keys: readonly Key[]): { [key in Key]?: string } {
  const texts: { [key in Key]?: string } = {};
  for (const key of keys) {
    const value: unknown = session[key];
    if (typeof value === 'string') texts[key] = value;
  }
  return texts;
}
