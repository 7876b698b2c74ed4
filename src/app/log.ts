/** `ctx log`: the canonical history, newest first. */
import { askCatalog, type CatalogOptions } from '../catalog/catalog.ts';
import { newestFirst } from '../catalog/feed/commits.ts';
import type { CommitEntry } from '../catalog/segment/rows.ts';
import { askLogOrder, keepLogOrder, type LogOrder } from '../catalog/views/log-order.ts';
import { type Commit, subjectOf, trailersOf } from '../core/commit.ts';
import {
  type CommitType,
  type CommitWithoutSession,
  isCommitTypeKind,
  namedType,
  ROOT,
  shownType,
  type UnknownCommitType,
} from '../core/commit-types/table.ts';
import { damaged } from '../core/errors.ts';
import { isAtOrBelow, treePath } from '../core/file-path.ts';
import { commitTitle, titleOf } from '../core/listing/title.ts';
import { isEphemeral, type Session } from '../core/session/session.ts';
import type { SessionState } from '../core/state.ts';
import { MAIN } from '../git/layout.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { type Chain, isStep, readChain, readCommit } from '../history/chain/chain.ts';
import { walkNewestFirst } from '../history/chain/main-line.ts';
import { commitChanges } from '../history/chain/session-changes.ts';
import { readSession } from '../history/chain/session-document.ts';
import { SESSIONS } from '../history/names/layout.ts';
import { withLateTitle } from '../history/pointers/late-titles.ts';
import type { Repository } from '../history/store/repository.ts';
import { requireMain } from './session/active.ts';
import { resolveRevision } from './session/revision.ts';
import { parentOf } from './transcript/source.ts';

export interface LogEntry {
  oid: string;
  parents: string[];
  message: string;
  /** `Open` for a session that has no commit yet. */
  commit_type: CommitType | UnknownCommitType | CommitWithoutSession | { kind: 'Open' };
  session_id: string | null;
  /** The session that started this one as a sub-agent, or that it is a copy of. */
  parent_session_id: string | null;
  /** The message at which it branches off that session; null if it is no branch. */
  parent_message_id: string | null;
  task_description: string;
  session_state: SessionState | null;
  step_count: number;
  /** When it was saved; Unix seconds. */
  committed_at: number;
  /** When the session was last worked on; Unix seconds. */
  last_activity: number;
  title: string;
  files_changed: number;
  author: string;
}

export interface LogOptions {
  /** The revision to begin at; by default the head of the main line. */
  revision?: string | undefined;
  /** Most entries. */
  limit?: number | undefined;
  /** Kinds of commit type. */
  types?: readonly string[] | undefined;
  /** Unix seconds, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only commits in which a file at or below this path changed. */
  path?: string | undefined;
  /** Only commits whose message, task or title matches. */
  grep?: RegExp | undefined;
  /** Only commits of agents whose name contains this text. */
  author?: string | undefined;
  /** With the open sessions, each as the commit that it is not yet. */
  all?: boolean | undefined;
  /** Yields the commits as their parents lead to them, instead of by their last work. */
  topological?: boolean | undefined;
  catalog?: CatalogOptions | undefined;
}

/** Yields every commit from a head down, newest first; of two at the same time, the child. */
const walk = ({ objects }: Repository, head: string): Generator<[oid: string, commit: Commit]> =>
  walkNewestFirst(head, (oid) => readCommit(objects, oid));

/** Reads the canonical history, one entry a session, the one with the newest work first; the root of the store is not listed. */
export function* readLog(repository: Repository, options: LogOptions = {}): Generator<LogEntry> {
  const known = options.revision === undefined ? readByCatalog(repository, options) : null;
  if (known) return yield* known;
  const entries = readEntries(repository, options);
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  if (options.topological) {
    for (let left = limit; left > 0; left -= 1) {
      const next = entries.next();
      if (next.done) return;
      yield next.value;
    }
    return;
  }
  const { read, failure } = readAll(entries);
  yield* read.sort((a, b) => b.last_activity - a.last_activity).slice(0, Math.min(limit, read.length));
  if (failure !== undefined) throw failure;
}

/** Returns the entries by the catalog; null if it does not have the main line, or one of them is damaged. */
function readByCatalog(repository: Repository, options: LogOptions): LogEntry[] | null {
  const { topological, grep, path } = options;
  const inOrder = !topological && !grep && path === undefined;
  const whole = (entries: Iterable<LogEntry>): LogEntry[] | null => {
    const { read, failure } = readAll(entries);
    return failure === undefined ? read : null;
  };
  const kept = inOrder ? askLogOrder(repository, (order) => whole(entriesInOrder(repository, order, options))) : null;
  if (kept) return kept;
  return askCatalog(
    repository,
    { commits: true },
    ({ commits, state }) => {
      const main = commits?.at(-1)?.oid;
      if (commits === null || main === undefined) return null;
      if (inOrder && state !== null) keepLogOrder(repository, main, state, commits);
      return whole(entriesByRows(repository, commits, options));
    },
    options.catalog,
  );
}

