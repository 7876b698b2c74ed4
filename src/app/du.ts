/** `ctx du`: reports the disk usage, by session, by kind or by age. */
import { join } from 'node:path';
import { type Commit, trailersOf } from '../core/commit.ts';
import { isTree } from '../core/tree.ts';
import { type DiskSize, folderSize, objectSizes } from '../git/objects/sizes.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { readCommit, walkChain } from '../history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../history/names/layout.ts';
import type { Repository } from '../history/store/repository.ts';
import { expectMuch } from '../platform/compression.ts';
import { listFolder } from '../platform/files.ts';
import { expectManyHashes } from '../platform/hash.ts';
import { requireMain } from './session/active.ts';

export type DiskUsageKey = 'session' | 'kind' | 'age';

export interface DiskUsageRow extends DiskSize {
  name: string;
  /** Objects, or 0 for plain files. */
  objects: number;
}

export interface DiskUsage {
  by: DiskUsageKey;
  /** The largest first. */
  rows: DiskUsageRow[];
  total: DiskUsageRow;
}

/** The owner of an object: the first commit that needed it. */
type Owner = Record<DiskUsageKey, string>;

/** Names for ages: the youngest that fits, in days. */
const AGES: readonly [days: number, name: string][] = [
  [1, 'the last day'],
  [7, 'the last week'],
  [30, 'the last month'],
  [90, 'the last three months'],
  [Number.POSITIVE_INFINITY, 'older'],
];

/** Kinds by the names of the parts in a commit's tree. */
const KINDS: Record<string, string> = {
  'session.json': 'sessions',
  'step.jsonl': 'records',
  payload: 'payloads',
  files: 'files',
  'summary.md': 'summaries',
  'notes.jsonl': 'summaries',
  'edges.jsonl': 'summaries',
};

const NOBODY: Owner = { session: 'not reachable', kind: 'not reachable', age: 'not reachable' };
const STORE: Owner = { session: 'the store itself', kind: 'other files', age: 'no age' };

/** Measures the store. What several sessions need counts for the one that had it first. @throws {CtxError} damaged, io */
export function diskUsage(repository: Repository, by: DiskUsageKey): DiskUsage {
  const rows = new Map<string, DiskUsageRow>();
  const add = (name: string, size: DiskSize, objects: number): void => {
    const row = rows.get(name) ?? { name, objects: 0, loose: 0, packed: 0 };
    row.objects += objects;
    row.loose += size.loose;
    row.packed += size.packed;
    rows.set(name, row);
  };
  expectMuch();
  expectManyHashes();
  const owners = ownersOf(repository, by);
  for (const [oid, size] of objectSizes(repository.layout)) add(owners.get(oid) ?? NOBODY[by], size, 1);
  for (const [owner, loose] of plainFiles(repository)) add(owner[by], { loose, packed: 0 }, 0);
  // Headers of packs, Git's own graphs and notes, the config: with them the total is what the disk says.
  const counted = [...rows.values()].reduce((sum, row) => sum + row.loose + row.packed, 0);
  add(STORE[by], { loose: folderSize(repository.layout.root) - counted, packed: 0 }, 0);
  const found = [...rows.values()].filter((row) => row.loose + row.packed > 0);
  const sorted = found.sort((a, b) => b.loose + b.packed - a.loose - a.packed || (a.name < b.name ? -1 : 1));
  const total = sorted.reduce(
    (sum, row) => ({
      name: 'total',
      objects: sum.objects + row.objects,
      loose: sum.loose + row.loose,
      packed: sum.packed + row.packed,
    }),
    { name: 'total', objects: 0, loose: 0, packed: 0 },
  );
  return { by, rows: sorted, total };
}

/** Finds what the owner of each object that can be reached is called: the oldest commit first. */
function ownersOf(repository: Repository, by: DiskUsageKey): Map<string, string> {
  const { objects, refs } = repository;
  const owners = new Map<string, string>();
  const claim = (tree: string, owner: string): void => {
    if (owners.has(tree)) return;
    owners.set(tree, owner);
    for (const entry of readTree(objects, tree)) {
      if (isTree(entry)) claim(entry.oid, owner);
      else if (!owners.has(entry.oid)) owners.set(entry.oid, owner);
    }
  };
  // Of commits of one time those of a session that has ended come first, and the first step of each.
  const heads = [ARCHIVE, SESSIONS].flatMap((prefix) => headsOf(refs, prefix));
  const found = new Map(heads.flatMap((head) => [...walkChain(objects, head)].reverse()));
  for (const [oid, commit] of mainLine(repository, found)) found.set(oid, commit);
  const now = repository.clock();
  const commits = [...found].sort(([, a], [, b]) => a.committedAt - b.committedAt);
  for (const [oid, commit] of commits) {
    const name =
      by === 'session'
        ? (trailersOf(commit.message).get('Ctx-Session') ?? STORE.session)
        : by === 'age'
          ? ageOf(now - commit.committedAt)
          : null;
    owners.set(oid, name ?? 'commits');
    if (owners.has(commit.tree)) continue;
    owners.set(commit.tree, name ?? 'commits');
    for (const entry of readTree(objects, commit.tree)) {
      const own = name ?? KINDS[entry.name] ?? 'other';
      if (isTree(entry)) claim(entry.oid, own);
      else if (!owners.has(entry.oid)) owners.set(entry.oid, own);
    }
  }
  return owners;
}

/** Returns the heads below a prefix. Reflogs are looked at only if one of them is torn or lost. @throws {CtxError} damaged */
function headsOf(refs: Repository['refs'], prefix: string): string[] {
  const heads = refs.heads(prefix);
  const isWhole = refs.names(prefix).every((ref) => heads.has(ref));
  return [...(isWhole ? heads : refs.list(prefix)).values()];
}

/** Every commit of the main line, merges too. @param known commits that were read already */
function mainLine({ objects, refs }: Repository, known: ReadonlyMap<string, Commit>): Map<string, Commit> {
  const seen = new Map<string, Commit>();
  // Without it all that was saved would pass for what nobody needs.
  const open = [requireMain(objects, (ref) => refs.read(ref))];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (seen.has(oid)) continue;
    const commit = known.get(oid) ?? readCommit(objects, oid);
    seen.set(oid, commit);
    open.push(...commit.parents);
  }
  return seen;
}

const ageOf = (seconds: number): string => (AGES.find(([days]) => seconds <= days * 86_400) as [number, string])[1];

/** Lists the files that are no objects: records that wait, operations, reflogs, what was set aside, what finds objects in packs. */
function* plainFiles({ layout, refs }: Repository): Generator<[Owner, number]> {
  const owner = (kind: string, session = STORE.session): Owner => ({ ...STORE, session, kind });
  const sessions = [...refs.names(SESSIONS), ...refs.names(ARCHIVE)].map((ref) => ref.split('/').at(-1) as string);
  const waiting = new Set(listFolder(layout.pending));
  for (const id of new Set(sessions))
    if (waiting.has(id)) yield [owner('waiting records', id), folderSize(join(layout.pending, id))];
  const indexes = listFolder(layout.pack).filter((name) => !name.endsWith('.pack'));
  const groups: [kind: string, paths: string[]][] = [
    ['operations', [layout.oplog]],
    ['refs and reflogs', ['refs', 'logs', 'packed-refs'].map((name) => join(layout.root, name))],
    ['pack indexes', indexes.map((name) => join(layout.pack, name))],
    ['set aside', [layout.lost]],
    ['catalog', [layout.catalog]],
  ];
  for (const [kind, paths] of groups) yield [owner(kind), paths.reduce((sum, path) => sum + folderSize(path), 0)];
}
