/** Makes the plan of a forgetting: all moves, new files and removals are computed before anything changes. */
import { CtxError } from '../../core/errors.ts';
import type { ForgottenList } from '../../core/forgotten.ts';
import type { Forgetting } from '../../core/session/forgetting.ts';
import { MAIN } from '../../git/layout.ts';
import { frame, loosePath, sha1 } from '../../git/objects/loose.ts';
import { type ObjectStore, plainStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { packedRefs } from '../../git/refs/packed-refs.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { exists } from '../../platform/files.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { ARCHIVE, archiveRef, isPointer, SESSIONS, sessionRef } from '../names/layout.ts';
import { encodeOperation, type Operation } from '../operations/operation.ts';
import { nextOperationId, stageOf } from '../pointers/oplog.ts';
import { encodeForgotten } from '../store/forgotten.ts';
import type { Repository } from '../store/repository.ts';
import { matches } from './content-match.ts';
import { cleanTexts, nameOfTag } from './git-texts.ts';
import { History } from './history.ts';
import { cleanLogs, cleanOperations } from './logs.ts';
import { otherFiles } from './other-files.ts';
import { cleanPending, withPendingObjects } from './pending.ts';
import type { Counts, Plan, Planned } from './planned.ts';
import { questionsThatGo } from './quoted-tasks.ts';
import { checkForgettable } from './refusals.ts';
import { addClosure, allOids, allRefs, namedBy, packedOids, packNames, packsWith } from './store-listing.ts';
import { headsOfSessions } from './undone.ts';

export interface PlanInput {
  forgetting: Forgetting;
  /** The list of contents that must not come back. */
  list: ForgottenList;
  /** Returns the message in the operation log for the counts. */
  message: (counts: Counts) => string;
}

/** Makes a plan. @param store receives the new objects, durably @throws {CtxError} damaged, if the store is not whole */
export function planForgetting(
  repository: Repository,
  store: ObjectStore & { publish: () => void },
  input: PlanInput,
): Planned {
  const { layout, refs, ids } = repository;
  const settle = (): void => store.publish();
  const { forgetting } = input;
  checkForgettable(layout);
  readPointers(repository);
  const made = new Set<string>();
  const objects = withPendingObjects(repository, noting(layout, store, made));
  const history = new History(objects, ids, forgetting, headsOfSessions(repository, forgetting.sessions));
  const roots = new Set<string>();
  const mapIfThere = once((oid) => {
    if (!objects.holds(oid)) return oid;
    const next = history.map(oid);
    roots.add(next);
    return next;
  });

  const found = [...allRefs(layout)].sort((a, b) => Number(isNote(a.ref)) - Number(isNote(b.ref)));
  const moves = found.map(({ ref, oid, loose }) => ({ ref, loose, old: oid, new: history.map(oid) }));
  for (const move of moves) roots.add(move.new);
  const targets = new Set(Array.from(packedRefs(layout.packedRefs), ([, oid]) => oid));
  const packed = [...targets].map((oid): [string, string] => [oid, mapIfThere(oid)]);
  const ends = endsOf(repository, history, forgetting);
  for (const end of ends) if (end.new !== null && end.pointer.startsWith(ARCHIVE)) roots.add(end.new);
  const logs = cleanLogs(layout, history, mapIfThere);
  const operations = cleanOperations(repository, history, tolerant(mapIfThere));
  const pending = cleanPending(repository, history, objects, made);
  for (const oid of pending.needed) if (store.holds(oid)) roots.add(oid);

  settle();
  const reachable = new Set<string>();
  for (const root of roots) addClosure(objects, root, reachable);
  const gone = goneObjects(repository, objects, history, reachable);
  const standing = standingIn(objects, history, reachable, found);
  settle();
  const packs = packsWith(layout, gone);
  const newest = operations.newest ? [{ to: 'oplog/newest.json', content: operations.newest }] : [];
  const written = [...logs.staged, ...operations.staged, ...newest, ...pending.staged];
  const others = otherFiles(repository, history, {
    changes: gone.size > 0,
    staged: new Map(written.map(({ to, content }) => [to, content])),
    removed: new Set(pending.remove),
    refs: new Set(found.map(({ ref }) => ref)),
    moved: new Set(moves.filter(({ old, new: next }) => old !== next).map(({ ref }) => ref)),
    packs: new Set(packs),
  });
  const ended = new Set(ends.map((end) => end.pointer));
  const plan: Plan = {
    version: 1,
    id: nextOperationId(repository),
    at: forgetting.at,
    refs: moves
      .filter((move) => move.loose && move.old !== move.new && !ended.has(move.ref))
      .map(({ ref, old, new: next }) => ({ ref, old, new: next })),
    packed: packed.filter(([old, next]) => old !== next),
    ends,
    files: [],
    remove: [
      ...new Set([...pending.remove, ...questionsThatGo(repository, forgetting), ...others.remove, ...others.catalog]),
    ],
    folders: others.folders,
    objects: [...gone, ...unneeded(layout, made, reachable)],
  };
  const { tally, cleaner } = history.rewriting;
  const { text } = cleaner;
  const counts: Counts = {
    records: tally.records.size + pending.dropped,
    cleaned_records: tally.cleaned,
    steps: tally.steps,
    canonical_commits: tally.canonical,
    other_commits: tally.other,
    pointers: moves.filter((move) => move.old !== move.new).length + ends.length,
    objects: gone.size,
    packs: packs.length,
    pending_files: pending.staged.length + pending.remove.length,
    reflog_lines: logs.lines,
    operations: operations.operations,
    files: [...others.remove, ...others.empty.map((name) => `${name}/`)].map(text),
    left: [
      ...[...others.left, ...found.flatMap(({ ref }) => (isPointer(ref) || text(ref) === ref ? [] : ref))].map(text),
      ...standing.objects.map((oid) => `objects/${oid}`),
    ],
    standing: { texts: standing.texts.size, refs: standing.refs.length, files: others.standing.length },
  };
  const staged = [
    { to: 'forgotten.json', content: encodeForgotten(input.list) },
    ...logs.staged.filter(({ to }) => !ended.has(to.slice('logs/'.length))),
    ...operations.staged,
    ...pending.objects,
    ...pending.staged,
  ];
  const operation: Operation = {
    ...{ version: 1, id: plan.id, at: plan.at, command: 'forget', message: input.message(counts), moves: ends },
  };
  const filed = { ...operation, ...stageOf(layout, operation) };
  // After the operation that was the newest before.
  staged.push({ to: 'oplog/newest.json', content: Buffer.from(encodeOperation(filed)) });
  plan.files = staged.map(({ to }) => to);
  refs.expect(ends);
  return { plan, staged, counts };
}

/** Returns whether there is nothing to forget. */
export const isEmpty = ({ plan, counts }: Planned): boolean =>
  counts.objects + plan.refs.length + plan.packed.length + plan.ends.length + counts.pending_files === 0 &&
  counts.reflog_lines + counts.operations + counts.files.length === 0;

/** Wraps a store so that it records the objects that it writes and that were not loose before. */
const noting = ({ objects }: Repository['layout'], store: ObjectStore, made: Set<string>): ObjectStore => ({
  ...plainStore(store),
  write: (type, content) => {
    const oid = sha1(frame(type, content));
    if (!made.has(oid) && !exists(loosePath(objects, oid))) made.add(oid);
    return store.write(type, content);
  },
});

/** Returns objects that were written for the plan but are unreachable, such as the rest of a text whose record is removed too. */
function unneeded(layout: Repository['layout'], made: ReadonlySet<string>, reachable: ReadonlySet<string>): string[] {
  const left = new Set([...made].filter((oid) => !reachable.has(oid)));
  // A packed object existed before.
  if (left.size > 0) for (const pack of packNames(layout)) for (const oid of packedOids(layout, pack)) left.delete(oid);
  return [...left];
}

/** Reads every pointer, since objects of a torn one would look unreachable. @throws {CtxError} damaged */
function readPointers({ refs }: Repository): void {
  refs.stage();
  refs.read(MAIN);
  for (const prefix of [SESSIONS, ARCHIVE]) refs.list(prefix);
}

/** Git's notes name commits, which must be mapped first. */
const isNote = (ref: string): boolean => ref.startsWith('refs/notes/');

/** Returns the moves that close open forgotten sessions: their single step is in the archive. */
function endsOf({ refs }: Repository, history: History, forgetting: Forgetting): PointerMove[] {
  const ends: PointerMove[] = [];
  for (const id of forgetting.sessions) {
    const head = refs.read(sessionRef(id));
    if (head === null) continue;
    const archived = refs.read(archiveRef(id));
    ends.push({ pointer: archiveRef(id), old: archived, new: history.tombstone(id) });
    if (refs.stage() === sessionRef(id)) ends.push({ pointer: 'STAGE', old: sessionRef(id), new: null });
    ends.push({ pointer: sessionRef(id), old: head, new: null });
  }
  return ends;
}

/**
 * Returns the objects to remove: unreachable ones of rewritten commits, and unreachable ones with forgotten content. Other
 * unreachable objects stay.
 */
function goneObjects(
  { layout }: Repository,
  objects: ObjectStore,
  history: History,
  reachable: ReadonlySet<string>,
): Set<string> {
  const dangling = new Set<string>();
  const old = new Set<string>();
  const addOld = (): void => {
    for (const oid of history.changed.keys()) addClosure(objects, oid, old, true);
  };
  addOld();
  for (const oid of allOids(layout)) if (!reachable.has(oid) && !old.has(oid)) dangling.add(oid);
  const gone = new Set<string>();
  for (const oid of dangling) if (holdsIt(objects, history, oid)) gone.add(oid);
  addOld();
  for (const oid of old) if (!reachable.has(oid)) gone.add(oid);
  // An object that names a removed one could not be read any more.
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const oid of dangling)
      if (!gone.has(oid) && !reachable.has(oid) && namedBy(objects, oid).some((one) => gone.has(one))) gone.add(oid);
  }
  return gone;
}

