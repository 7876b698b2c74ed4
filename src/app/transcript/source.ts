/** Which session a transcript belongs to: found by the agent's own id of it, in open sessions first, then in the archive. */
import { CtxError } from '../../core/errors.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { ARCHIVE, SESSIONS } from '../../git/layout.ts';
import { type Chain, readChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { StoredSources } from './conversation-id.ts';
import { afterOther, linesRead } from './source-file.ts';
import { sessionsOf } from './source-index.ts';

/** A session that holds a part of a transcript already. */
export interface KnownSource {
  ref: string;
  head: string;
  chain: Chain;
  source: Source;
  /** Whether the session is open: an archived one is gone on with in a new session. */
  open: boolean;
  /** The archived session that reads its own part first, of one that has read nothing yet; null where there is none. */
  before: KnownSource | null;
}

/** How far one session has read in a transcript, without the session. */
export interface KnownReading extends Pick<KnownSource, 'head' | 'source' | 'open'> {
  session_id: string;
}

/** The session that has read furthest in a transcript, of several the last one; an open one before an archived one. */
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

/** What a session has of a transcript, and where it reads on. @param read what was asked for before */
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
  // Whoever says that it continues itself continues nothing.
  read.set(ref, null);
  const head = repository.refs.read(ref);
  if (head === null) return null;
  const chain = readChain(repository.objects, head, ref);
  const own = chain.session.sources.find((candidate) => keyOf(candidate) === key);
  if (!own) return null;
  const { continues } = chain.session;
  const before = own.behind && continues ? knownAt(repository, ARCHIVE, continues, key, read) : null;
  const source = before ? afterOther(before.source) : own;
  const found = { ref, head, chain, source, open: prefix === SESSIONS, before };
  read.set(ref, found);
  return found;
}

/** The sessions that have still to read in a transcript, each its own part: the first one first, and this one last. */
export function readersOf(known: KnownSource): KnownSource[] {
  const readers: KnownSource[] = [];
  for (let at: KnownSource | null = known; at; at = at.before) readers.unshift(at);
  return readers;
}

/** What the sessions of a store have of transcripts, looked up one by one. */
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

/** The session that started this one as a sub-agent, or of which it is a copy; null where there is none, or the store has it not. */
export function parentOf(repository: Repository, session: Session): string | null {
  const { parent_session_id: known, parent_agent_session_id: told, agent, session_id } = session;
  if (typeof known === 'string') return known;
  if (typeof told !== 'string' || agent === null) return null;
  try {
    // It may have come into the store later.
    const id = findSource(repository, agent, told)?.chain.session.session_id;
    return id === undefined || id === session_id ? null : id;
  } catch (error) {
    // Another session that is damaged hides no more than that.
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
}

const keyOf = ({ agent, agent_session_id }: Pick<Source, 'agent' | 'agent_session_id'>): string =>
  `${agent}\0${agent_session_id}`;

/** What every session has of transcripts, open sessions first. */
export function* everySource(repository: Repository): Generator<Told> {
  for (const prefix of [SESSIONS, ARCHIVE]) {
    for (const [ref, head] of repository.refs.list(prefix)) {
      const { session } = readChain(repository.objects, head, ref);
      for (const source of session.sources) yield { session, source, head, open: prefix === SESSIONS };
    }
  }
}

/** What a session has of a transcript. */
interface Told {
  session: Session;
  source: Source;
  head: string;
  open: boolean;
}

/** Tells where each session of a store reads on in a transcript, as `findSource` does. */
function placesOf(all: readonly Told[]): (told: Told) => Source {
  const saved = new Map(
    all.flatMap((told) => (told.open ? [] : [[`${told.session.session_id}\0${keyOf(told.source)}`, told]])),
  );
  return (told) => {
    const seen = new Set<Told>();
    let first = told;
    for (let at: Told | undefined = told; at && !seen.has(at); ) {
      first = at;
      seen.add(at);
      at = at.source.behind && saved.get(`${at.session.continues}\0${keyOf(at.source)}`);
    }
    return first === told ? told.source : afterOther(first.source);
  };
}

/** What the sessions of a store have of transcripts: of each the one that has read furthest, as `findSource` has it. */
export interface KnownReadings extends StoredSources {
  all: readonly KnownReading[];
  of: (agent: string, agentSession: string) => KnownReading | null;
}

export function knownReadings(repository: Repository): KnownReadings {
  const readings = new Map<string, KnownReading>();
  const sources = [...everySource(repository)];
  const placeOf = placesOf(sources);
  for (const told of sources) {
    const { session, head, open } = told;
    const source = placeOf(told);
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

/** What a transcript tells of its whole conversation once and not again. */
export const ONCE_TOLD = ['model', 'cwd', 'agent_version', 'git_branch'] as const;

/** What the next session of a conversation takes from the one before. */
export type GoingOn = Pick<Session, 'continues'> & Partial<Pick<Session, (typeof ONCE_TOLD)[number]>>;

export const goingOn = (before: Session): GoingOn => ({
  continues: before.session_id,
  ...textsAt(before, ONCE_TOLD),
});

/** What a session has at some keys, where it is text. */
export function textsAt<Key extends keyof Session>(session: Session, keys: readonly Key[]): { [key in Key]?: string } {
  const texts: { [key in Key]?: string } = {};
  for (const key of keys) {
    const value: unknown = session[key];
    if (typeof value === 'string') texts[key] = value;
  }
  return texts;
}
