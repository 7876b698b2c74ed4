/** Setting files aside in `lost/`: what is torn is never deleted. */

import { lstatSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { createFile, exists, readIfThere, renameDurably, rootCode, syncFolder } from '../platform/files.ts';
import { publishFile } from '../platform/publish.ts';
import { LOOSE_LIMIT } from './layout.ts';
import type { StoreFiles } from './store-files.ts';

/** Where a file goes: under the name of its place, with what makes it unique. */
function placeOf({ layout, ids }: StoreFiles, path: string): string {
  return below(layout.lost, `${path.slice(layout.root.length + 1).replaceAll('/', '-')}.${ids()}`);
}

/** Moves a file to its place in `lost/`, which it gives; null where it is gone by now. */
function moveAside(repository: StoreFiles, path: string): string | null {
  const place = placeOf(repository, path);
  try {
    renameDurably(path, place, repository.durability);
    return place;
  } catch (error) {
    if (rootCode(error) === 'ENOENT' && !exists(path)) return null;
    throw error;
  }
}

/** Sets a file aside; false where it is gone by now. */
export const setAside = (repository: StoreFiles, path: string): boolean => moveAside(repository, path) !== null;

/** The same with one that is torn: who writes beside us may have put a whole one in its place, which goes back there. */
export function setTornAside(repository: StoreFiles, path: string, isWhole: (path: string) => boolean): boolean {
  const place = moveAside(repository, path);
  if (place === null || !isWhole(place)) return place !== null;
  renameDurably(place, path, repository.durability);
  return false;
}

/** Keeps a copy of a file that is about to be replaced: it stays in its place until then, or its absence would be believed. */
export function keepCopy(repository: StoreFiles, path: string): void {
  const stat = lstatSync(path);
  if (!stat.isFile()) setAside(repository, path);
  else if (stat.size > LOOSE_LIMIT) keepLarge(repository, path);
  else keep(repository, path, readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0));
}

/** One that is too large to be copied gets a second name: what is put in its place takes the first one from it. */
function keepLarge(repository: StoreFiles, path: string): void {
  const { layout, durability } = repository;
  const place = placeOf(repository, path);
  publishFile(path, place, () => {
    renameDurably(path, place, durability);
    return true;
  });
  syncFolder(layout.lost, durability);
}

/** Keeps a text about a file that is about to go. */
export function keepText(repository: StoreFiles, path: string, text: string): void {
  keep(repository, path, text);
}

/** The disk must have it, with its name, before what it is a copy of goes. */
function keep(repository: StoreFiles, path: string, content: string | Buffer): void {
  createFile(placeOf(repository, path), content, repository.durability);
  syncFolder(repository.layout.lost, repository.durability);
}

/** Whether a check finds damage; any other error goes on. */
export function isDamaged(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return true;
    throw error;
  }
}

/** Whether a check refuses what it looks at, for whatever reason. */
export function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CtxError && ['damaged', 'unsupported_store'].includes(error.code)) return true;
    throw error;
  }
}
