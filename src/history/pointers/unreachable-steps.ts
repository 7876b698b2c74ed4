/** Finds steps that a session's refs have named and that are in no chain any more, although no operation undid them: nothing shows them. */

import { lazily } from '../../core/lazily.ts';
import { LOOSE_LIMIT, MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import { listFolder, readIfThere } from '../../platform/files.ts';
import { walkChain } from '../chain/chain.ts';
import { isAncestor } from '../chain/ref-rollback.ts';
import { ifReadable } from '../chain/step-search.ts';
import { archiveRef, sessionRef } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { foreignRefs } from './foreign.ts';
import { leftValues } from './last-steps.ts';
import { readOwn } from './last-values.ts';
import { isValue, type PointerState } from './pointer-state.ts';
import { idOf } from './session-location.ts';

/** The last of such steps, with the ref that has moved on without it. */
export interface UnreachableStep {
  ref: string;
  oid: string;
  /** True if it is a descendant of the ref's present value. */
  follows: boolean;
}

/** Number of steps of a session that are checked, the most recently named ones. */
const MOST = 100;
/** Bytes of a reflog's end that are searched for them: some ten thousand moves. */
const REFLOG_END = 2 * 1024 * 1024;

/**
 * Yields stranded steps. A ref may have been set to an older value by hand, or by a repair while a step was missing, and the
 * session continued from there: the earlier steps are whole, or are whole again, and unreachable.
 * @param walked every step of every readable chain
 */
export function* unreachableSteps(
  repository: Repository,
  stock: PointerState,
  walked: ReadonlySet<string>,
): Generator<UnreachableStep> {
  const { objects, layout } = repository;
  const aside = lazily(() => ifReadable(() => listFolder(layout.lost)) ?? []);
  const ids = [...stock.refs].flatMap(([ref, value]) => (ref !== MAIN && isValue(value) ? [idOf(ref)] : []));
  for (const id of new Set(ids)) {
    const all = [sessionRef(id), archiveRef(id)];
    if (all.some((ref) => stock.moving.has(ref))) continue;
    const ref = all.find((one) => stock.refs.has(one)) as string;
    const named = new Set(all.flatMap((one) => [...everNamed(repository, stock, one, aside)]));
    const isWhole = (oid: string): boolean => !isDamaged(() => readOwn(objects, ref, oid));
    const whole = [...named].filter((oid) => !walked.has(oid) && isWhole(oid)).slice(-MOST);
    if (whole.length === 0) continue;
    // Read now: a running command may have moved on since the first look.
    const now = all.flatMap((one) => ifReadable(() => repository.refs.readUnchecked(one)) ?? []);
    const known = stepsBelow(objects, [...now, ...leftValues(stock, ref, null)]);
    // If one of those cannot be read, the steps below it are unknown.
    if (known === null) continue;
    const stranded = whole.filter((oid) => !known.has(oid));
    const ends = stranded.filter((oid) => !stranded.some((other) => isAncestor(objects, oid, other)));
    const [head] = now;
    for (const oid of ends)
      if (!isKeptByUser(repository, oid))
        yield { ref, oid, follows: head !== undefined && isAncestor(objects, head, oid) };
  }
}

/** Returns all steps of some chains; null if one of them cannot be read. */
function stepsBelow(objects: ObjectStore, heads: readonly string[]): ReadonlySet<string> | null {
  const known = new Set<string>();
  const walk = (): ReadonlySet<string> => {
    for (const head of heads) if (!known.has(head)) for (const [oid] of walkChain(objects, head)) known.add(oid);
    return known;
  };
  return ifReadable(walk);
}

/** Returns whether a branch or a tag of the user holds it. */
function isKeptByUser(repository: Repository, oid: string): boolean {
  return (
    ifReadable(() => {
      for (const foreign of foreignRefs(repository))
        if (foreign.kind === 'object' && (foreign.oid === oid || isAncestor(repository.objects, oid, foreign.oid)))
          return true;
      return false;
    }) === true
  );
}

/** Yields every recorded value of a ref: from its files in `lost/`, from the operation log, and from its reflog. */
function* everNamed(
  { layout }: Repository,
  { logged }: PointerState,
  ref: string,
  aside: () => readonly string[],
): Generator<string> {
  const names = [ref, `logs/${ref}`].map((name) => `${name.replaceAll('/', '-')}.`);
  for (const entry of aside().filter((one) => names.some((name) => one.startsWith(name)))) {
    const text = ifReadable(() => readIfThere(below(layout.lost, entry), LOOSE_LIMIT)?.toString('latin1')) ?? '';
    yield* text.match(/\b[0-9a-f]{40}\b/g) ?? [];
  }
  const moves = [
    ...(logged.get(ref) ?? []).toReversed(),
    ...(ifReadable(() => readReflog(layout.root, ref, REFLOG_END)) ?? []),
  ];
  for (const move of moves) for (const oid of [move.old, move.new]) if (oid !== null) yield oid;
}
