/** Finds steps that no ref names any more: deleting a ref with Git deletes its reflog too. */
import { decodeCommit, trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import type { ObjectType } from '../../git/objects/loose.ts';
import { readIfWhole } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { isAncestor } from './ref-rollback.ts';

/** A step of a session that was found among all objects. */
export interface FoundStep {
  oid: string;
  step: number;
  committedAt: number;
}

/** A commit that was found among all objects. */
interface Found {
  oid: string;
  parents: readonly string[];
  committedAt: number;
  trailers: ReadonlyMap<string, string>;
}

/** Yields every whole object of a type in the store. Reads every object. */
export function* everyWhole(objects: ObjectStore, type: ObjectType): Generator<{ oid: string; content: Buffer }> {
  for (let byte = 0; byte < 256; byte += 1) {
    for (const oid of objects.withPrefix(byte.toString(16).padStart(2, '0'), Number.POSITIVE_INFINITY)) {
      const object = readIfWhole(objects, oid);
      if (object?.type === type) yield { oid, content: object.content };
    }
  }
}

/** Returns the result of a read, or null if the object is malformed: anybody may have written it. */
export function ifReadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return null;
    throw error;
  }
}

function* everyCommit(objects: ObjectStore): Generator<Found> {
  for (const { oid, content } of everyWhole(objects, 'commit')) {
    const commit = ifReadable(() => decodeCommit(content, oid));
    if (commit)
      yield { oid, parents: commit.parents, committedAt: commit.committedAt, trailers: trailersOf(commit.message) };
  }
}

/** Returns the steps of some sessions, or of all, by session, the last one first. Reads every object. */
export function findSteps(objects: ObjectStore, sessions?: ReadonlySet<string>): Map<string, FoundStep[]> {
  const found = new Map<string, FoundStep[]>();
  for (const { oid, committedAt, trailers } of everyCommit(objects)) {
    const [session = '', step] = [trailers.get('Ctx-Session'), Number(trailers.get('Ctx-Step'))];
    if (session === '' || sessions?.has(session) === false || !Number.isSafeInteger(step)) continue;
    found.set(session, [...(found.get(session) ?? []), { oid, step, committedAt }]);
  }
  for (const steps of found.values()) steps.sort((a, b) => b.step - a.step || b.committedAt - a.committedAt);
  return found;
}

/**
 * Returns the canonical commits without successor, the newest first. Reads every object.
 * @param open open sessions: their own canonical commits were undone
 */
export function findEnds(objects: ObjectStore, open: ReadonlySet<string> = new Set()): string[] {
  const commits: Found[] = [];
  for (const commit of everyCommit(objects)) {
    const { trailers } = commit;
    if (trailers.has('Ctx-Type') && !open.has(trailers.get('Ctx-Session') ?? '')) commits.push(commit);
  }
  const followed = new Set(commits.flatMap(({ parents }) => parents));
  const ends = commits.filter(({ oid }) => !followed.has(oid));
  return ends.sort((a, b) => b.committedAt - a.committedAt).map(({ oid }) => oid);
}

/**
 * Returns the last step that follows another one.
 * @param left values that an undo left on purpose: neither they nor their ancestors are returned
 */
export function lastDescendant(
  objects: ObjectStore,
  steps: readonly FoundStep[],
  from: string,
  left: readonly string[],
  isWhole: (oid: string) => boolean,
): string | null {
  const isLeft = (oid: string): boolean => left.some((value) => value === oid || isAncestor(objects, oid, value));
  return steps.find(({ oid }) => isAncestor(objects, from, oid) && !isLeft(oid) && isWhole(oid))?.oid ?? null;
}
