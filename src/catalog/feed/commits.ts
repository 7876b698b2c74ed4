/** Takes the commits of the main line into the catalog, oldest first, so that each comes behind its parents. */
import { type Commit, subjectOf, trailersOf } from '../../core/commit.ts';
import { damaged } from '../../core/errors.ts';
import { endedRow } from '../../core/listing/row.ts';
import { commitTitle } from '../../core/listing/title.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { isStep, readCommit } from '../../history/chain/chain.ts';
import { changedFiles, filesTree } from '../../history/chain/files-tree.ts';
import { walkNewestFirst } from '../../history/chain/main-line.ts';
import { readSession } from '../../history/chain/session-document.ts';
import type { Repository } from '../../history/store/repository.ts';
import { CatalogDamage } from '../bytes/sections.ts';
import type { CommitEntry } from '../segment/rows.ts';

/** Longest texts, and most paths, that a row has a copy of. */
const TEXTS_LIMIT = 2_000;
const PATHS_LIMIT = 200;

/**
 * Returns the commits between a head and those that are known, each behind its parents.
 * @param isKnown whether a commit is in the catalog, and so are all before it
 * @throws {CtxError} damaged
 */
export function newCommits(
  { objects }: Repository,
  head: string,
  isKnown: (oid: string) => boolean,
): [oid: string, commit: Commit][] {
  const found: [string, Commit][] = [];
  const seen = new Set<string>();
  // A commit is noted after all of its parents are.
  const open: ({ oid: string } | { done: [string, Commit] })[] = [{ oid: head }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ('done' in next) found.push(next.done);
    else if (!seen.has(next.oid) && !isKnown(next.oid)) {
      seen.add(next.oid);
      const commit = readCommit(objects, next.oid);
      open.push({ done: [next.oid, commit] });
      for (const parent of commit.parents) open.push({ oid: parent });
    }
  }
  return found;
}

/** Returns the row of a commit. @throws {CtxError} damaged, if it is none of ctx */
export function commitEntry(repository: Repository, oid: string, commit: Commit): CommitEntry {
  const { objects } = repository;
  const trailers = trailersOf(commit.message);
  const type = trailers.get('Ctx-Type') ?? null;
  if (type === null && !isStep(commit.message)) throw damaged(`commit ${oid}`, 'it is none of ctx');
  const { parents, committedAt: committed_at, author } = commit;
  const work = trailers.get('Ctx-Work') ?? null;
  const common = { oid, parents, committed_at, author, type, work };
  if (!trailers.has('Ctx-Session') || !readTree(objects, commit.tree).some(({ name }) => name === 'session.json')) {
    const last_activity = commit.authoredAt;
    return {
      ...common,
      last_activity,
      row: null,
      texts: [subjectOf(commit.message), ''],
      paths: pathsOf(repository, commit),
    };
  }
  const session = readSession(objects, commit.tree, `commit ${oid}`);
  const { short_id: _short, ...row } = endedRow(session, new Map());
  const message = session.ended?.message ?? subjectOf(commit.message);
  const texts = [...new Set([message, session.task_description, commitTitle(message, session)])];
  const isShort = texts.reduce((sum, text) => sum + text.length, 0) <= TEXTS_LIMIT;
  return {
    ...common,
    last_activity: session.last_activity,
    row,
    texts: isShort ? texts : null,
    paths: pathsOf(repository, commit),
  };
}

/** Returns the paths that a commit changed against its first parent; null if they are many. */
function pathsOf({ objects }: Repository, { parents: [parent], tree }: Commit): string[] | null {
  const before = parent === undefined ? null : filesTree(objects, readCommit(objects, parent).tree);
  const paths: string[] = [];
  for (const { path } of changedFiles(objects, before, filesTree(objects, tree))) {
    if (paths.length === PATHS_LIMIT) return null;
    paths.push(path);
  }
  return paths;
}

/** Yields rows as `ctx log` goes through the commits: the newest first, and a child before its parents. @param entries each behind its parents */
export function* newestFirst(entries: readonly CommitEntry[]): Generator<CommitEntry> {
  const known = new Map(entries.map((entry) => [entry.oid, entry]));
  const head = entries.at(-1);
  if (head)
    for (const [oid] of walkNewestFirst(head.oid, (one) => nodeOf(known.get(one)))) yield known.get(oid) as CommitEntry;
}

/** @throws {CatalogDamage} */
function nodeOf(entry: CommitEntry | undefined): { parents: string[]; committedAt: number } {
  if (!entry) throw new CatalogDamage('a commit is missing');
  return { parents: entry.parents, committedAt: entry.committed_at };
}
