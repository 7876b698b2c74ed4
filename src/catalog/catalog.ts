/** Opens the catalog: takes in what is new in the store, and gives its segments. Whatever happens to its files costs time alone. */
import { CtxError } from '../core/errors.ts';
import type { Repository } from '../history/store/repository.ts';
import { exists } from '../platform/files.ts';
import { CatalogDamage } from './bytes/sections.ts';
import { Feeder, type FeedOptions } from './feed/feeder.ts';
import type { CommitEntry, SessionEntry } from './segment/rows.ts';
import { Segment } from './segment/segment.ts';
import { keepDerived, openDerived } from './store/derived.ts';
import { catalogSize, readManifest, removeOthers, segmentInFiles } from './store/files.ts';
import { isWriteFailure, lockCatalog, lockIfPossible } from './store/lock.ts';
import { emptyManifest, encodeManifest, type Manifest } from './store/manifest.ts';
import { type Heads, type Needs, readHeads, stampOfHeads } from './store/pointers.ts';
import { listOf, readList, type SessionList, writeList } from './views/session-list.ts';

export type { Needs };

/** A session of the store, as the catalog has it. */
export interface CatalogSession {
  row: SessionEntry;
  isOpen: boolean;
}

export interface Catalog {
  /** Oldest first. */
  segments: readonly Segment[];
  /** The sessions that can be found; none if they were not asked for. */
  list: SessionList;
  /** The same by id. */
  sessions: ReadonlyMap<string, CatalogSession>;
  /** The commits of the main line, each behind its parents; null if they could not be taken in, as of a damaged line. */
  commits: readonly CommitEntry[] | null;
  /** The text of the manifest; null if a part of it is in memory alone. */
  state: string | null;
  /** Names what was taken in, and the pointers that it was taken in for; null without commits and sessions, or in memory alone. */
  whole: string | null;
  /** Checks if what a segment has of a session counts. */
  counts: (session: string, segment: number) => boolean;
}

export interface CatalogOptions extends FeedOptions {
  /** True if the catalog is made from nothing. */
  fromNothing?: boolean | undefined;
}

/** Longest wait for another process that feeds the catalog, in milliseconds; then its work is done once more, in memory. */
const LOCK_WAIT = 2_000;

/**
 * Answers a question by the catalog.
 * @param question is asked again if the catalog turns out to be damaged, and then gets one that was rebuilt
 */
export function askCatalog<T>(
  repository: Repository,
  needs: Needs,
  question: (catalog: Catalog) => T,
  options: CatalogOptions = {},
): T {
  let fromNothing = options.fromNothing ?? false;
  for (let tries = 0; ; tries += 1) {
    let asked: Manifest | null = null;
    const open: { close: () => void }[] = [];
    try {
      const found = fromNothing ? { missing: true as const } : readManifest(repository);
      if ('damaged' in found) throw new CatalogDamage(found.damaged);
      asked = 'manifest' in found ? found.manifest : null;
      return question(openCatalog(repository, needs, asked ?? emptyManifest(), open, options, fromNothing, tries > 2));
    } catch (error) {
      if (!(error instanceof CatalogDamage || error instanceof RangeError) || tries > 3) throw error;
      // Another process may have merged the segments that were asked.
      if (hasChanged(repository, asked)) continue;
      options.warn?.(`The catalog of searches was damaged and is rebuilt (${error.message}).`);
      fromNothing = true;
    } finally {
      for (const one of open) one.close();
    }
  }
}

function hasChanged(repository: Repository, asked: Manifest | null): boolean {
  const now = readManifest(repository);
  return asked !== null && 'manifest' in now && JSON.stringify(now.manifest) !== JSON.stringify(asked);
}

function openCatalog(
  repository: Repository,
  needs: Needs,
  manifest: Manifest,
  open: { close: () => void }[],
  options: CatalogOptions,
  fromNothing: boolean,
  inMemory: boolean,
): Catalog {
  const isWhole = needs.sessions === true && needs.commits === true;
  const stamp = isWhole ? stampOfHeads(repository) : null;
  if (stamp !== null && !fromNothing) {
    const kept = keptCatalog(repository, manifest, stamp, open);
    if (kept) return kept;
  }
  const heads = readHeads(repository, needs);
  const feeder = new Feeder(repository, manifest, heads, needs, options);
  open.push(...feeder.segments);
  const madeOf = (used: Feeder): Catalog => catalogOf(repository, used, heads, needs, stamp);
  if (!fromNothing && feeder.isFresh()) return kept(repository, madeOf(feeder));
  const release = inMemory ? null : lockIfPossible(repository, LOCK_WAIT);
  try {
    if (release !== null) return madeOf(fed(repository, needs, heads, open, options, fromNothing));
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  } finally {
    release?.();
  }
  // Nothing is written: what is new is read into memory.
  const whole = new Feeder(repository, fromNothing ? emptyManifest() : manifest, heads, needs, options);
  whole.feedInMemory();
  open.push(...whole.segments);
  return madeOf(whole);
}

const SESSIONS = 'sessions';

/** Returns the catalog by its list of sessions, if the pointers are as they were when that was made. */
function keptCatalog(
  repository: Repository,
  manifest: Manifest,
  stamp: string,
  open: { close: () => void }[],
): Catalog | null {
  const state = encodeManifest(manifest);
  const sections = openDerived(repository, SESSIONS, state + stamp);
  if (!sections) return null;
  open.push(sections);
  const segments = manifest.segments.map((listing) => new Segment(segmentInFiles(repository, listing)));
  open.push(...segments);
  const since = manifest.commits_since;
  const commits = (): CommitEntry[] =>
    segments.filter(({ number }) => number >= since).flatMap((segment) => segment.rows('commits') as CommitEntry[]);
  return withSessions({ segments, list: readList(sections), commits, state, whole: state + stamp });
}

