/** Opens the catalog: takes in what is new in the store, and gives its segments. Whatever happens to its files costs time alone. */
import { CtxError } from '../core/errors.ts';
import { MAIN } from '../git/layout.ts';
import { ARCHIVE, SESSIONS } from '../history/names/layout.ts';
import type { Repository } from '../history/store/repository.ts';
import { exists } from '../platform/files.ts';
import { CatalogDamage } from './bytes/sections.ts';
import { Feeder, type FeedOptions, type Needs } from './feed/feeder.ts';
import { isWriteFailure, lockCatalog, lockIfPossible } from './lock.ts';
import type { CommitEntry, SessionEntry } from './segment/rows.ts';
import type { Segment } from './segment/segment.ts';
import { catalogSize, readManifest, removeOthers } from './store/files.ts';
import { emptyManifest, type Manifest } from './store/manifest.ts';

export type { Needs };

/** A session of the store, as the catalog has it. */
export interface CatalogSession {
  row: SessionEntry;
  isOpen: boolean;
}

export interface Catalog {
  /** Oldest first. */
  segments: readonly Segment[];
  /** The sessions that can be found, by id; none if they were not asked for. */
  sessions: ReadonlyMap<string, CatalogSession>;
  /** The commits of the main line, each behind its parents; null if they could not be taken in, as of a damaged line. */
  commits: readonly CommitEntry[] | null;
  /** Names what was taken in, for what is made of all of it; null if a part of it is in memory alone. */
  state: string | null;
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
    const open: Segment[] = [];
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
      for (const segment of open) segment.close();
    }
  }
}

function hasChanged(repository: Repository, asked: Manifest | null): boolean {
  const now = readManifest(repository);
  return asked !== null && 'manifest' in now && JSON.stringify(now.manifest) !== JSON.stringify(asked);
}

/** The pointers that the catalog is made of. */
interface Heads {
  /** The head of each session's chain. */
  sessions: Map<string, { head: string; isOpen: boolean }>;
  main: string | null;
}

function readHeads({ refs }: Repository, needs: Needs): Heads {
  const sessions: Heads['sessions'] = new Map();
  // A session that ends meanwhile is in one of them, in this order.
  if (needs.sessions)
    for (const prefix of [SESSIONS, ARCHIVE])
      for (const [ref, head] of readable(() => refs.heads(prefix)) ?? []) {
        const id = ref.slice(prefix.length);
        if (!sessions.has(id)) sessions.set(id, { head, isOpen: prefix === SESSIONS });
      }
  return { sessions, main: needs.commits ? readable(() => refs.read(MAIN)) : null };
}

/** Returns what is read; null if it is damaged, which other commands report. */
export function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
}

function openCatalog(
  repository: Repository,
  needs: Needs,
  manifest: Manifest,
  open: Segment[],
  options: CatalogOptions,
  fromNothing: boolean,
  inMemory: boolean,
): Catalog {
  const heads = readHeads(repository, needs);
  const feeder = new Feeder(repository, manifest, heads, needs, options);
  open.push(...feeder.segments);
  if (!fromNothing && feeder.isFresh()) return catalogOf(feeder, heads, needs);
  const release = inMemory ? null : lockIfPossible(repository, LOCK_WAIT);
  try {
    if (release !== null) return catalogOf(fed(repository, needs, heads, open, options, fromNothing), heads, needs);
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
  } finally {
    release?.();
  }
  // Nothing is written: what is new is read into memory.
  const whole = new Feeder(repository, fromNothing ? emptyManifest() : manifest, heads, needs, options);
  whole.feedInMemory();
  open.push(...whole.segments);
  return catalogOf(whole, heads, needs);
}

/** Feeds the files. Only under the lock of the catalog. */
function fed(
  repository: Repository,
  needs: Needs,
  heads: Heads,
  open: Segment[],
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

function catalogOf(feeder: Feeder, heads: Heads, needs: Needs): Catalog {
  const sessions = new Map<string, CatalogSession>();
  for (const [id, { isOpen }] of heads.sessions) {
    const row = feeder.rows.get(id);
    if (row) sessions.set(id, { row, isOpen });
  }
  return {
    segments: feeder.segments,
    sessions,
    state: feeder.state,
    // The reader of the main line itself reports that its pointer cannot be read.
    commits: needs.commits && heads.main !== null ? feeder.commits() : null,
    counts: (session, segment) => {
      const row = sessions.get(session)?.row;
      return row !== undefined && segment >= row.since;
    },
  };
}

/**
 * Returns the commits of the main line, each behind its parents; null if the catalog cannot have them, as of a damaged line.
 */
export const rowsOfMain = (repository: Repository, options?: CatalogOptions): readonly CommitEntry[] | null =>
  askCatalog(repository, { commits: true }, ({ commits }) => commits, options);

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
