/** Steps that a session's refs have named and that are on no chain any more, though no operation took them back: what they hold is shown nowhere. */

import { lazily } from '../../core/lazily.ts';
import { archiveRef, LOOSE_LIMIT, MAIN, sessionRef } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { below } from '../../platform/below.ts';
import { listFolder, readIfThere } from '../../platform/files.ts';
import { isAncestor } from '../chain/behind.ts';
import { walkChain } from '../chain/chain.ts';
import { ifReadable } from '../chain/stray.ts';
import type { Repository } from '../store/repository.ts';
import { foreignRefs } from './foreign.ts';
import { leftValues } from './last-steps.ts';
import { readOwn } from './last-values.ts';
import { isValue, type Stock } from './stock.ts';
import { idOf } from './whereabouts.ts';

/** The last of such steps, with the ref whose session has moved on without it. */
export interface Stranded {
  ref: string;
  oid: string;
  /** Whether it follows from where the ref stands: nothing else does yet. */
  follows: boolean;
}

/** How many steps of a session are looked at, the last ones that were named: whoever has more has been told of them. */
const MOST = 100;
/** How much of a reflog's end is looked at for them, in bytes: some ten thousand moves. */
const REFLOG_END = 2 * 1024 * 1024;

/**
 * Somebody may have put an older value in the place of a ref, or a repair had to go back since a step was gone, and the session went
 * on from there: what was kept before is whole, or is again, and nobody looks at it.
 * @param walked every step of every chain, as far as those could be read
 */
export function* strandedSteps(repository: Repository, stock: Stock, walked: ReadonlySet<string>): Generator<Stranded> {
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
    // Asked now: whoever works on the store may have moved on since it was looked at.
    const now = all.flatMap((one) => ifReadable(() => repository.refs.readUnchecked(one)) ?? []);
    const known = stepsBelow(objects, [...now, ...leftValues(stock, ref, null)]);
    // Where one of those cannot be read nobody can tell what stands below it.
    if (known === null) continue;
    const stranded = whole.filter((oid) => !known.has(oid));
    const ends = stranded.filter((oid) => !stranded.some((other) => isAncestor(objects, oid, other)));
    const [head] = now;
    for (const oid of ends)
      if (!isKeptByUser(repository, oid))
        yield { ref, oid, follows: head !== undefined && isAncestor(objects, head, oid) };
  }
}

/** All steps of some chains; null where one of them cannot be read. */
function stepsBelow(objects: ObjectStore, heads: readonly string[]): ReadonlySet<string> | null {
  const known = new Set<string>();
  const walk = (): ReadonlySet<string> => {
    for (const head of heads) if (!known.has(head)) for (const [oid] of walkChain(objects, head)) known.add(oid);
    return known;
  };
  return ifReadable(walk);
}

/** Whether a branch or a tag holds it: then somebody has seen to it. */
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

/** Whatever is told to have been the value of a ref: by what repairs have set aside of it, by the operation log, and by its reflog. */
function* everNamed(
  { layout }: Repository,
  { told }: Stock,
  ref: string,
  aside: () => readonly string[],
): Generator<string> {
  const names = [ref, `logs/${ref}`].map((name) => `${name.replaceAll('/', '-')}.`);
  for (const entry of aside().filter((one) => names.some((name) => one.startsWith(name)))) {
    const text = ifReadable(() => readIfThere(below(layout.lost, entry), LOOSE_LIMIT)?.toString('latin1')) ?? '';
    yield* text.match(/\b[0-9a-f]{40}\b/g) ?? [];
  }
  const moves = [
    ...(told.get(ref) ?? []).toReversed(),
    ...(ifReadable(() => readReflog(layout.root, ref, REFLOG_END)) ?? []),
  ];
  for (const move of moves) for (const oid of [move.old, move.new]) if (oid !== null) yield oid;
}
