/** Packs a store without Git, by isomorphic-git, and counts its loose and packed objects. Removes no object. */

import fs, { statSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import { writeIndex } from '../../git/objects/index-pack.ts';
import { loosePath } from '../../git/objects/loose.ts';
import { LEAST_BYTES } from '../../git/objects/oversized.ts';
import { openPack } from '../../git/objects/pack.ts';
import { looseOids } from '../../history/forget/store-listing.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import { isWholeObject } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { createFile, discard, exists, listFolder, publishTemporary, removeFile } from '../../platform/files.ts';
import { loosenHead } from './loose-head.ts';

/** Counts of a store's object folder. */
export interface ObjectCounts {
  loose: number;
  loose_bytes: number;
  packs: number;
  packed_bytes: number;
}

export interface ObjectSurvey {
  counts: ObjectCounts;
  /** Ids of loose objects whose files are large enough for an oversized object. */
  heavy: string[];
}

export function surveyObjects(repository: Repository): ObjectSurvey {
  const { layout } = repository;
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
  const loose = [...looseOids(layout)];
  const sizes = loose.map((oid) => sizeOf(loosePath(layout.objects, oid)));
  const packs = listFolder(layout.pack).filter((name) => name.endsWith('.pack'));
  return {
    counts: {
      loose: loose.length,
      loose_bytes: total(sizes),
      packs: packs.length,
      packed_bytes: total(packs.map((name) => sizeOf(below(layout.pack, name)))),
    },
    heavy: loose.filter((_, index) => (sizes[index] ?? 0) >= LEAST_BYTES),
  };
}

/** Packs the loose objects into one more pack without Git; torn ones stay in place, for fsck. */
export async function repackWithoutGit(repository: Repository): Promise<void> {
  const { layout, durability, ids } = repository;
  const whole = [...looseOids(layout)].filter((oid) => isWholeObject(loosePath(layout.objects, oid), oid));
  if (whole.length === 0) return;
  const { default: git } = await import('isomorphic-git');
  const gitdir = layout.root;
  const packing = git.packObjects({ fs, gitdir, dir: gitdir, oids: whole, write: false });
  const { filename, packfile } = await packing.catch((cause: unknown) => {
    const hint = 'Nothing was removed. Another program may have packed the store meanwhile: run the command again.';
    throw new CtxError('io', `The pack could not be made: ${cause instanceof Error ? cause.message : cause}`, {
      hint,
      cause,
    });
  });
  if (!packfile) throw new CtxError('io', 'The pack could not be made.');
  // Git takes these names for neither a pack nor an index: both are renamed after they are on disk.
  const pack = `tmp_pack_${ids()}`;
  const target = below(layout.pack, filename.replace(/\.pack$/, ''));
  const temporaries = [below(layout.pack, pack)];
  try {
    createFile(below(layout.pack, pack), Buffer.from(packfile), durability);
    const { index } = await writeIndex(repository, pack);
    temporaries.push(index);
    publishTemporary(below(layout.pack, pack), `${target}.pack`, durability);
    publishTemporary(index, `${target}.idx`, durability);
  } catch (error) {
    for (const temporary of temporaries) discard(temporary);
    throw error;
  }
  removePacked(repository, `${target}.pack`, whole);
}

/** Removes loose objects that are readable in the pack: Git may remove the pack meanwhile, which stays open here. */
function removePacked({ layout }: Repository, path: string, oids: readonly string[]): void {
  const pack = openPack(path);
  const stands = (): boolean => exists(path) && exists(path.replace(/\.pack$/, '.idx'));
  try {
    for (const oid of oids) if (pack.read(oid) && stands()) removeFile(loosePath(layout.objects, oid));
  } finally {
    pack.close();
  }
}

/** Keeps the objects loose that every hook reads of an open session. */
export function keepHeadsLoose({ refs, objects }: Repository): void {
  for (const head of refs.list(SESSIONS).values()) loosenHead(objects, head);
}
