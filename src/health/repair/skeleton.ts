/** Repairs the skeleton of a store: HEAD, config and folders, and keeps what was in their places. */

import { CONFIG } from '../../git/config.ts';
import { isRefused, keepCopy, setAside } from '../../git/set-aside.ts';
import { HEAD, SKELETON } from '../../history/store/create.ts';
import type { Repository } from '../../history/store/repository.ts';
import { checkConfig, checkHead, misplaced, misplacedFiles } from '../../history/store/skeleton.ts';
import { below } from '../../platform/below.ts';
import { exists, makeFolder, removeFile, renameDurably, writeDurably } from '../../platform/files.ts';

/** Repairs the skeleton, so that everything else can be read; yields a sentence for each repair. Only under LOCK. */
export function* repairSkeleton(repository: Repository): Generator<string> {
  const { layout, durability } = repository;
  for (const name of misplaced(layout)) {
    if (name === 'lost') moveIntoItself(repository);
    else setAside(repository, below(layout.root, name));
    yield `Set ${name} aside in lost/: it was no folder.`;
  }
  for (const name of misplacedFiles(layout)) {
    setAside(repository, below(layout.root, name));
    yield `Set ${name} aside in lost/: it was no file.`;
  }
  for (const name of SKELETON) makeFolder(below(layout.root, name), durability);
  if (isRefused(() => checkHead(layout))) yield anew(repository, layout.head, HEAD);
  if (isRefused(() => checkConfig(layout))) yield anew(repository, layout.config, CONFIG);
}

function moveIntoItself({ layout, ids, durability }: Repository): void {
  const aside = `${layout.lost}.${ids()}`;
  renameDurably(layout.lost, aside, durability);
  renameDurably(aside, below(layout.lost, 'lost'), durability);
}

/** Writes a file of the skeleton again; keeps a copy of the old one. */
function anew(repository: Repository, path: string, text: string): string {
  const { layout, durability } = repository;
  const name = path.slice(layout.root.length + 1);
  const was = exists(path);
  if (was) keepCopy(repository, path);
  const temporary = `${path}.new.tmp`;
  removeFile(temporary);
  writeDurably(path, temporary, text, durability);
  return was ? `Rewrote ${name}; what was there is in lost/.` : `Wrote ${name}: it was missing.`;
}
