/** Plans and carries out a rewind of the files: `ctx rewind --world`. */
import type { KeptSnapshot, WorldChange } from '../../core/conversation/conversation.ts';
import { CtxError } from '../../core/errors.ts';
import { type AnyBody, isKind, type StoredRecord } from '../../core/records/record.ts';
import { oneLine } from '../../core/text.ts';
import { type Change, type Interval, intervalsOf, type Owner, ownersOf } from '../../core/world/changes.ts';
import { latestRecords } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { openSession } from '../session/active.ts';
import { chainBehind } from '../show.ts';
import {
  dropJournal,
  type FileLeft,
  type Journal,
  removeStaged,
  restore,
  stage,
  unfinished,
  writeJournal,
} from './apply.ts';
import { restoreByHost } from './host.ts';
import { appendMark, readMarks } from './marks.ts';
import { openSnapshots, type Snapshots } from './private-git.ts';
import { takeSnapshot } from './take.ts';
import { compareTrees, requireTree, treeWith } from './trees.ts';

/** Change of one file. */
export interface FileChange {
  path: string;
  /** `written`: it gets other contents, or another mode; `created`: it comes back; `removed`: it was not there. */
  change: 'written' | 'created' | 'removed';
}

/** Result of a rewind of files, or of one that is only planned. */
export interface WorldResult {
  /** The snapshot that was restored. */
  snapshot_id: string;
  /** Program that restores it: ctx, or that of a host. */
  by: 'ctx' | 'host';
  /** The snapshot of the files as they were before. */
  kept: string | null;
  restored: FileChange[];
  left: FileLeft[];
}

/** The trees of all files before and after a change. */
export interface Trees {
  from: string;
  to: string;
}

/** A rewind of files that is decided, and not begun. */
export interface WorldPlan {
  result: WorldResult;
  /** Null if a host restores. */
  trees: Trees | null;
  changes: readonly Change[];
  snapshots: Snapshots;
}

const changeOf = ({ path, from, to }: Change): FileChange => ({
  path,
  change: to === null ? 'removed' : from === null ? 'created' : 'written',
});

/** The changes in the order of their paths. */
const inOrder = (changes: readonly Change[]): FileChange[] =>
  changes.map(changeOf).sort((one, other) => (one.path < other.path ? -1 : 1));

const byOf = (owner: Owner): string => (owner.kind === 'session' ? owner.session : owner.kind);

/**
 * Plans to restore the files of a snapshot. Today's files are kept as a snapshot; nothing else is changed.
 * @param isAll whether files that another session or the user has changed since are restored too
 * @throws {CtxError} damaged, if the snapshot is gone; not_found, if Git is not installed; io
 */
export function planWorld(repository: Repository, session: string, kept: KeptSnapshot, isAll: boolean): WorldPlan {
  const snapshots = openSnapshots(repository);
  if (kept.isHosts) return hostsPlan(snapshots, kept.snapshot_id);
  requireTree(snapshots, kept.snapshot_id);
  const now = takeSnapshot(snapshots);
  const [all = []] = compareTrees(snapshots, [{ from: now, to: kept.snapshot_id }]);
  const owners = isAll ? null : ownersSince(repository, snapshots, session, kept, now);
  const isOwn = ({ path }: Change): boolean => owners === null || owners.get(path)?.kind === 'own';
  return planned(
    snapshots,
    kept.snapshot_id,
    now,
    all.filter(isOwn),
    all.filter((one) => !isOwn(one)),
    (path) => byOf(owners?.get(path) ?? { kind: 'user' }),
  );
}

/** Plans that a host restores one of its snapshots. */
function hostsPlan(snapshots: Snapshots, snapshot_id: string): WorldPlan {
  const result: WorldResult = { snapshot_id, by: 'host', kept: null, restored: [], left: [] };
  return { result, trees: null, changes: [], snapshots };
}

/**
 * Plans to bring back what a recorded change has changed.
 * @returns the plan; null if a host has kept no snapshot of what was there before: that is said
 */
export function planChangeBack(
  repository: Repository,
  { from, to, by }: WorldChange,
  isAll: boolean,
): WorldPlan | null {
  if (from !== undefined)
    return by === 'host' ? hostsPlan(openSnapshots(repository), from) : planWorldBack(repository, { from, to }, isAll);
  repository.notices.push(
    `The files stay as they are: the host has named no snapshot of what was there before ${oneLine(to)}.`,
  );
  return null;
}

/**
 * Plans to bring back what a rewind has changed: a file that was changed since stays, unless all are asked for.
 * @param before a plan that is carried out first
 */
export function planWorldBack(
  repository: Repository,
  world: Trees,
  isAll: boolean,
  before: WorldPlan | null = null,
): WorldPlan {
  const snapshots = before?.snapshots ?? openSnapshots(repository);
  requireTree(snapshots, world.from);
  const now = before?.trees?.to ?? takeSnapshot(snapshots);
  const [done = [], since = []] = compareTrees(snapshots, [
    { from: world.to, to: world.from },
    { from: world.to, to: now },
  ]);
  const changed = new Map(since.map((change) => [change.path, change]));
  const here = (change: Change): Change => ({
    ...change,
    from: changed.get(change.path)?.to ?? (changed.has(change.path) ? null : change.from),
  });
  const wanted = done.map(here).filter(({ from, to }) => from?.oid !== to?.oid || from?.mode !== to?.mode);
  const isFree = ({ path }: Change): boolean => isAll || !changed.has(path);
  return planned(
    snapshots,
    world.from,
    now,
    wanted.filter(isFree),
    wanted.filter((one) => !isFree(one)),
    () => 'user',
  );
}

