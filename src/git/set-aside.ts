/** Moves files aside into `lost/`: a torn file is never deleted. */

import { lstatSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { createFile, exists, readIfThere, renameDurably, rootCode, syncFolder } from '../platform/files.ts';
import { publishFile } from '../platform/publish.ts';
import { LOOSE_LIMIT } from './layout.ts';
import type { StoreFiles } from './store-files.ts';

/** Returns the place of a file in `lost/`: its name from the store's root, and a unique suffix. */
function placeOf({ layout, ids }: StoreFiles, path: string): string {
  return below(layout.lost, `${path.slice(layout.root.length + 1).replaceAll('/', '-')}.${ids()}`);
}

/** Moves a file into `lost/` and returns its place; null if the file is gone. */
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

/** Moves a file into `lost/`; returns false if it is gone. */
export const setAside = (repository: StoreFiles, path: string): boolean => moveAside(repository, path) !== null;

/** Moves a torn file into `lost/`; a concurrent writer may have replaced it by a whole one, which is put back. */
export function setTornAside(repository: StoreFiles, path: string, isWhole: (path: string) => boolean): boolean {
  const place = moveAside(repository, path);
  if (place === null || !isWhole(place)) return place !== null;
  renameDurably(place, path, repository.durability);
  return false;
}

/** Copies a file that is about to be replaced: it must stay in its place until then, since its absence would mean something. */
export function keepCopy(repository: StoreFiles, path: string): void {
  const stat = lstatSync(path);
  if (!stat.isFile()) setAside(repository, path);
  else if (stat.size > LOOSE_LIMIT) keepLarge(repository, path);
  else keepText(repository, path, readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0));
}

/** Links a file that is too large to be copied: its replacement takes over the first name. */
function keepLarge(repository: StoreFiles, path: string): void {
  const { layout, durability } = repository;
  const place = placeOf(repository, path);
  publishFile(path, place, () => {
    renameDurably(path, place, durability);
    return true;
  });
  syncFolder(layout.lost, durability);
}

/** Writes a copy of a file, or a text about it, into `lost/`: it must be on disk before the original is removed. */
export function keepText(repository: StoreFiles, path: string, content: string | Buffer): void {
  createFile(placeOf(repository, path), content, repository.durability);
  syncFolder(repository.layout.lost, repository.durability);
}

/** Returns whether a check finds damage; passes on any other error. */
export function isDamaged(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return true;
    throw error;
  }
}

/** Returns whether a check refuses something, for whatever reason. */
export function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CtxError && ['damaged', 'unsupported_store'].includes(error.code)) return true;
    throw error;
  }
}