/**
 * Remaining objects and refs in which a forgotten text is a word of ctx's own that cannot be removed, and the markers of
 * those texts.
 */
interface Standing {
  objects: string[];
  refs: string[];
  texts: Set<string>;
}

function standingIn(
  objects: ObjectStore,
  history: History,
  reachable: ReadonlySet<string>,
  refs: readonly { ref: string }[],
): Standing {
  const { finder } = history.rewriting.cleaner;
  const texts = new Set<string>();
  const says = (content: Buffer): boolean => {
    const found = finder.find(content);
    for (const { marker } of found) texts.add(marker);
    // It was decoded in several ways, each a copy.
    tidyAfter(4 * content.length);
    return found.length > 0;
  };
  const holds = (oid: string): boolean => {
    const { type, content } = objects.read(oid);
    if (type === 'blob') return says(content);
    if (type === 'tree') return readTree(objects, oid).filter(({ name }) => says(Buffer.from(name))).length > 0;
    return !cleanTexts(content, finder).equals(content) && says(content);
  };
  return {
    objects: [...reachable].filter(holds),
    refs: refs.flatMap(({ ref }) => (isPointer(ref) && says(Buffer.from(ref)) ? ref : [])),
    texts,
  };
}

/** Returns whether an unreachable object has forgotten content, or may, since it cannot be read. */
function holdsIt(objects: ObjectStore, history: History, oid: string): boolean {
  try {
    const { type, content } = objects.read(oid);
    return (
      history.map(oid) !== oid ||
      (type === 'blob' && matches(history, content)) ||
      // The name of a tag without a ref is not needed.
      (type === 'tag' && matches(history, nameOfTag(content)))
    );
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    return true;
  }
}

/** Wraps a mapping so that ids of damaged objects, which an old operation may name, stay as they are. */
const tolerant =
  (map: (oid: string) => string): ((oid: string) => string) =>
  (oid) => {
    try {
      return map(oid);
    } catch (error) {
      if (error instanceof CtxError && error.code === 'damaged') return oid;
      throw error;
    }
  };

/** Caches the results of a function. */
function once(work: (oid: string) => string): (oid: string) => string {
  const known = new Map<string, string>();
  return (oid) => {
    const before = known.get(oid);
    if (before !== undefined) return before;
    const made = work(oid);
    known.set(oid, made);
    return made;
  };
}
