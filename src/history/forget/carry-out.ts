/** Carrying a forgetting out: staged whole before it begins, and finished by whoever takes LOCK next, wherever it was cut off. */
import { readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { checkFolder, entriesOf } from '../../git/guard.ts';
import { errorAfterAll, errorAfterBeginning, isObstruction } from '../../git/interruption-errors.ts';
import type { Layout } from '../../git/layout.ts';
import { takeRefLock } from '../../git/refs/lock.ts';
import { objectIn } from '../../git/refs/value.ts';
import { isDamaged, setAside } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import {
  createFile,
  exists,
  LINES_LIMIT,
  makeFolder,
  readIfThere,
  removeEmptyFolder,
  removeFile,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import { ifReadable } from '../chain/stray.ts';
import { noteForgotten } from '../store/forgotten.ts';
import type { Repository } from '../store/repository.ts';
import { publishObjects, removeObjects } from './objects.ts';
import { checkPlan, decodePlan, encodePlan, PLAN_LIMIT } from './plan-file.ts';
import type { Plan, Planned } from './planned.ts';
import { isValue } from './whose.ts';
import { checkWritable } from './writable.ts';

const planOf = ({ layout }: Repository): string => layout.forgettingPlan;

/** Whether a forgetting has left anything half-done. */
export const isForgetting = (layout: Layout): boolean => exists(layout.forgetting);

/** Stages everything, begins, and carries it out. Only under LOCK. */
export function carryOut(repository: Repository, { plan, staged }: Planned): void {
  const { layout, durability } = repository;
  const text = staging(repository, () => {
    checkPlan(plan);
    checkWritable(layout, plan);
    checkFolder(layout, layout.forgetting);
    for (const [index, { content }] of staged.entries())
      createFile(below(layout.forgetting, String(index)), content, durability);
    return encodePlan(repository, plan);
  });
  // A plan must never be there without what it is to put in place, nor lost with the folder: that may be new.
  syncFolder(layout.forgetting, durability);
  syncFolder(layout.root, durability);
  try {
    // From here on it has begun, and is finished whatever happens.
    writeDurably(planOf(repository), below(layout.forgetting, 'plan.tmp'), text, durability);
  } catch (error) {
    throw isObstruction(error) && exists(planOf(repository)) ? errorAfterBeginning('forget', plan.id, error) : error;
  }
  try {
    finish(repository, plan);
  } catch (error) {
    if (!isObstruction(error)) throw error;
    throw exists(planOf(repository)) ? errorAfterBeginning('forget', plan.id, error) : errorAfterAll('forget', error);
  }
}

/** What fails before anything has begun leaves nothing behind. */
function staging<T>(repository: Repository, work: () => T): T {
  try {
    return work();
  } catch (error) {
    discard(repository);
    throw error;
  }
}

/** Removes a staging folder of which nothing has begun. A folder in it is not ours, and is kept. */
function discard(repository: Repository): void {
  const folder = repository.layout.forgetting;
  for (const entry of entriesOf(folder)) {
    const path = below(folder, entry.name);
    if (entry.isDirectory()) setAside(repository, path);
    else removeFile(path);
  }
  removeEmptyFolder(folder);
}

/**
 * Finishes the forgetting that a killed process has begun, or takes away what it had staged. Only under LOCK.
 * @returns whether one was finished
 * @throws {CtxError} damaged, where its plan is torn or a ref stands at a third value
 */
export function finishForgetting(repository: Repository): boolean {
  const { layout, durability } = repository;
  if (!isForgetting(layout)) return false;
  checkFolder(layout, layout.forgetting);
  const plan = begunPlan(repository);
  if (plan === null) {
    discard(repository);
    syncFolder(layout.root, durability);
    return false;
  }
  finish(repository, plan);
  return true;
}

/**
 * Puts the list of what must not come in in its place, where a forgetting that has begun cannot be finished yet: others observe
 * meanwhile. A plan that cannot be followed is left to whoever finishes it, or mends it. Only under LOCK.
 */
export function listForgotten(repository: Repository): void {
  const { forgetting } = repository.layout;
  const index = ifReadable(() => begunPlan(repository))?.files.indexOf(LIST) ?? -1;
  const staged = below(forgetting, String(index));
  if (index < 0 || !exists(staged)) return;
  put(repository, staged, LIST);
  noteForgotten(repository);
}
const LIST = 'forgotten.json';

/** The plan of a forgetting that has begun; null where none has. @throws {CtxError} damaged, unsupported_store */
export function begunPlan(repository: Repository): Plan | null {
  const { layout } = repository;
  checkFolder(layout, planOf(repository));
  const text = readIfThere(planOf(repository), PLAN_LIMIT)?.toString('utf8');
  return text === undefined ? null : decodePlan(repository, text);
}

/** Sets a plan aside that was not made here, or is torn: nothing of it is followed. Only under LOCK. @returns whether there was one */
export function repairForgetting(repository: Repository): boolean {
  if (!isDamaged(() => begunPlan(repository))) return false;
  setAside(repository, planOf(repository));
  return true;
}

/** Every step may have been made already. The objects first that pointers are to name, then pointers first, then what tells of them, then what goes. */
function finish(repository: Repository, plan: Plan): void {
  const { layout, durability } = repository;
  publishObjects(repository, new Set(plan.objects));
  const packed = new Map(plan.packed);
  movePacked(repository, packed);
  for (const move of plan.refs) moveRef(repository, move);
  for (const move of plan.ends) {
    const now = move.pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(move.pointer);
    // Where it was packed it has its new value already.
    const old = move.old !== null && now === packed.get(move.old) ? now : move.old;
    if (now !== move.new) repository.refs.move({ ...move, old }, { at: plan.at, message: 'forget' });
  }
  for (const [index, name] of plan.files.entries()) {
    const staged = below(layout.forgetting, String(index));
    if (exists(staged)) put(repository, staged, name);
  }
  noteForgotten(repository);
  const folders = new Set<string>();
  for (const name of plan.remove) {
    checkFolder(layout, dirname(below(layout.root, name)));
    // Somebody may have made a ref of it since.
    if (name.startsWith('refs/') && isValue(readIfThere(below(layout.root, name)))) continue;
    if (removeFile(below(layout.root, name))) folders.add(dirname(name));
  }
  for (const folder of folders)
    if (exists(below(layout.root, folder))) syncFolder(below(layout.root, folder), durability);
  const gone = new Set(plan.objects);
  // First, or a command beside us would put back what goes.
  repository.secondNames.dropThese(gone);
  removeObjects(repository, gone);
  // The name of a folder may tell as well.
  for (const name of plan.remove)
    for (const [above, root] of [
      ['pending/', layout.pending],
      ['lost/', layout.lost],
    ] as const)
      if (name.startsWith(above)) removeEmptyAbove(root, below(layout.root, name));
  removeFolders(repository, plan.folders ?? []);
  removeFile(planOf(repository));
  syncFolder(layout.forgetting, durability);
  discard(repository);
  syncFolder(layout.root, durability);
}

/**
 * Puts a copy of what is staged in its place: a power cut may leave the end of a move from folder to folder undone and not its
 * beginning, and what is staged is all there is of it.
 */
function put({ layout, durability }: Repository, staged: string, name: string): void {
  const target = below(layout.root, name);
  checkFolder(layout, staged);
  checkFolder(layout, dirname(target));
  makeFolder(dirname(target), durability);
  const copy = below(layout.forgetting, 'put.tmp');
  removeFile(copy);
  writeDurably(target, copy, readIfThere(staged) ?? '', durability);
  removeFile(staged);
}

/** Removes folders in which nothing is any more. */
function removeFolders({ layout, durability }: Repository, folders: readonly string[]): void {
  for (const name of folders) {
    const path = below(layout.root, name);
    if (!checkFolder(layout, path)?.isDirectory()) continue;
    removeEmptyFolder(path);
    syncFolder(dirname(path), durability);
  }
}

function removeEmptyAbove(top: string, path: string): void {
  for (let folder = dirname(path); folder.startsWith(`${top}/`); folder = dirname(folder)) {
    try {
      if (readdirSync(folder).length > 0) return;
      rmdirSync(folder);
    } catch {
      // It is gone already.
    }
  }
}

/** Gives every value in packed-refs that has become another its new one. */
function movePacked({ layout, durability, lockWait }: Repository, packed: ReadonlyMap<string, string>): void {
  // By bytes: the names of others' refs are in whatever encoding, and stay as they are.
  const text = readIfThere(layout.packedRefs)?.toString('latin1');
  if (text === undefined || packed.size === 0) return;
  const path = `${layout.packedRefs}.lock`;
  const marker = layout.packedMarker;
  const lock = takeRefLock({ path, marker, content: '', root: layout.root, wait: lockWait, durability });
  try {
    const lines = (readIfThere(layout.packedRefs)?.toString('latin1') ?? text).split('\n');
    const next = lines
      .map((line) =>
        /^[0-9a-f]{40} /.test(line) ? (packed.get(line.slice(0, 40)) ?? line.slice(0, 40)) + line.slice(40) : line,
      )
      // What a tag points at is told anew by whoever packs the refs next.
      .filter((line) => !line.startsWith('^') && !line.startsWith('#'))
      .join('\n');
    const temporary = `${layout.packedMarker}.new`;
    removeFile(temporary);
    if (next !== lines.join('\n')) writeDurably(layout.packedRefs, temporary, Buffer.from(next, 'latin1'), durability);
  } finally {
    lock.release(true);
  }
}

/** Gives a ref another value for the same thing: nothing is told of it, since its reflog is as if it had always been so. */
function moveRef(repository: Repository, move: Plan['refs'][number]): void {
  const { layout, durability, lockWait } = repository;
  const path = below(layout.root, move.ref);
  checkFolder(layout, dirname(path));
  const value = (): string => {
    const text = readIfThere(path, LINES_LIMIT)?.toString('latin1').trimEnd() ?? '';
    return objectIn(text) ?? text;
  };
  if (value() === move.new) return;
  const lock = takeRefLock({
    path: `${path}.lock`,
    marker: layout.refMarker,
    content: `${move.new}\n`,
    root: layout.root,
    wait: lockWait,
    durability,
  });
  let finished = false;
  try {
    const now = value();
    // Git may have packed it meanwhile, at its old value or at the new one.
    if (now !== move.old && now !== '')
      throw new CtxError('damaged', `A forgetting was cut off, and ${move.ref} has moved since: it is ${now}.`, {
        hint: `Put it back with: git --git-dir=${layout.root} update-ref ${move.ref} ${move.old}; then run the command again.`,
      });
    lock.publish();
    finished = true;
  } finally {
    lock.release(finished);
  }
}