/** Reads entries up to the first that is damaged; those before it can be shown all the same. */
function readAll(entries: Iterable<LogEntry>): { read: LogEntry[]; failure: unknown } {
  const read: LogEntry[] = [];
  try {
    for (const entry of entries) read.push(entry);
    return { read, failure: undefined };
  } catch (failure) {
    return { read, failure };
  }
}

/** An entry that matches, and how it is read. */
interface Candidate {
  last_activity: number;
  read: () => LogEntry;
}

/** Yields what `readLog` does, by the order in which the commits are. */
function* entriesInOrder(repository: Repository, order: LogOrder, options: LogOptions): Generator<LogEntry> {
  const { types, author, since, until, limit = Number.POSITIVE_INFINITY } = options;
  const facts = types || author !== undefined ? order.facts() : null;
  const open = options.all ? [...openEntries(repository)].filter((entry) => matchesOpen(entry, options)) : [];
  open.sort((a, b) => b.last_activity - a.last_activity);
  let left = limit;
  for (let place = 0; place < order.length && left > 0; place += 1) {
    const at = order.times[place] as number;
    if ((since !== undefined && at < since) || (until !== undefined && at > until)) continue;
    if (facts) {
      const [type, by] = facts[place] as (typeof facts)[number];
      if ((types && !types.includes(type)) || !by.includes(author ?? '')) continue;
    }
    for (; left > 0 && open[0] && open[0].last_activity >= at; left -= 1) yield open.shift() as LogEntry;
    if (left <= 0) break;
    const oid = order.oid(place);
    yield describeCommit(repository, oid, readCommit(repository.objects, oid));
    left -= 1;
  }
  yield* open.slice(0, Math.min(left, open.length));
}

/** Yields what `readLog` does, by the rows of the commits: only what is shown is read from the store. */
function* entriesByRows(
  repository: Repository,
  rows: readonly CommitEntry[],
  options: LogOptions,
): Generator<LogEntry> {
  const { limit = Number.POSITIVE_INFINITY } = options;
  const found: Candidate[] = [];
  if (options.all)
    for (const entry of openEntries(repository))
      if (matchesOpen(entry, options)) found.push({ last_activity: entry.last_activity, read: () => entry });
  for (const row of newestFirst(rows)) {
    if (options.topological && found.length >= limit) break;
    if (!mayMatch(repository, row, options)) continue;
    const { oid, last_activity } = row;
    const read = (): LogEntry => describeCommit(repository, oid, readCommit(repository.objects, oid));
    if (row.texts !== null || !options.grep) found.push({ last_activity, read });
    else {
      const entry = read();
      if (matchesEntry(entry, options)) found.push({ last_activity, read: () => entry });
    }
  }
  if (!options.topological) found.sort((a, b) => b.last_activity - a.last_activity);
  for (const { read } of found.slice(0, Math.min(limit, found.length))) yield read();
}

/** Returns whether a commit matches, as far as its row says it: its texts may be too long for a row. */
function mayMatch(repository: Repository, row: CommitEntry, options: LogOptions): boolean {
  const { type, author, last_activity: at, texts, paths, oid } = row;
  const { types, since, until, grep, path } = options;
  if (type === null || type === ROOT || (types && !types.includes(type))) return false;
  if (options.author !== undefined && !author.includes(options.author)) return false;
  if ((since !== undefined && at < since) || (until !== undefined && at > until)) return false;
  if (grep && texts && !texts.some((text) => grep.test(text))) return false;
  if (path === undefined) return true;
  // Most commits are ruled out by their row, which has the paths that were only read, too, and those in trees alone.
  const isRuledOut = paths !== null && treePath(path) !== null && !paths.some((one) => isAtOrBelow(one, path));
  if (isRuledOut) return false;
  return touches(repository, oid, path);
}

/** Yields the entries that match, each before its parents. */
function* readEntries(repository: Repository, options: LogOptions): Generator<LogEntry> {
  const head =
    options.revision === undefined
      ? requireMain(repository.objects, (ref) => repository.refs.read(ref))
      : resolveRevision(repository, options.revision).oid;
  if (options.all) for (const entry of openEntries(repository)) if (matchesOpen(entry, options)) yield entry;
  for (const [oid, commit] of walk(repository, head)) {
    const type = trailersOf(commit.message).get('Ctx-Type');
    if (type === undefined && !isStep(commit.message))
      throw damaged(`commit ${oid}`, 'it is none of ctx: its Ctx-Type says nothing', {
        hint: hintFor(oid, commit, head),
      });
    if (type === undefined || type === ROOT || (options.types && !options.types.includes(type))) continue;
    if (options.author !== undefined && !commit.author.includes(options.author)) continue;
    if (options.path !== undefined && !touches(repository, oid, options.path)) continue;
    const entry = describeCommit(repository, oid, commit);
    if (matchesEntry(entry, options)) yield entry;
  }
}

