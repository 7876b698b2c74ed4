/** Repairs what ctx can read and Git refuses: moves Git's caches aside, and rebuilds indexes of packs. */

import { filesOf } from '../../git/objects/git-caches.ts';
import { indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { takePacking } from '../../git/packing.ts';
import { setAside } from '../../git/set-aside.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import { isOfPack, JUDGED, wordsOnCache, wordsOnPack } from '../by-git.ts';
import type { Finding } from '../finding.ts';
import { repairIndex } from './packs.ts';

/**
 * Runs Git's checks again while the packing lock is held, and repairs what Git refuses; returns a sentence for each repair.
 * @param findings Git's complaints so far
 * @throws {CtxError} busy, while others pack or forget; io, unsupported_store
 */
export async function repairForGit(repository: Repository, findings: readonly Finding[]): Promise<string[]> {
  const release = takePacking(repository);
  try {
    const done = JUDGED.flatMap((judged) => {
      if (wordsOnCache(repository, judged).length === 0) return [];
      return filesOf(repository.layout, judged.cache).flatMap((name) => setRefusedAside(repository, name));
    });
    if (findings.some(({ where }) => isOfPack(where))) done.push(...(await repairIndexes(repository)));
    for (const [ending, words] of BESIDE)
      if (findings.some(({ where, message }) => !isOfRef(where) && words.test(message)))
        done.push(...setFilesAside(repository, ending));
    return done;
  } finally {
    release();
  }
}

function setRefusedAside(repository: Repository, name: string): string[] {
  if (!setAside(repository, below(repository.layout.root, name))) return [];
  return [`Set ${name} aside in lost/: Git refuses it. Git makes it again when it needs it.`];
}

async function repairIndexes(repository: Repository): Promise<string[]> {
  const done: string[] = [];
  for (const path of packPaths(repository.layout))
    if (wordsOnPack(repository, indexOf(path)).length > 0) done.push((await repairIndex(repository, path)).report);
  return done;
}

/** Returns whether a place has a name that a user has chosen. */
const isOfRef = (where: string): boolean => /^(?:refs|worktrees)\//.test(where);

/** Files beside an index that can be rebuilt from it, and the words of newer versions of Git about them. */
const BESIDE: [ending: RegExp, words: RegExp][] = [
  [/^pack-[0-9a-f]{40}\.rev$/, /\brev(?:erse)?-index\b|\.rev\b/],
  [/^pack-[0-9a-f]{40}\.bitmap$/, /\bbitmap\b/],
];

const setFilesAside = (repository: Repository, ending: RegExp): string[] =>
  listFolder(repository.layout.pack)
    .filter((name) => ending.test(name))
    .flatMap((name) => setRefusedAside(repository, `objects/pack/${name}`));
