/** Checks what only Git reads: foreign refs, reflogs, and the objects that only those reach. */
import { CtxError, FETCH, OR_FETCH } from '../../core/errors.ts';
import { lazily } from '../../core/lazily.ts';
import { quoted } from '../../core/text.ts';
import { forShell, isByteName } from '../../git/byte-names.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { hintForMissing, packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { namedBy } from '../../history/forget/store-listing.ts';
import { type ForeignRef, foreignRefs, refsThere } from '../../history/pointers/foreign.ts';
import type { Repository } from '../../history/store/repository.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';
import { loggedIds, type StrayId, strayIds } from '../reflog-ids.ts';

const REF = 'pointer';
const BY_HAND = 'Its name is no UTF-8: look into the file, and move it out of the store, by hand.';

/**
 * Checks them.
 * @param seen objects that were read, with everything below a tree; grows
 * @param reported ids in earlier findings: a missing object is reported once
 * @param full follows everything, as Git does
 */
export function* verifyForeign(
  repository: Repository,
  seen: Set<string>,
  reported: ReadonlySet<string>,
  full: boolean,
): Generator<Finding> {
  const known = new Set(reported);
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
      // A missing object is reported once: the line after the one that moved to it also names it.
      if (stray.instead !== null || !known.has(stray.oid)) yield strayFinding(repository, stray);
      known.add(stray.oid);
    }
    if (full) for (const oid of loggedIds(repository)) roots.push(oid);
  });
  if (full) yield* verifyBelow(repository, roots, seen, known);
}

type Kind = ReturnType<typeof kindOf>;
/** Number of objects whose kinds are cached. */
const REMEMBERED = 100_000;

/** Cached lookups for all refs: a million refs may name the same missing object. */
interface Sight {
  kindOf: (oid: string) => Kind;
  /** The hint for a missing object. */
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

/** Returns a command of Git on a ref. ctx cannot pass on a name that is no UTF-8. */
const gitOn = ({ layout }: Repository, what: string, ref: string): string =>
  isByteName(ref) ? `git --git-dir=${quoted(layout.root)} ${what} ${forShell(ref)}` : `ctx git ${what} ${quoted(ref)}`;

/** Checks symbolic refs, with the names of their targets. */
function* verifySymbolic(repository: Repository, symbolic: ReadonlyMap<string, string>): Generator<Finding> {
  if (symbolic.size === 0) return;
  const there = refsThere(repository, new Set(symbolic.values()));
  for (const [ref, name] of symbolic) {
    if (name === 'HEAD' || there.has(name)) continue;
    const hint = `Take it away: ${gitOn(repository, 'symbolic-ref -d', ref)}`;
    yield damage(REF, ref, `it names ${name}, which does not exist`, hint);
  }
}

/** Checks a ref, except the target of a symbolic one; returns null if it is right. */
function verifyRef(repository: Repository, foreign: ForeignRef, sight: Sight): Finding | null {
  const { ref } = foreign;
  const torn = `${REPAIR} gives it back what its reflog names, or sets it aside in lost/.`;
  if (foreign.kind === 'torn') {
    const hint = isByteName(ref) ? BY_HAND : torn;
    return damage(REF, ref, 'its file holds neither an object id nor the name of a ref', hint);
  }
  // The targets of all symbolic refs are looked up together.
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

/** Checks every object that is reachable from some: yields missing and torn ones. */
function* verifyBelow(
  { objects, layout }: Repository,
  roots: readonly string[],
  seen: Set<string>,
  known: ReadonlySet<string>,
): Generator<Finding> {
  if (packsWithoutIndex(layout).length > 0) return;
  const open = roots.map((oid) => ({ oid, from: '' }));
  // Trees that were read from a pointer are not followed again; commits are never in `seen`.
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
