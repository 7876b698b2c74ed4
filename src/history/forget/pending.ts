/** Rewrites pending records without the forgotten content. */

import { CtxError } from '../../core/errors.ts';
import { decodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import { filesBelow } from '../../git/entries.ts';
import { LOOSE_LIMIT } from '../../git/layout.ts';
import { contentAs, decodeLoose, deflate, frame, type GitObject } from '../../git/objects/loose.ts';
import { type ObjectStore, plainStore } from '../../git/objects/objects.ts';
import { below } from '../../platform/below.ts';
import { listFolder, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { encodePending, type Pending, readPending, sessionsWithPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import type { History } from './history.ts';
import type { StagedFile } from './planned.ts';
import { recordsNow } from './steps.ts';

const isOid = (name: string): boolean => /^[0-9a-f]{40}$/.test(name);

/** Returns the object store extended by the objects of pending records. */
export function withPendingObjects(repository: Repository, objects: ObjectStore): ObjectStore {
  const { layout } = repository;
  const places = new Map<string, string>();
  for (const session of sessionsWithPending(repository)) {
    const folder = below(layout.pending, session, 'objects');
    for (const oid of listFolder(folder)) if (isOid(oid)) places.set(oid, below(folder, oid));
  }
  const waiting = (oid: string): GitObject | null => {
    const place = places.get(oid);
    const file = place === undefined ? undefined : readIfThere(place, LOOSE_LIMIT);
    return file ? decodeLoose(file, oid) : null;
  };
  const read = (oid: string): GitObject => waiting(oid) ?? objects.read(oid);
  return {
    ...plainStore(objects),
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    // This look changes nothing, not even if an object is torn.
    holds: (oid) => {
      try {
        read(oid);
        return true;
      } catch (error) {
        throwResourceError(error);
        if (error instanceof CtxError) return false;
        throw error;
      }
    },
  };
}

export interface CleanPending {
  staged: StagedFile[];
  /** New objects of pending records: they stay beside the records, since no pointer names them in the store. */
  objects: StagedFile[];
  remove: string[];
  /** Objects that pending records need and that are not beside them. */
  needed: Set<string>;
  /** Number of dropped records of forgotten sessions. */
  dropped: number;
}

/**
 * Rewrites every pending record, and lists the files beside them to remove.
 * @param made the objects that were written for the plan
 * @throws {CtxError} damaged
 */
export function cleanPending(
  repository: Repository,
  history: History,
  objects: ObjectStore,
  made: ReadonlySet<string>,
): CleanPending {
  const { layout } = repository;
  const { forgetting } = history.rewriting;
  const clean: CleanPending = { staged: [], objects: [], remove: [], needed: new Set(), dropped: 0 };
  for (const session of sessionsWithPending(repository)) {
    const waiting = readPending(repository, session);
    if (forgetting.sessions.has(session)) {
      clean.remove.push(...filesBelow(layout, `pending/${session}`));
      clean.dropped += waiting.length;
      continue;
    }
    const [before, after] = [new Set<string>(), new Set<string>()];
    for (const item of waiting) {
      const next = cleanOne(history, objects, session, item);
      for (const oid of item.objects) before.add(oid);
      for (const oid of next.objects) after.add(oid);
      if (next !== item)
        clean.staged.push({
          to: `pending/${session}/${item.record.id}.json`,
          content: Buffer.from(encodePending(next)),
        });
    }
    const folder = below(layout.pending, session, 'objects');
    const beside = new Set(listFolder(folder).filter(isOid));
    for (const oid of after) {
      if (beside.has(oid)) continue;
      if (made.has(oid)) clean.objects.push(waitingObject(objects, session, oid));
      else clean.needed.add(oid);
    }
    for (const oid of beside) {
      // A running process may be about to write the record of an unreferenced object.
      const goes = before.has(oid) ? !after.has(oid) : mayHold(history, oid);
      if (goes) clean.remove.push(`pending/${session}/objects/${oid}`);
    }
  }
  return clean;
}

/** Returns an object as a file beside pending records; read on demand, since there may be many large ones. */
const waitingObject = (objects: ObjectStore, session: string, oid: string): StagedFile => ({
  to: `pending/${session}/objects/${oid}`,
  get content() {
    const { type, content } = objects.read(oid);
    return deflate(frame(type, content));
  },
});

/** Returns whether an unreferenced pending object has or may have forgotten content: a torn one cannot be read. */
function mayHold(history: History, oid: string): boolean {
  try {
    return history.map(oid) !== oid;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return true;
    throw error;
  }
}

function cleanOne(history: History, objects: ObjectStore, session: string, item: Pending): Pending {
  const entries = item.payloads.map(({ name, mode, oid }): [string, TreeEntry] => [name, { name, mode, oid }]);
  const { records, payloads } = recordsNow(history.rewriting, session, [item.record], new Map(entries));
  const [record] = records;
  const kept = [...payloads.values()];
  const same =
    record === item.record && kept.length === entries.length && kept.every((entry, at) => entry === entries[at]?.[1]);
  if (same || record === undefined) return item;
  const needed = kept.flatMap((entry) =>
    isTree(entry)
      ? [entry.oid, ...decodeTree(objects.readAs(entry.oid, 'tree'), entry.oid).map((chunk) => chunk.oid)]
      : [entry.oid],
  );
  return { record, payloads: kept.map(({ name, mode, oid }) => ({ name, mode, oid })), objects: needed };
}
