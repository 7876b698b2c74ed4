/** Mending a store: only what cannot lose anything. What is torn is set aside in `lost/`, never deleted. */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { createFile, exists, listFolder, readIfThere, removeFile, renameDurably } from '../platform/files.ts';
import { writeRoot } from './canonical.ts';
import { isStep, readChain, readCommit } from './chain.ts';
import { checkEverything } from './guard.ts';
import { ARCHIVE, MAIN, RECORD_LIMIT, SESSIONS } from './layout.ts';
import { decodeLoose, LOOSE_LIMIT } from './loose.ts';
import type { ObjectStore } from './objects.ts';
import { decodeOperation, movesOf } from './operation.ts';
import { takeBackBegun } from './oplog.ts';
import { readPackedRefs } from './packed-refs.ts';
import { readPending, sessionsWithPending } from './pending.ts';
import { readReflog } from './reflog.ts';
import type { Repository } from './repository.ts';

/** Age from which a temporary file is surely nobody's any more, in milliseconds: one day. */
const ABANDONED = 86_400_000;

/** Sets a file aside. */
function setAside(repository: Repository, path: string): void {
  const name = path.slice(repository.layout.root.length + 1).replaceAll('/', '-');
  renameDurably(path, join(repository.layout.lost, `${name}.${repository.ids()}`), repository.durability);
}

/** Keeps a copy of a file that is about to be replaced: it stays in its place until then, or its absence would be believed. */
function keepCopy(repository: Repository, path: string): void {
  if (!lstatSync(path).isFile()) {
    setAside(repository, path);
    return;
  }
  const name = path.slice(repository.layout.root.length + 1).replaceAll('/', '-');
  const content = readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0);
  createFile(join(repository.layout.lost, `${name}.${repository.ids()}`), content, repository.durability);
}

const isDamaged = (check: () => unknown): boolean => {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return true;
    throw error;
  }
};

/** Mends what it can, under LOCK; gives a sentence for each thing done. @throws {CtxError} unsupported_store, where a link could lead it out */
export function* repairStore(repository: Repository): Generator<string> {
  checkEverything(repository.layout);
  yield* repairObjects(repository);
  yield* repairOperations(repository);
  yield* repairPointers(repository);
  yield* repairStage(repository);
  const taken = takeBackBegun(repository);
  if (taken)
    yield `Took back "${taken.command}", which was cut off and cannot be finished: a pointer of it has moved on.`;
  yield* repairPending(repository);
  yield* removeAbandoned(repository);
}

/** Sets torn loose objects aside: one that a pack holds too is whole again then. */
function* repairObjects(repository: Repository): Generator<string> {
  const { objects } = repository.layout;
  for (const folder of listFolder(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of listFolder(join(objects, folder)).filter((entry) => /^[0-9a-f]{38}$/.test(entry))) {
      const path = join(objects, folder, name);
      if (!isDamaged(() => decodeLoose(readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0), folder + name))) continue;
      setAside(repository, path);
      const whole = !isDamaged(() => repository.objects.read(folder + name));
      yield `Set the torn object ${folder}${name} aside in lost/${whole ? '; a pack holds it whole' : ''}.`;
    }
  }
}

function* repairOperations(repository: Repository): Generator<string> {
  const { oplog } = repository.layout;
  for (const name of listFolder(oplog).filter((entry) => entry.endsWith('.json'))) {
    const path = join(oplog, name);
    if (!isDamaged(() => decodeOperation(readIfThere(path, RECORD_LIMIT)?.toString('utf8') ?? '', name))) continue;
    setAside(repository, path);
    yield `Set the torn operation oplog/${name} aside in lost/.`;
  }
}

/**
 * What a pointer named last, newest first: by its reflog, by packed-refs where the reflog's end is torn, by the operation log;
 * main, which moves by operations alone, by the operation log first where it has no reflog.
 */
function* lastValues({ layout }: Repository, pointer: string): Generator<string> {
  const [last, ...before] = readReflog(layout.root, pointer)
    .reverse()
    .map((line) => line.new);
  const moves = [...movesOf(layout, pointer)].map((move) => move.new);
  const told = last === undefined && pointer === MAIN ? moves[0] : last;
  for (const value of [told, packedValue(layout.packedRefs, pointer), ...before, ...moves]) if (value) yield value;
}

function packedValue(path: string, pointer: string): string | null {
  try {
    return readPackedRefs(path).get(pointer) ?? null;
  } catch {
    return null;
  }
}

