/** Mending what ctx itself can read right, and Git refuses: caches of Git's are set aside, and indexes of packs made anew. */

import { filesOf } from '../../git/objects/git-caches.ts';
import { indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { takePacking } from '../../git/packing.ts';
import { setAside } from '../../git/set-aside.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import { isOfPack, JUDGED, wordsOnCache, wordsOnPack } from '../by-git.ts';
import type { Finding } from '../finding.ts';
import { mendIndex } from './mend-packs.ts';

/**
 * Asks Git once more with what keeps others from packing in hand, and mends what it refuses; gives a sentence for each.
 * @param findings what Git has said
 * @throws {CtxError} busy, while others pack or forget; io, unsupported_store
 */
export async function mendForGit(repository: Repository, findings: readonly Finding[]): Promise<string[]> {
  const release = takePacking(repository);
  try {
    const done = JUDGED.flatMap((judged) => {
      if (wordsOnCache(repository, judged).length === 0) return [];
      return filesOf(repository.layout, judged.cache).flatMap((name) => setRefusedAside(repository, name));
    });
    if (findings.some(({ where }) => isOfPack(where))) done.push(...(await mendIndexes(repository)));
    for (const [ending, words] of BESIDE)
      if (findings.some(({ where, message }) => !isOfRef(where) && words.test(message)))
        done.push(...setBesideAside(repository, ending));
    return done;
  } finally {
    release();
  }
}

function setRefusedAside(repository: Repository, name: string): string[] {
  if (!setAside(repository, below(repository.layout.root, name))) return [];
  return [`Set ${name} aside in lost/: Git refuses it. Git makes it again when it needs it.`];
}

async function mendIndexes(repository: Repository): Promise<string[]> {
  const done: string[] = [];
  for (const path of packPaths(repository.layout))
    if (wordsOnPack(repository, indexOf(path)).length > 0) done.push((await mendIndex(repository, path)).told);
  return done;
}

/** Whether what is wrong has a name that somebody has chosen. */
const isOfRef = (where: string): boolean => /^(?:refs|worktrees)\//.test(where);

/** What lies beside an index and can be made of it, and how newer versions of Git name that. */
const BESIDE: [ending: RegExp, words: RegExp][] = [
  [/^pack-[0-9a-f]{40}\.rev$/, /\brev(?:erse)?-index\b|\.rev\b/],
  [/^pack-[0-9a-f]{40}\.bitmap$/, /\bbitmap\b/],
];

const setBesideAside = (repository: Repository, ending: RegExp): string[] =>
  listFolder(repository.layout.pack)
    .filter((name) => ending.test(name))
    .flatMap((name) => setRefusedAside(repository, `objects/pack/${name}`));