/** Joins two plans, of which the second begins with the files that the first one leaves. */
export function joinPlans(first: WorldPlan, second: WorldPlan): WorldPlan {
  const { snapshots, trees: begin } = first;
  if (!begin || !second.trees) return second;
  const trees = { from: begin.from, to: second.trees.to };
  const [changes = []] = compareTrees(snapshots, [trees]);
  const left = new Map([...first.result.left, ...second.result.left].map((one) => [one.path, one]));
  const result = { ...second.result, kept: trees.from, restored: inOrder(changes), left: [...left.values()] };
  return { result, trees, changes, snapshots };
}

function planned(
  snapshots: Snapshots,
  snapshot_id: string,
  now: string,
  changes: readonly Change[],
  left: readonly Change[],
  by: (path: string) => string,
): WorldPlan {
  const to = changes.length === 0 ? now : treeWith(snapshots, now, changes);
  const result: WorldResult = {
    snapshot_id,
    by: 'ctx',
    kept: now,
    restored: inOrder(changes),
    left: left.map(({ path }) => ({ path, by: by(path) })),
  };
  return { result, trees: { from: now, to }, changes, snapshots };
}

/** Returns the owner of each file that was changed since a snapshot, by path. */
function ownersSince(
  repository: Repository,
  snapshots: Snapshots,
  session: string,
  { id, at }: KeptSnapshot,
  now: string,
): Map<string, Owner> {
  const intervals = intervalsOf(readMarks(snapshots), id, now);
  const compared = compareTrees(snapshots, intervals);
  const withPaths = intervals.map((one: Interval, index) => ({
    ...one,
    paths: (compared[index] ?? []).map(({ path }) => path),
  }));
  const written = new Map<string, Set<string>>();
  const wrote = (of: string, path: string): boolean => {
    const known = written.get(of) ?? writtenSince(repository, snapshots, of, at);
    written.set(of, known);
    return known.has(path);
  };
  return ownersOf(withPaths, session, { wrote });
}

/** The files that a session has recorded as written or deleted since a time. */
function writtenSince(repository: Repository, { prefix }: Snapshots, session: string, since: number): Set<string> {
  const paths = new Set<string>();
  const note = (records: readonly StoredRecord[]): void => {
    for (const record of records)
      if (record.at >= since && (isKind(record, 'write') || isKind(record, 'delete')))
        paths.add(prefix === '' ? String(record.path) : `${prefix}/${String(record.path)}`);
  };
  const { head, isOpen } = chainBehind(repository, session);
  if (isOpen) note(openSession(repository, sessionRef(session), head).pending.map(({ record }) => record));
  for (const records of latestRecords(repository.objects, { head })) {
    note(records);
    if (records.length > 0 && records.every(({ at }) => at < since)) break;
  }
  return paths;
}

/** A restore that waits for its record. */
export interface BegunRestore {
  /** The change as its act records it. */
  world: WorldChange;
  restore: () => WorldResult;
}

/** The record of the snapshot of the files as they were before; none if none was kept. */
export const keptBefore = ({ from, by }: WorldChange): AnyBody[] =>
  from === undefined
    ? []
    : [{ kind: 'snapshot', point: 'rewind', snapshot_id: from, ...(by === undefined ? {} : { by }) }];

/**
 * Makes ready what a plan needs. A kill from here on leaves the files as they were if the act is not recorded, else a restore that the next
 * command finishes. A host restores at once: ctx cannot finish that.
 * @returns what is recorded of it, and a function that restores the files: less than planned if a file was changed at this moment
 */
export function beginWorld(
  repository: Repository,
  { result, snapshots, trees, changes }: WorldPlan,
  act: string,
  session: string,
): BegunRestore {
  if (trees === null) {
    const kept = restoreByHost(repository, session, result.snapshot_id);
    const world: WorldChange = { ...(kept === undefined ? {} : { from: kept }), to: result.snapshot_id, by: 'host' };
    return { world, restore: () => ({ ...result, kept: kept ?? null }) };
  }
  if (changes.length === 0) return { world: trees, restore: () => result };
  const journal: Journal = { version: 1, act, session_id: session, ...trees };
  if (unfinished(snapshots) !== null)
    throw new CtxError('busy', 'Another rewind of files was interrupted just now.', {
      hint: 'Run the command again: it finishes that one first.',
    });
  removeStaged(snapshots);
  stage(snapshots, journal, changes);
  writeJournal(snapshots, journal);
  appendMark(snapshots, { id: act, at: repository.clock(), session, point: 'rewind', tree: trees.from });
  const finish = (): WorldResult => {
    const { restored, left } = restore(snapshots, journal);
    const tree = takeSnapshot(snapshots);
    appendMark(snapshots, { id: act, at: repository.clock(), session, point: 'turn_end', tree });
    dropJournal(snapshots, journal);
    return { ...result, restored: inOrder(restored), left: [...result.left, ...left] };
  };
  return { world: trees, restore: finish };
}

/** @throws {CtxError} not_found, naming the setting, if a message has no snapshot */
export function requireSnapshot(repository: Repository, message: string, kept: KeptSnapshot | undefined): KeptSnapshot {
  if (kept) return kept;
  const isOff = repository.settings.snapshots === false;
  throw new CtxError('not_found', `No snapshot of the files was kept at ${message}.`, {
    hint: isOff
      ? 'Keep one at each message from now on: {"snapshots": true} in settings.json'
      : 'See which messages have one with: ctx messages --json',
  });
}