/** Gives a torn pointer, or a lost main, the last value that it had and whose commit is whole. */
function* repairPointers(repository: Repository): Generator<string> {
  const { refs, objects, layout } = repository;
  for (const ref of new Set([MAIN, ...refs.names(SESSIONS), ...refs.names(ARCHIVE)])) {
    const path = join(layout.root, ref);
    const torn = isDamaged(() => refs.read(ref)) || isMistaken(repository, ref);
    if (!torn && (ref !== MAIN || refs.read(ref) !== null)) continue;
    const last = [...lastValues(repository, ref)].find((oid) => !isDamaged(() => readOwn(objects, ref, oid)));
    // A store in which nothing was ever kept begins as every store does.
    const value = last ?? (ref === MAIN && !torn && !hasSessions(repository) ? writeRoot(objects) : undefined);
    if (value === undefined) {
      yield `Could not restore ${ref}: no commit that it named is whole any more. Fetch one from a backup.`;
      continue;
    }
    if (torn && exists(path)) keepCopy(repository, path);
    refs.restore(ref, value, { at: repository.clock(), message: 'fsck --repair' });
    yield `Restored ${ref} to ${value}, the last whole commit that it named.`;
  }
}

/** Reads the commit that a pointer names, which must be one that it may name. @throws {CtxError} damaged */
function readOwn(objects: ObjectStore, ref: string, oid: string): void {
  const { message } = readCommit(objects, oid);
  if (ref !== MAIN) readChain(objects, oid, ref);
  else if (isStep(message)) throw damaged(ref, `${oid} is a step of a session`);
}

/** Whether a pointer names a whole commit of somebody else's. Where the commit itself is damaged the pointer may be right. */
function isMistaken({ refs, objects }: Repository, ref: string): boolean {
  const oid = refs.read(ref);
  if (oid === null || isDamaged(() => (ref === MAIN ? readCommit(objects, oid) : readChain(objects, oid))))
    return false;
  return isDamaged(() => readOwn(objects, ref, oid));
}

const hasSessions = ({ refs }: Repository): boolean => refs.names(SESSIONS).length + refs.names(ARCHIVE).length > 0;

/** A STAGE that is torn, or names nothing, gets the last open session that it named; else none is active. */
function* repairStage(repository: Repository): Generator<string> {
  const { refs, layout } = repository;
  const torn = isDamaged(() => refs.stage());
  const named = torn ? null : refs.stage();
  if (!torn && (named === null || refs.read(named) !== null)) return;
  setAside(repository, layout.stage);
  const open = refs.names(SESSIONS);
  const last = [...movesOf(layout, 'STAGE')].find((move) => move.new !== null && open.includes(move.new))?.new;
  if (!last) {
    yield 'Set STAGE aside in lost/: no session is active now. See: ctx stage list';
    return;
  }
  refs.move({ pointer: 'STAGE', old: null, new: last }, { at: repository.clock(), message: 'fsck --repair' });
  yield `Restored STAGE to ${last}.`;
}

/** Sets torn waiting records aside, so that the others can be flushed. */
function* repairPending(repository: Repository): Generator<string> {
  for (const id of sessionsWithPending(repository)) {
    const folder = join(repository.layout.pending, id);
    for (const name of listFolder(folder).filter((entry) => entry.endsWith('.json'))) {
      if (!isDamaged(() => readPending(repository, id, [name]))) continue;
      setAside(repository, join(folder, name));
      yield `Set the torn record pending/${id}/${name} aside in lost/.`;
    }
  }
}

/** Removes temporary files that a killed process left more than a day ago. */
function* removeAbandoned(repository: Repository): Generator<string> {
  const { layout } = repository;
  const folders = [layout.root, layout.oplog, layout.pack, ...fanOut(layout.objects), ...pendingFolders(repository)];
  let removed = 0;
  for (const folder of folders) {
    for (const name of listFolder(folder)) {
      if (!/(\.tmp$|^tmp_obj_|^LOCK\..*\.break$)/.test(name)) continue;
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() && Date.now() - stat.mtimeMs > ABANDONED && removeFile(path)) removed += 1;
    }
  }
  if (removed > 0) yield `Removed ${removed} temporary files that were left more than a day ago.`;
}

const fanOut = (objects: string): string[] =>
  listFolder(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .map((name) => join(objects, name));

const pendingFolders = (repository: Repository): string[] =>
  sessionsWithPending(repository).flatMap((id) => {
    const folder = join(repository.layout.pending, id);
    return [folder, join(folder, 'objects')];
  });
