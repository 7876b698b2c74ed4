/** Checks of what Git reads and ctx does not: refs that are none of ctx's, reflogs, and all that is reachable from there alone. */
import { CtxError, FETCH, OR_FETCH } from '../../core/errors.ts';
import { lazily } from '../../core/lazily.ts';
import { quoted } from '../../core/text.ts';
import { forShell, isByteName } from '../../git/byte-names.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { hintForMissing, packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { namedBy } from '../../history/forget/survey.ts';
import { type ForeignRef, foreignRefs, refsThere } from '../../history/pointers/foreign.ts';
import type { Repository } from '../../history/store/repository.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';
import { loggedIds, type StrayId, strayIds } from '../reflog-ids.ts';

const REF = 'pointer';
const BY_HAND = 'Its name is no UTF-8: look into the file, and move it out of the store, by hand.';

/**
 * @param seen objects that were read, with all that is below them, if they are trees; grows
 * @param told ids that a damage has been told of: what is missing is told once
 * @param full follow everything, as Git does
 */
export function* verifyForeign(
  repository: Repository,
  seen: Set<string>,
  told: ReadonlySet<string>,
  full: boolean,
): Generator<Finding> {
  const known = new Set(told);
  const roots: string[] = [];
  yield* guarded(REF, 'refs', function* () {
    const sight = sightOf(repository);
    const symbolic = new Map<string, string>();
    for (const foreign of foreignRefs(repository)) {
      if (foreign.kind === 'ref') symbolic.set(foreign.ref, foreign.name);
      const finding = verifyRef(repository, foreign, sight);
      if (finding !== null) yield finding;
      if (foreign.kind !== 'object') continue;
      if (finding === null) roots.push(foreign.oid);
      else known.add(foreign.oid);
    }
    yield* verifySymbolic(repository, symbolic);
  });
  yield* guarded(REF, 'logs', function* () {
    for (const stray of strayIds(repository)) {
      // What is gone is told once: the line after the one that moved to it moved from it.
      if (stray.instead !== null || !known.has(stray.oid)) yield strayFinding(repository, stray);
      known.add(stray.oid);
    }
    if (full) for (const oid of loggedIds(repository)) roots.push(oid);
  });
  if (full) yield* verifyBelow(repository, roots, seen, known);
}

type Kind = ReturnType<typeof kindOf>;
/** How many objects are remembered by what they are. */
const REMEMBERED = 100_000;

/** What is asked of the objects for every ref, and looked for once: a million may name the same one, and all be in vain. */
interface Sight {
  kindOf: (oid: string) => Kind;
  /** What to do about one that is missing. */
  hint: () => string;
}

function sightOf({ objects, layout }: Repository): Sight {
  const known = new Map<string, Kind>();
  return {
    kindOf: (oid) => {
      const kind = known.get(oid) ?? kindOf(objects, oid);
      if (known.size < REMEMBERED) known.set(oid, kind);
      return kind;
    },
    hint: lazily(() => hintForMissing(layout)),
  };
}

/** What is typed to have Git do something to a ref. A name that is no UTF-8 can be handed on by no ctx. */
const gitOn = ({ layout }: Repository, what: string, ref: string): string =>
  isByteName(ref) ? `git --git-dir=${quoted(layout.root)} ${what} ${forShell(ref)}` : `ctx git ${what} ${quoted(ref)}`;

/** Refs that name other ones, with what they name. */
function* verifySymbolic(repository: Repository, symbolic: ReadonlyMap<string, string>): Generator<Finding> {
  if (symbolic.size === 0) return;
  const there = refsThere(repository, new Set(symbolic.values()));
  for (const [ref, name] of symbolic) {
    if (name === 'HEAD' || there.has(name)) continue;
    const hint = `Take it away: ${gitOn(repository, 'symbolic-ref -d', ref)}`;
    yield damage(REF, ref, `it names ${name}, which does not exist`, hint);
  }
}

/** What is wrong with a ref, but for what another ref is asked for; null where nothing is. */
function verifyRef(repository: Repository, foreign: ForeignRef, sight: Sight): Finding | null {
  const { ref } = foreign;
  const torn = `${REPAIR} gives it back what its reflog names, or sets it aside in lost/.`;
  if (foreign.kind === 'torn') {
    const hint = isByteName(ref) ? BY_HAND : torn;
    return damage(REF, ref, 'its file holds neither an object id nor the name of a ref', hint);
  }
  // Whether those are there is asked of all of them at once.
  if (foreign.kind === 'ref') return null;
  const { oid } = foreign;
  const kind = sight.kindOf(oid);
  const remove = `take the ref away: ${gitOn(repository, 'update-ref -d', ref)}`;
  if (kind instanceof CtxError) return findingOf(kind, 'object', ref);
  if (kind === 'absent') {
    const hint = `${sight.hint()}. If there is none, ${remove}`;
    return damage(REF, ref, `it names ${oid}, which is missing from the store`, hint);
  }
  if (!ref.startsWith('refs/heads/') || kind === 'commit') return null;
  return damage(REF, ref, `it names ${oid}, which is a ${kind} and no commit`, `If you do not need it, ${remove}`);
}

function strayFinding(repository: Repository, { log, line, oid, side, instead }: StrayId): Finding {
  const ref = log.slice('logs/'.length);
  const what = side === 'old' ? 'moved from' : 'moved to';
  const expire = 'reflog expire --stale-fix --expire=never --expire-unreachable=never';
  const leaveOut = gitOn(repository, expire, ref);
  const otherwise = `If you cannot: ${REPAIR}, and if it is not there then, leave out what names it: ${leaveOut}`;
  const hint = instead === null ? `If you can, ${OR_FETCH}. ${otherwise}` : REPAIR;
  return damage(REF, `${log} line ${line}`, `it ${what} ${oid}, which is missing from the store`, hint);
}

/** Every object that can be reached from some: what is missing, or torn. */
function* verifyBelow(
  { objects, layout }: Repository,
  roots: readonly string[],
  seen: Set<string>,
  known: ReadonlySet<string>,
): Generator<Finding> {
  if (packsWithoutIndex(layout).length > 0) return;
  const open = roots.map((oid) => ({ oid, from: '' }));
  // What was read on the way from a pointer is not followed again, but for commits: those are none of `seen`.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { oid, from } = next;
    if (seen.has(oid) || known.has(oid)) continue;
    seen.add(oid);
    const kind = kindOf(objects, oid);
    if (kind === 'absent')
      yield damage('object', oid, `it is missing from the store${from && `, and ${from} needs it`}`, FETCH);
    else if (kind instanceof CtxError) yield findingOf(kind, 'object', oid);
    else if (kind !== 'blob') {
      try {
        for (const named of namedBy(objects, oid)) open.push({ oid: named, from: `${kind} ${oid}` });
      } catch (error) {
        yield findingOf(error, 'object', oid);
      }
    }
  }
}
