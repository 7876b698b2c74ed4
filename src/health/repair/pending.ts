/** Repairs pending records: those that cannot be flushed are moved to `lost/`, so that all others can. */
import { CtxError } from '../../core/errors.ts';
import { treePath } from '../../core/file-path.ts';
import { frame, sha1 } from '../../git/objects/loose.ts';
import { setAside, setTornAside } from '../../git/set-aside.ts';
import {
  isWholeObject,
  missingObjects,
  type Pending,
  pendingKeeper,
  pendingNames,
  readPending,
  sessionsWithPending,
} from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists } from '../../platform/files.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';

/** Moves pending records aside that are torn, or have lost an object for good; yields a sentence for each repair. */
export function* repairPending(repository: Repository): Generator<string> {
  for (const id of sessionsWithPending(repository)) {
    for (const name of pendingNames(repository, id)) {
      const item = readOne(repository, id, name);
      if (item === 'torn') {
        setAside(repository, below(repository.layout.pending, id, name));
        yield `Set the torn record pending/${id}/${name} aside in lost/.`;
      } else if (item !== null) yield* repairObjectsOf(repository, id, item);
    }
  }
}

/** Reads a pending record; returns null if a newer ctx has written it, or it has just gone. */
function readOne(repository: Repository, id: string, name: string): Pending | 'torn' | null {
  try {
    return readPending(repository, id, [name])[0] ?? null;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    if (error.code === 'damaged') return 'torn';
    if (error.code === 'newer_version') return null;
    throw error;
  }
}

/** Restores the lost objects of a record; if that is impossible, moves the record aside, since it would block all others. */
function* repairObjectsOf(repository: Repository, id: string, item: Pending): Generator<string> {
  const lost: string[] = [];
  // Torn objects first, then their record: after a kill in between, the next repair finds the record again.
  for (const oid of missingObjects(repository, id, [item])) {
    const where = `pending/${id}/objects/${oid}`;
    const path = below(repository.layout.pending, id, 'objects', oid);
    const isTorn = exists(path) && setTornAside(repository, path, (place) => isWholeObject(place, oid));
    if (isTorn) yield `Set the torn object ${where} aside in lost/.`;
    else if (exists(path)) continue;
    const from = writeAgain(repository, id, item, oid);
    if (from === null) lost.push(oid);
    else yield `Restored ${where} from ${from}, which still is what was observed.`;
  }
  if (lost.length === 0) return;
  const name = `${item.record.id}.json`;
  setAside(repository, below(repository.layout.pending, id, name));
  yield `Set the record pending/${id}/${name} aside in lost/: ${lost.join(', ')}, which it needs, cannot be had any more.`;
}

/** Writes the content of a record's file again, if the file is unchanged; returns its path, else null. */
function writeAgain(repository: Repository, id: string, { record }: Pending, oid: string): string | null {
  const { path } = record;
  const names = typeof path === 'string' ? treePath(path) : null;
  if (names === null) return null;
  const content = contentOf(below(repository.project, ...names));
  if (content === undefined || sha1(frame('blob', content)) !== oid) return null;
  pendingKeeper(repository, id).write('blob', content);
  return names.join('/');
}

/** An unreadable file counts as gone. */
function contentOf(path: string): Buffer | undefined {
  try {
    return readLinkedIfThere(path);
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    return undefined;
  }
}
