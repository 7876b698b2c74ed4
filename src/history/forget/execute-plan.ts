/** Carries out a forgetting: staged completely before it begins, and completed by the next holder of LOCK if it is interrupted. */
import { accessSync, constants, readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { checkFolder, entriesOf } from '../../git/guard.ts';
import { errorAfterAll, errorAfterBeginning, isObstruction } from '../../git/interruption-errors.ts';
import type { Layout } from '../../git/layout.ts';
import { loosePath } from '../../git/objects/loose.ts';
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
import { ifReadable } from '../chain/step-search.ts';
import { noteForgotten } from '../store/forgotten.ts';
import type { Repository } from '../store/repository.ts';
import { isValue } from './file-owner.ts';
import { publishObjects, removeObjects } from './objects.ts';
import { checkPlan, decodePlan, encodePlan, PLAN_LIMIT } from './plan-file.ts';
import type { Plan, Planned } from './planned.ts';

const planOf = ({ layout }: Repository): string => layout.forgettingPlan;

/** Returns whether a forgetting is in progress or has left staged files. */
export const isForgetting = (layout: Layout): boolean => exists(layout.forgetting);

/** Stages all files, begins, and carries out the plan. Only under LOCK. */
export function executePlan(repository: Repository, { plan, staged }: Planned): void {
  const { layout, durability } = repository;
  const text = staging(repository, () => {
    checkPlan(plan);
    checkWritable(layout, plan);
    checkFolder(layout, layout.forgetting);
    for (const [index, { content }] of staged.entries())
      createFile(below(layout.forgetting, String(index)), content, durability);
    return encodePlan(repository, plan);
  });
  // A plan must never exist without its staged files, nor be lost with its folder, which may be new.
  syncFolder(layout.forgetting, durability);
  syncFolder(layout.root, durability);
  try {
    // From here on it has begun, and will be completed.
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

/** Runs the staging; removes the staged files if it fails. */
function staging<T>(repository: Repository, work: () => T): T {
  try {
    return work();
  } catch (error) {
    discard(repository);
    throw error;
  }
}

/** Removes a staging folder whose plan has not begun. A folder in it is not ours, and is kept in `lost/`. */
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
 * Completes the forgetting of a killed process, or removes its staged files. Only under LOCK.
 * @returns whether one was completed
 * @throws {CtxError} damaged, if its plan is torn or a ref has a third value
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
 * Publishes the list of forgotten contents while a begun forgetting cannot be completed yet, since other commands record
 * meanwhile. An invalid plan is left to the repair. Only under LOCK.
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

/** Reads the plan of a begun forgetting; null if there is none. @throws {CtxError} damaged, unsupported_store */
export function begunPlan(repository: Repository): Plan | null {
  const { layout } = repository;
  checkFolder(layout, planOf(repository));
  const text = readIfThere(planOf(repository), PLAN_LIMIT)?.toString('utf8');
  return text === undefined ? null : decodePlan(repository, text);
}

/**
 * Moves a torn plan, or one that was not made here, into `lost/`: none of it is carried out. Only under LOCK.
 * @returns whether there was one
 */
export function repairForgetting(repository: Repository): boolean {
  if (!isDamaged(() => begunPlan(repository))) return false;
  setAside(repository, planOf(repository));
  return true;
}

/**
 * Carries out the plan; any part of it may be done already. First the objects that pointers will name, then the pointers,
 * then the logs, then the removals.
 */
function finish(repository: Repository, plan: Plan): void {
  const { layout, durability } = repository;
  publishObjects(repository, new Set(plan.objects));
  const packed = new Map(plan.packed);
  movePacked(repository, packed);
  for (const move of plan.refs) moveRef(repository, move);
  for (const move of plan.ends) {
    const now = move.pointer === 'STAGE' ? repository.refs.stage() : repository.refs.read(move.pointer);
    // A packed pointer has its new value already.
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
    // Another process may have made a ref of it since.
    if (name.startsWith('refs/') && isValue(readIfThere(below(layout.root, name)))) continue;
    if (removeFile(below(layout.root, name))) folders.add(dirname(name));
  }
  for (const folder of folders)
    if (exists(below(layout.root, folder))) syncFolder(below(layout.root, folder), durability);
  const gone = new Set(plan.objects);
  // First, since a concurrent command would restore the objects.
  repository.secondNames.dropThese(gone);
  removeObjects(repository, gone);
  // The name of a folder may contain forgotten content too.
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
 * Publishes a copy of a staged file: a power cut may undo the second half of a rename between folders, and the staged file
 * is the only one.
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

/** Removes empty folders. */
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

/** Replaces the changed values in packed-refs. */
function movePacked({ layout, durability, lockWait }: Repository, packed: ReadonlyMap<string, string>): void {
  // As bytes: the names of other refs are in any encoding, and stay as they are.
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
      // Peeled lines are written again when the refs are packed next.
      .filter((line) => !line.startsWith('^') && !line.startsWith('#'))
      .join('\n');
    const temporary = `${layout.packedMarker}.new`;
    removeFile(temporary);
    if (next !== lines.join('\n')) writeDurably(layout.packedRefs, temporary, Buffer.from(next, 'latin1'), durability);
  } finally {
    lock.release(true);
  }
}

/** Sets a ref to the rewritten object without a reflog line: its reflog is rewritten as if the ref had always had that value. */
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
    // Git may have packed it meanwhile, with its old or its new value.
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

/**
 * Checks that a plan can be completed: a begun one that cannot would block every later command.
 * @throws {CtxError} io, if a file must be removed or changed in a folder that is not writable
 */
function checkWritable(layout: Layout, plan: Plan): void {
  for (const folder of foldersOf(layout, plan)) {
    if (!exists(folder)) continue;
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new CtxError('io', `Nothing was changed: ${folder} cannot be written to, and something in it has to go.`, {
        hint: `Make it writable, then run the command again: chmod u+rwx ${folder}`,
        cause,
      });
    }
  }
}

/** Returns every folder in which the plan writes or removes files. */
function foldersOf(layout: Layout, plan: Plan): Set<string> {
  const refs = [...plan.refs.map(({ ref }) => ref), ...plan.ends.map(({ pointer }) => pointer)];
  const names = [...refs, ...plan.files, ...plan.remove, ...(plan.folders ?? [])];
  const folders = new Set(names.map((name) => dirname(below(layout.root, name))));
  for (const oid of plan.objects) {
    const path = loosePath(layout.objects, oid);
    if (exists(path)) folders.add(dirname(path));
  }
  if (plan.objects.length > 0) folders.add(layout.pack);
  if (plan.packed.length > 0) folders.add(layout.root);
  return folders;
}