/** Yields an entry for each open session, by the last step of its chain; a branch comes before the session that it is of. */
function* openEntries(repository: Repository): Generator<LogEntry> {
  const open = new Map<string, Chain>();
  for (const [ref, head] of repository.refs.list(SESSIONS)) {
    const chain = readChain(repository.objects, head, ref);
    open.set(chain.session.session_id, chain);
  }
  const depthOf = ({ session }: Chain, seen = 0): number => {
    const parent = seen > open.size ? undefined : open.get(branchedFrom(session) ?? '');
    return parent ? depthOf(parent, seen + 1) + 1 : 0;
  };
  for (const chain of [...open.values()].sort((a, b) => depthOf(b) - depthOf(a))) {
    const { session, head } = chain;
    if (isEphemeral(session)) continue;
    yield {
      oid: head,
      parents: [open.get(branchedFrom(session) ?? '')?.head ?? session.base],
      message: session.task_description,
      commit_type: { kind: 'Open' },
      session_id: session.session_id,
      parent_session_id: parentOf(repository, session),
      parent_message_id: session.parent_message_id ?? null,
      task_description: session.task_description,
      title: titleOf(session),
      session_state: session.session_state,
      step_count: session.step,
      committed_at: session.last_activity,
      last_activity: session.last_activity,
      files_changed: session.counts.files,
      author: session.agent ?? 'ctx',
    };
  }
}

/** The session that a branch is of; undefined if the session is no branch. */
const branchedFrom = ({ parent_message_id, parent_session_id }: Session): string | undefined =>
  parent_message_id === undefined ? undefined : parent_session_id;

/** Checks if an open session is listed: one has no commit type yet, and its files are not compared. */
const matchesOpen = (entry: LogEntry, options: LogOptions): boolean =>
  !options.types &&
  options.path === undefined &&
  entry.author.includes(options.author ?? '') &&
  matchesEntry(entry, options);

function matchesEntry(entry: LogEntry, { since, until, grep }: LogOptions): boolean {
  if (since !== undefined && entry.last_activity < since) return false;
  if (until !== undefined && entry.last_activity > until) return false;
  return !grep || [entry.message, entry.task_description, entry.title].some((text) => grep.test(text));
}

/** Yields the commits of the main line that hold a session, newest first. */
export function* canonicalSessions(repository: Repository): Generator<[oid: string, commit: Commit]> {
  const head = requireMain(repository.objects, (ref) => repository.refs.read(ref));
  for (const [oid, commit] of walk(repository, head)) if (hasSession(repository, commit)) yield [oid, commit];
}

/** Returns the hint for a foreign commit: at the head of the main line it can be removed. */
function hintFor(oid: string, { parents: [before] }: Commit, head: string): string {
  const off = oid === head && before ? `. Take it off the main line with: ctx git update-ref ${MAIN} ${before}` : '';
  return `See: ctx fsck, and ctx git show ${oid}${off}`;
}

/** Returns whether a commit changed a file at or below a path; what its session only read does not count. */
const touches = ({ objects }: Repository, oid: string, path: string): boolean =>
  commitChanges(objects, oid).some((change) => isAtOrBelow(change.path, path));

/** Returns whether a commit holds a session: one of an unknown type may. */
const hasSession = (repository: Repository, { tree, message }: Commit): boolean =>
  trailersOf(message).has('Ctx-Session') &&
  readTree(repository.objects, tree).some(({ name }) => name === 'session.json');

/** Describes a commit by its session.json, or by its trailers if it has none. */
function describeCommit(repository: Repository, oid: string, commit: Commit): LogEntry {
  const trailers = trailersOf(commit.message);
  const common = { oid, parents: commit.parents, committed_at: commit.committedAt, author: commit.author };
  const kind = trailers.get('Ctx-Type') ?? '';
  if (!isCommitTypeKind(kind) && !hasSession(repository, commit)) {
    return {
      ...common,
      message: subjectOf(commit.message),
      commit_type: namedType(kind),
      session_id: null,
      parent_session_id: null,
      parent_message_id: null,
      task_description: '',
      title: subjectOf(commit.message),
      last_activity: commit.authoredAt,
      session_state: null,
      step_count: 0,
      files_changed: 0,
    };
  }
  const session = withLateTitle(repository, readSession(repository.objects, commit.tree, `commit ${oid}`), commit);
  return {
    ...common,
    message: session.ended?.message ?? subjectOf(commit.message),
    commit_type: (session.ended && shownType(session.ended.type)) ?? namedType(kind),
    session_id: session.session_id,
    parent_session_id: parentOf(repository, session),
    parent_message_id: session.parent_message_id ?? null,
    task_description: session.task_description,
    title: commitTitle(session.ended?.message ?? subjectOf(commit.message), session),
    last_activity: session.last_activity,
    session_state: session.session_state,
    step_count: session.step,
    files_changed: session.ended?.files_changed ?? 0,
  };
}
