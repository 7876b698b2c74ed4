/** Checks the values of pointers, and that every pointer exists and has its recorded value. */
import { trailersOf } from '../../core/commit.ts';
import { CtxError, FETCH, OR_FETCH } from '../../core/errors.ts';
import { lazily } from '../../core/lazily.ts';
import { quoted } from '../../core/text.ts';
import { filesBelow } from '../../git/entries.ts';
import { type Layout, MAIN } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { hintForMissing, packsWithoutIndex } from '../../git/objects/pack-faults.ts';
import { packedRefs } from '../../git/refs/packed-refs.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isRoot } from '../../history/chain/canonical.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { isAncestor, lastLeftValue } from '../../history/chain/ref-rollback.ts';
import { findEnds, findSteps } from '../../history/chain/step-search.ts';
import { ARCHIVE, archiveRef, isPointer, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { newestOf, type Steps } from '../../history/pointers/last-steps.ts';
import { type GoneHead, goneHead, lastWhole, lostMain } from '../../history/pointers/last-values.ts';
import { lostStage } from '../../history/pointers/lost-stage.ts';
import { isValue, type PointerState } from '../../history/pointers/pointer-state.ts';
import { type Double, doubles, idOf, lostRefs, type Saved } from '../../history/pointers/session-location.ts';
import { unreachableSteps } from '../../history/pointers/unreachable-steps.ts';
import type { Repository } from '../../history/store/repository.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';
import { lostSessions } from '../remake-session.ts';
import { verifyChain } from './chain.ts';
import { type MainLine, verifyHistory } from './history.ts';
import { verifySaved } from './saved.ts';

/** Checks every pointer, and everything that is reachable from one. @param seen objects that were read; grows */
export function* verifyPointers(repository: Repository, stock: PointerState, seen: Set<string>): Generator<Finding> {
  const { objects } = repository;
  const line: MainLine = { commits: new Set(), whole: false, saved: new Map() };
  const main = stock.refs.get(MAIN);
  if (main === undefined) yield missingMain(repository, stock);
  else if (isValue(main)) yield* verifyHistory(objects, main, seen, line);
  const saved: Saved = new Map([...line.saved].map(([id, { work }]) => [id, [work]]));
  const context: Context = {
    root: repository.layout.root,
    seen,
    heads: new Set(),
    walked: new Set(),
    damaged: new Set(),
    line,
    stock,
  };
  for (const [prefix, error] of stock.unlisted) yield findingOf(error, 'pointer', prefix);
  const torn = [...stock.refs].filter(([, value]) => value instanceof CtxError).map(([ref]) => idOf(ref));
  // Reads every object: only if a torn ref has no log, and once for all of them.
  const steps = lazily(() => findSteps(objects, new Set(torn)));
  for (const [ref, value] of stock.refs) {
    if (value instanceof CtxError) yield unreadable(repository, stock, ref, value, saved, steps);
    else if (ref !== MAIN) yield* verifyHead(repository, ref, value, context);
  }
  const lost = new Map(lostRefs(objects, stock, saved));
  for (const [ref, value] of lost)
    yield damage('pointer', ref, `it is gone, and the operation log says that it named ${value}`, REPAIR);
  yield* verifyDoubles(objects, stock, saved);
  yield* verifyPlaces(repository, stock);
  yield* verifySavedSessions(objects, stock, line, lost);
  yield* verifyUnreachable(repository, stock, context);
  yield* verifyStage(repository, stock);
  yield* verifyNames(repository);
}

/**
 * Reports a missing main: a repair restores it from any remaining commit, and creates it again if it was never more than the
 * first.
 */
function missingMain(repository: Repository, stock: PointerState): Finding {
  const named = lostMain(repository, stock);
  if (named === null || findEnds(repository.objects).some((oid) => !isRoot(oid)))
    return damage('pointer', MAIN, 'it is missing', REPAIR);
  return damage('pointer', MAIN, `it is missing, and so is all that it named, ${named} last`, FETCH);
}

interface Context {
  root: string;
  seen: Set<string>;
  /** Heads of chains that were checked. */
  heads: Set<string>;
  /** Their steps. */
  walked: Set<string>;
  /** Refs of sessions with damage, or that cannot be judged. */
  damaged: Set<string>;
  line: MainLine;
  stock: PointerState;
}

/** Reports a ref without a readable value: a repair restores it if a recorded value is whole. */
function unreadable(
  repository: Repository,
  stock: PointerState,
  ref: string,
  error: CtxError,
  saved: Saved,
  steps: () => Steps,
): Finding {
  const works = ref === archiveRef(idOf(ref)) ? saved.get(idOf(ref)) : undefined;
  const finding = findingOf(error, 'pointer', ref);
  const isTold = lastWhole(repository, stock, ref, works) !== undefined;
  const isLost = !isTold && (ref === MAIN || newestOf(repository, stock, ref, steps()) === null);
  return isLost ? { ...finding, hint: `No commit that it named is whole any more. ${FETCH}` } : finding;
}

/** Checks the session of a head. An unreadable head is a single finding, since all others would follow from it. */
function* verifyHead(repository: Repository, ref: string, head: string, context: Context): Generator<Finding> {
  const { objects } = repository;
  const gone = goneHead(repository, context.stock, ref, head);
  const kind = kindOf(objects, head);
  if (kind === 'commit') yield* hintingBack(verifySession(objects, ref, head, context), gone);
  else if (kind instanceof CtxError) yield findingOf(kind, 'chain', ref);
  else {
    const whole = gone?.back === undefined ? '' : `; ${gone.back}, which comes before it, is whole`;
    yield damage(
      'pointer',
      ref,
      `its head ${head} is missing from the store${whole}`,
      hintForGone(repository.layout, ref, head, gone),
    );
  }
}

/** Adds the hint for a missing object of a head: only a backup brings it back, or the session is set back to an earlier step. */
function* hintingBack(findings: Iterable<Finding>, gone: GoneHead | null): Generator<Finding> {
  for (const finding of findings) {
    const isGone = gone?.back !== undefined && MISSING.exec(finding.message)?.[1] === gone.gone;
    const hint = `If you can, ${OR_FETCH}. If you cannot: ${REPAIR}, which goes back to ${gone?.back}, the last whole step before it`;
    yield isGone && finding.hint === FETCH ? { ...finding, hint } : finding;
  }
}

function hintForGone(layout: Layout, ref: string, head: string, gone: GoneHead | null): string {
  if (ref === MAIN || packsWithoutIndex(layout).length > 0) return hintForMissing(layout);
  const back = gone?.back === undefined ? '' : ', and goes back if it is not';
  const anew = `${REPAIR}, which rewrites ${head.slice(0, 10)} if all that it held is whole${back}`;
  return `If you can, ${OR_FETCH}. If you cannot: ${anew}`;
}

function* verifySession(objects: ObjectStore, ref: string, head: string, context: Context): Generator<Finding> {
  const { seen, heads, line, walked, damaged } = context;
  // The ref may be right: a step of the chain is unreadable.
  const findings = guarded('chain', ref, function* () {
    // A chain that several refs name is checked once: it belongs to one session, and the others are reported below.
    if (!heads.has(head)) yield* verifyChain(objects, ref, head, seen, walked);
    heads.add(head);
    const { session } = readChain(objects, head, ref);
    // If main cannot be read, its commits are unknown.
    // The base of a session that was taken in from elsewhere is in the history of that place.
    if (line.whole && session.origin === undefined && !line.commits.has(session.base))
      yield baseOffLine(objects, ref, session.base, context);
  });
  const anew = lazily(() => new Set([...lostSessions(objects, head)].map(({ oid }) => oid)));
  for (const finding of findings) {
    if (finding.severity === 'damage' || finding.kind === 'version') damaged.add(ref);
    const [, lost] = finding.hint === FETCH ? (MISSING.exec(finding.message) ?? []) : [];
    const hint = `${REPAIR}, which makes this session.json again from the step's records`;
    yield lost !== undefined && anew().has(lost) ? { ...finding, hint } : finding;
  }
}

/** The message about a missing object. */
const MISSING = /object ([0-9a-f]{40}) is missing/;

/** Returns the command that sets a ref to a value. */
const pointAt = (ref: string, value: string): string => `git --git-dir=.ctx update-ref ${ref} ${value}`;

/** Reports a session whose base is not on main: an undo may have removed the base since. */
function baseOffLine(objects: ObjectStore, ref: string, base: string, { root, stock }: Context): Finding {
  const moves = stock.logged.get(MAIN) ?? [];
  const logged = moves[0]?.new;
  const isOnTold = logged && (logged === base || isAncestor(objects, base, logged));
  const hint = isOnTold ? pointAt(MAIN, logged) : 'See: ctx op log';
  if (!trailersOf(readCommit(objects, base).message).has('Ctx-Type'))
    return damage('chain', ref, `its base ${base} is no commit of the main line`, hint);
  // Only an undo removes commits from main: one after main had that value did, even if Git has pruned the commits.
  const named = moves.findIndex((move) => move.new === base);
  const since = moves.slice(0, Math.max(0, named)).filter((move) => stock.takenBack.includes(move));
  // The file of an operation may be lost: the reflog shows an undo too.
  const undone = readReflog(root, MAIN).filter(({ message }) => message === 'undo');
  const isTold =
    since.length > 0 ||
    [...stock.takenBack, ...undone].some(({ old }) => old === base || (old !== null && isAncestor(objects, base, old)));
  if (!isTold) return damage('chain', ref, `its base ${base} is not on the main line, and no undo took it off`, hint);
  const message = `its base ${base} is not on the main line any more: it was taken back`;
  return { severity: 'note', kind: 'chain', where: ref, message, hint: 'See: ctx op log' };
}

/** Reports sessions that are open and archived at once. */
function* verifyDoubles(objects: ObjectStore, stock: PointerState, saved: Saved): Generator<Finding> {
  for (const double of doubles(objects, stock, saved)) {
    const id = idOf(double.stays);
    const hint = double.isSaved && double.all === 'below' ? REPAIR : hintForDouble(double);
    yield damage('pointer', sessionRef(id), `${archiveRef(id)} is there too: a session is open or archived`, hint);
  }
}

/** Returns the command that deletes one of the two refs without losing steps. */
function hintForDouble({ stays, goes, all }: Double): string {
  const remove = `git --git-dir=.ctx update-ref -d ${goes}`;
  if (all === 'below') return `All that ${goes} names is in ${stays}: ${remove}`;
  if (all === 'above') return `All that ${stays} names is in ${goes}: ${pointAt(stays, goes)} && ${remove}`;
  const branch = `kept-${idOf(goes)}`;
  return `Each has steps of its own. Keep those of ${goes} in a branch: git --git-dir=.ctx branch ${branch} ${goes} && ${remove}`;
}

/** Reports refs that have gone back to an earlier value. */
function* verifyPlaces(repository: Repository, stock: PointerState): Generator<Finding> {
  for (const [ref, value] of stock.refs) {
    if (!isValue(value) || stock.moving.has(ref)) continue;
    yield* guarded('pointer', ref, function* () {
      const last = lastLeftValue(repository, ref, stock.logged.get(ref) ?? []);
      if (last === null) return;
      const message = `it names ${value}, which it had left: it was last set to ${last}`;
      yield damage('pointer', ref, message, isAncestor(repository.objects, value, last) ? REPAIR : pointAt(ref, last));
    });
  }
}

/** Compares every canonical commit on main with its session's chain. */
function* verifySavedSessions(
  objects: ObjectStore,
  stock: PointerState,
  { saved }: MainLine,
  lost: ReadonlyMap<string, string>,
): Generator<Finding> {
  for (const [session, { oid, work }] of saved) {
    const [archive, open] = [archiveRef(session), sessionRef(session)];
    const head = stock.refs.get(archive);
    const isMoving = stock.moving.has(archive) || stock.moving.has(open);
    if (head === undefined && !isMoving && !lost.has(archive) && stock.unlisted.length === 0) {
      if (stock.refs.has(open))
        yield damage('pointer', open, `it is open, and commit ${oid} has saved it`, 'See: ctx op log');
      else yield damage('pointer', archive, `it is gone, and commit ${oid} says that it named ${work}`, REPAIR);
    }
    if (!(head instanceof CtxError)) yield* verifySaved(objects, { session, oid, work, head: head ?? null });
  }
}

/** Reports refs in the namespaces of sessions with invalid names: ctx ignores them, and Git keeps their objects. */
function* verifyNames({ layout }: Repository): Generator<Finding> {
  for (const prefix of [SESSIONS, ARCHIVE]) {
    yield* guarded('pointer', prefix, function* () {
      const strays = new Set<string>();
      for (const [ref] of packedRefs(layout.packedRefs)) if (ref.startsWith(prefix) && !isPointer(ref)) strays.add(ref);
      for (const ref of filesBelow(layout, prefix.slice(0, -1)))
        if (!ref.endsWith('.lock') && !isPointer(ref)) strays.add(ref);
      for (const ref of strays) {
        const hint = `Remove it, if you did not make it: ctx git update-ref -d ${quoted(ref)}`;
        yield { severity: 'note', kind: 'pointer', where: ref, message: 'it is the ref of no session', hint };
      }
    });
  }
}

function* verifyStage(
  repository: Repository,
  { stage, refs, unlisted, logged, hasGaps, moving }: PointerState,
): Generator<Finding> {
  const last = logged.get('STAGE')?.[0]?.new ?? null;
  if (stage instanceof CtxError) yield findingOf(stage, 'pointer', 'STAGE');
  else if (stage === null && !moving.has('STAGE')) yield* verifyLostStage(repository);
  else if (stage !== null && !refs.has(stage) && unlisted.length === 0) {
    const hint = `${REPAIR}, or: ctx switch <session>`;
    yield damage('pointer', 'STAGE', `it names ${stage}, which does not exist`, hint);
  } else if (stage !== null && !moving.has('STAGE') && !hasGaps) {
    if (logged.has('STAGE') && last !== stage) yield stageMovedBy(stage, last, last !== null && refs.has(last));
  }
}

function* verifyLostStage(repository: Repository): Generator<Finding> {
  const lost = lostStage(repository, Number.POSITIVE_INFINITY);
  if (lost?.kind === 'told') yield damage('pointer', 'STAGE', `it is gone, and was last set to ${lost.last}`, REPAIR);
  else if (lost?.kind === 'gone') {
    const message = `it is gone, and was last set to ${lost.last}, which is gone too`;
    yield damage('pointer', 'STAGE', message, REPAIR);
  } else if (lost !== null) {
    const message = 'it is gone, and nothing says what it named: an operation is lost that may have moved it';
    const hint = `If a session was active, choose it with ctx switch <id>: ${lost.open.map(idOf).join(', ')}`;
    yield { severity: 'note', kind: 'pointer', where: 'STAGE', message, hint };
  }
}

/** Reports a STAGE that was moved outside the log. A note only: if the file of an operation is lost, STAGE may be right. */
function stageMovedBy(stage: string, last: string | null, isOpen: boolean): Finding {
  const message = `it names ${stage}, and was last set to ${last ?? 'no session'}`;
  const hint = isOpen && last !== null ? `Go back with: ctx switch ${idOf(last)}` : 'See: ctx list --open';
  return { severity: 'note', kind: 'pointer', where: 'STAGE', message, hint };
}

/**
 * Reports steps that a session has had and that no chain contains any more.
 * @param known every step of every chain, and the refs with damage, which is reported first
 */
function* verifyUnreachable(
  repository: Repository,
  stock: PointerState,
  { walked, damaged }: { walked: ReadonlySet<string>; damaged: ReadonlySet<string> },
): Generator<Finding> {
  const sound = new Map([...stock.refs].filter(([ref]) => !damaged.has(ref)));
  for (const { ref, oid, follows } of unreachableSteps(repository, { ...stock, refs: sound }, walked)) {
    const has = follows ? 'the session has gone back behind it' : 'the session has continued without it';
    const message = `step ${oid} is whole, and it named that once, but ${has}`;
    const again = `To have it again: git --git-dir=.ctx update-ref ${ref} ${oid}`;
    const keep = `To keep it for good: git --git-dir=.ctx branch kept-${idOf(ref)}-${oid.slice(0, 8)} ${oid}`;
    const hint = `Look at it with: ctx show ${oid}. ${follows ? again : keep}`;
    yield { severity: 'note', kind: 'chain', where: ref, message, hint };
  }
}