/** Keeps the list of the sessions of a fresh catalog. */
function kept(repository: Repository, catalog: Catalog): Catalog {
  const { state, whole, list, commits } = catalog;
  if (state === null || whole === null || commits === null) return catalog;
  const now = (): string => state + stampOfHeads(repository);
  keepDerived(repository, SESSIONS, { manifest: state, state: whole, now }, (writer) => writeList(writer, list));
  return catalog;
}

/** Returns a catalog whose sessions by id, and commits, are read when they are asked for. */
function withSessions(
  parts: Omit<Catalog, 'sessions' | 'counts' | 'commits'> & { commits: () => Catalog['commits'] },
): Catalog {
  const { list, commits, ...others } = parts;
  let sessions: Map<string, CatalogSession> | undefined;
  let known: { commits: Catalog['commits'] } | undefined;
  const catalog: Catalog = {
    ...others,
    list,
    get sessions() {
      sessions ??= new Map(
        Array.from({ length: list.length }, (_, place) => {
          const row = list.row(place);
          return [row.id, { row, isOpen: list.about(place).isOpen }];
        }),
      );
      return sessions;
    },
    get commits() {
      known ??= { commits: commits() };
      return known.commits;
    },
    counts(session, segment) {
      const row = catalog.sessions.get(session)?.row;
      return row !== undefined && segment >= row.since;
    },
  };
  return catalog;
}

/** Feeds the files. Only under the lock of the catalog. */
function fed(
  repository: Repository,
  needs: Needs,
  heads: Heads,
  open: { close: () => void }[],
  options: CatalogOptions,
  fromNothing: boolean,
): Feeder {
  // Another process may have fed it meanwhile.
  const found = fromNothing ? { missing: true } : readManifest(repository);
  if ('damaged' in found) throw new CatalogDamage(String(found.damaged));
  const manifest = 'manifest' in found ? found.manifest : emptyManifest();
  removeOthers(repository, fromNothing ? null : manifest);
  const feeder = new Feeder(repository, manifest, heads, needs, options);
  open.push(...feeder.segments);
  feeder.feed();
  open.push(...feeder.segments.filter((segment) => !open.includes(segment)));
  return feeder;
}

function catalogOf(repository: Repository, feeder: Feeder, heads: Heads, needs: Needs, stamp: string | null): Catalog {
  const found: CatalogSession[] = [];
  for (const [id, { isOpen }] of heads.sessions) {
    const row = feeder.rows.get(id);
    if (row) found.push({ row, isOpen });
  }
  // The reader of the main line itself reports that its pointer cannot be read.
  const commits = needs.commits && heads.main !== null ? feeder.commits() : null;
  const { segments, state } = feeder;
  return withSessions({
    segments,
    list: listOf(repository, needs.sessions ? segments : [], found, commits),
    commits: () => commits,
    state,
    whole: state !== null && stamp !== null && commits !== null ? state + stamp : null,
  });
}

/** Size of the catalog. */
export interface CatalogSize {
  sessions: number;
  messages: number;
  passages: number;
  commits: number;
  segments: number;
  bytes: number;
}

/** Makes the catalog from nothing. @throws {CtxError} busy, io */
export function reindex(repository: Repository, options: FeedOptions = {}): CatalogSize {
  const needs: Needs = { sessions: true, commits: true };
  const heads = readHeads(repository, needs);
  const release = lockCatalog(repository);
  let feeder: Feeder | undefined;
  try {
    if (exists(repository.layout.forgettingPlan))
      throw new CtxError('busy', 'A forgetting was cut off: nothing is made of what it removes.', {
        hint: 'Finish it with: ctx recover; then run the command again.',
      });
    removeOthers(repository, null);
    feeder = new Feeder(repository, emptyManifest(), heads, needs, options);
    feeder.feed();
    return sizeOf(repository, feeder);
  } finally {
    for (const segment of feeder?.segments ?? []) segment.close();
    release();
  }
}

function sizeOf(repository: Repository, feeder: Feeder): CatalogSize {
  const sum = (count: (segment: Segment) => number): number =>
    feeder.segments.reduce((total, segment) => total + count(segment), 0);
  return {
    sessions: feeder.rows.size,
    messages: sum(({ messageCount }) => messageCount),
    passages: sum(({ passageCount }) => passageCount),
    commits: feeder.commits()?.length ?? 0,
    segments: feeder.segments.length,
    bytes: catalogSize(repository),
  };
}

/** The catalog as it lies there. */
export interface CatalogState {
  /** Null if there is none. */
  size: CatalogSize | null;
  /** When it was last written, in Unix seconds. */
  at: number;
  /** Number of sessions that have moved since. */
  behind: number;
  /** Description of the damage; null if there is none. */
  damage: string | null;
}

/** Examines the catalog, all of it, and writes nothing. */
export function examineCatalog(repository: Repository): CatalogState {
  const needs: Needs = { sessions: true };
  const found = readManifest(repository);
  if ('missing' in found) return { size: null, at: 0, behind: 0, damage: null };
  if ('damaged' in found) return { size: null, at: 0, behind: 0, damage: found.damaged };
  const segments: Segment[] = [];
  try {
    const feeder = new Feeder(repository, found.manifest, readHeads(repository, needs), needs, {});
    segments.push(...feeder.segments);
    for (const segment of segments) segment.check();
    return { size: sizeOf(repository, feeder), at: found.manifest.at, behind: feeder.behind, damage: null };
  } catch (error) {
    if (!(error instanceof CatalogDamage || error instanceof RangeError)) throw error;
    return { size: null, at: found.manifest.at, behind: 0, damage: error.message };
  } finally {
    for (const segment of segments) segment.close();
  }
}
