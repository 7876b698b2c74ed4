/** Setting files aside in `lost/`: what is torn is never deleted. */
import { lstatSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { createFile, exists, readIfThere, renameDurably, rootCode, syncFolder } from '../../platform/files.ts';
import { publishFile } from '../../platform/publish.ts';
import { LOOSE_LIMIT } from '../objects/loose.ts';
import type { Repository } from '../repository.ts';

/** Where a file goes: under the name of its place, with what makes it unique. */
function placeOf({ layout, ids }: Repository, path: string): string {
  return below(layout.lost, `${path.slice(layout.root.length + 1).replaceAll('/', '-')}.${ids()}`);
}

/** Sets a file aside; false where it is gone by now. */
export function setAside(repository: Repository, path: string): boolean {
  try {
    renameDurably(path, placeOf(repository, path), repository.durability);
    return true;
  } catch (error) {
    if (rootCode(error) === 'ENOENT' && !exists(path)) return false;
    throw error;
  }
}

/** Keeps a copy of a file that is about to be replaced: it stays in its place until then, or its absence would be believed. */
export function keepCopy(repository: Repository, path: string): void {
  const stat = lstatSync(path);
  if (!stat.isFile()) setAside(repository, path);
  else if (stat.size > LOOSE_LIMIT) keepLarge(repository, path);
  else keep(repository, path, readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0));
}

/** One that is too large to be copied gets a second name: what is put in its place takes the first one from it. */
function keepLarge(repository: Repository, path: string): void {
  const { layout, durability } = repository;
  const place = placeOf(repository, path);
  publishFile(path, place, () => {
    renameDurably(path, place, durability);
    return true;
  });
  syncFolder(layout.lost, durability);
}

/** Keeps a text about a file that is about to go. */
export function keepText(repository: Repository, path: string, text: string): void {
  keep(repository, path, text);
}

/** The disk must have it, with its name, before what it is a copy of goes. */
function keep(repository: Repository, path: string, content: string | Buffer): void {
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
