/** Checks a whole store: config, pointers, history, chains, pending records, operations, leftovers, and on request every object. */
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import type { Layout } from '../../git/layout.ts';
import { checkPackedRefs } from '../../git/refs/packed-refs.ts';
import { readChain } from '../../history/chain/chain.ts';
import { ifReadable } from '../../history/chain/step-search.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import { begunPlan } from '../../history/forget/execute-plan.ts';
import { lateDestination } from '../../history/late-records.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { readChoice, sessionsWithChoice } from '../../history/pending/choices.ts';
import { missingObjects, readPending, sessionsWithPending } from '../../history/pending/pending.ts';
import { type PointerState, readPointerState } from '../../history/pointers/pointer-state.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';
import { cachingStore } from './caching-store.ts';
import { verifyConfig } from './config.ts';
import { verifyForeign } from './foreign.ts';
import { verifyHookErrors, verifyLeftovers, verifyLocks } from './leftovers.ts';
import { verifyEveryObject } from './objects.ts';
import { verifyOperations } from './operations.ts';
import { verifyPointers } from './pointers.ts';
import { verifyEntries, verifySkeleton } from './skeleton.ts';

export type { Finding } from '../finding.ts';

import { basename } from 'node:path';
import { NOT_ITS_CHECKSUM } from '../../git/objects/checksum.ts';
import { damagedGitCaches } from '../../git/objects/git-caches.ts';
import { faultsOf, indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { rolledBackSessions } from '../../history/pointers/later-steps.ts';

/** Checks everything that is reachable; with `full` every object of the store too. */
export function* verifyStore(repository: Repository, full: boolean): Generator<Finding> {
  const { layout } = repository;
  const first = [...verifySkeleton(repository), ...verifyEntries(layout), ...verifyPackedRefs(layout)];
  yield* first;
  // A damaged packed-refs makes every lookup of a packed or absent ref fail; a folder that is none, every read below it.
  const packs = [...withoutConsequences(first, layout, verifyPacks(layout, full))];
  yield* packs;
  // A torn index makes every lookup of its objects fail.
  yield* withoutConsequences([...first, ...packs], layout, verifyParts(repository, full));
}

function* withoutConsequences(
  causes: readonly Finding[],
  { root }: Layout,
  findings: Iterable<Finding>,
): Generator<Finding> {
  const followsFromCause = followsFrom(causes, root);
  for (const finding of findings) if (!followsFromCause(finding)) yield finding;
}

/** The finding names the number of the broken line. */
function* verifyPackedRefs({ packedRefs }: Layout): Generator<Finding> {
  try {
    checkPackedRefs(packedRefs);
  } catch (error) {
    const line = error instanceof CtxError ? error.data?.line : undefined;
    yield findingOf(error, 'pointer', line === undefined ? 'packed-refs' : `packed-refs line ${line}`);
  }
}

/** Runs each part by itself, so that an error of one does not hide the findings of the others. */
function* verifyParts(repository: Repository, full: boolean): Generator<Finding> {
  const seen = new Set<string>();
  const { layout } = repository;
  yield* guarded('config', 'config', () => verifyConfig(repository));
  // A forgetting changes all ids: an interrupted one is checked after it is completed.
  if (!hasBegunForgetting(repository)) {
    const recalling = { ...repository, objects: cachingStore(repository.objects) };
    const stock = readPointerState(recalling);
    const reported = new Set<string>();
    yield* noting(
      reported,
      guarded('pointer', 'refs', () => verifyPointers(recalling, stock, seen)),
    );
    if (full) yield* guarded('pointer', 'refs', () => verifyFollowers(recalling, stock));
    yield* guarded('pending', 'pending', () => verifyPending(repository, stock));
    yield* verifyForeign(recalling, seen, reported, full);
  }
  yield* guarded('choice', 'choices', () => verifyChoices(repository));
  yield* guarded('operation', 'oplog', () => verifyOperations(repository));
  yield* guarded('lock', 'refs', () => verifyLocks(layout));
  yield* guarded('temporary', layout.root, () => verifyLeftovers(repository));
  yield* guarded('hook', 'hook-errors.jsonl', () => verifyHookErrors(repository));
  if (full) yield* guarded('object', 'objects', () => verifyEveryObject(repository, seen));
}

/** Collects the object ids in damage findings. */
function* noting(reported: Set<string>, findings: Iterable<Finding>): Generator<Finding> {
  for (const finding of findings) {
    if (finding.severity === 'damage')
      for (const [oid] of `${finding.where} ${finding.message}`.matchAll(/\b[0-9a-f]{40}\b/g)) reported.add(oid);
    yield finding;
  }
}

function hasBegunForgetting(repository: Repository): boolean {
  try {
    return begunPlan(repository) !== null;
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    return false;
  }
}

function* verifyPending(repository: Repository, { refs }: PointerState): Generator<Finding> {
  for (const id of sessionsWithPending(repository)) {
    yield* guarded('pending', `pending/${id}`, function* () {
      const pending = readPending(repository, id);
      for (const item of pending) {
        for (const oid of missingObjects(repository, id, [item])) {
          const message = `the record ${item.record.id}.json that waits needs it, and it is missing or torn`;
          const hint = `${REPAIR} brings it back, or sets the record aside with it.`;
          yield damage('pending', `pending/${id}/objects/${oid}`, message, hint);
        }
      }
      const isOpen = refs.has(sessionRef(id)) || repository.refs.read(sessionRef(id)) !== null;
      const late = isOpen ? null : lateDestination(repository, id);
      if (late !== null) yield* verifyLate(repository, id, late.head);
      else if (pending.length > 0 && !isOpen) yield orphan(repository, id, pending.length);
    });
  }
}

/** Checks that open questions are readable, since flushes read them. */
function* verifyChoices(repository: Repository): Generator<Finding> {
  for (const id of sessionsWithChoice(repository)) {
    yield* guarded('choice', `choices/${id}.json`, () => {
      readChoice(repository, id);
      return [];
    });
  }
}

function orphan({ layout }: Repository, id: string, count: number): Finding {
  const wait = count === 1 ? 'record waits' : 'records wait';
  const message = `${count} ${wait} for a session that does not exist`;
  const hint = `${REPAIR} brings the session back, if it can; else read them in ${below(layout.pending, id)}, then move that folder away.`;
  return damage('pending', `pending/${id}`, message, hint);
}

/** Reports records that are pending for an ended session. */
function* verifyLate(repository: Repository, id: string, head: string): Generator<Finding> {
  const waiting = unflushed(repository, readChain(repository.objects, head, archiveRef(id)));
  // Records after an open question wait for its answer, as in an open session.
  const choice = ifReadable(() => readChoice(repository, id));
  const late = waiting.filter(({ record }) => !choice || record.id < choice.id).length;
  if (late === 0) return;
  const [wait, keeps] = late === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const message = `${plural(late, 'record')} ${wait} for a session that has ended; the next command that writes keeps ${keeps}`;
  yield { severity: 'note', kind: 'pending', where: `pending/${id}`, message, hint: 'ctx recover' };
}

/**
 * Returns a function that decides whether a finding repeats a cause: it has the same place or message, or is below a file or
 * folder that is none. Sets make this fast for many findings and causes.
 * @param root of the store
 */
function followsFrom(causes: readonly Finding[], root: string): (finding: Finding) => boolean {
  const places = new Set(causes.map(({ where }) => where));
  const messages = new Set(causes.map(({ message }) => message));
  const files = new Set(causes.filter(({ kind }) => kind === 'file').map(({ where }) => where));
  const isBelow = (name: string): boolean => beginnings(name).some((beginning) => files.has(beginning));
  return ({ where, message }) =>
    places.has(where) ||
    messages.has(message) ||
    isBelow(where) ||
    (message.startsWith(`${root}/`) && isBelow(message.slice(root.length + 1)));
}

/** Returns the prefixes of a text that may be names: up to a slash, or to the reason in a message. */
const beginnings = (text: string): string[] =>
  Array.from(text.matchAll(/\/| is damaged/g), ({ index }) => text.slice(0, index));

/** Reports open sessions that are at an older step than their last one, which only the objects show. */
function* verifyFollowers(repository: Repository, stock: PointerState): Generator<Finding> {
  for (const { ref, head, ends } of rolledBackSessions(repository, stock)) {
    const [end, ...others] = ends;
    const no = 'and it has no reflog that says what it named last';
    if (others.length === 0) yield damage('pointer', ref, `it names ${head}, ${end} follows from that, ${no}`, REPAIR);
    else {
      const message = `it names ${head}, several steps follow from that, ${no}: ${ends.join(', ')}`;
      yield damage('pointer', ref, message, `Choose one of them with: git --git-dir=.ctx update-ref ${ref} <step>`);
    }
  }
}

const NO_INDEX = 'it has no index, so that nothing in it can be read';

/**
 * Checks packs, their indexes, and Git's caches, as whole files.
 * @param full reads every byte of every pack: a damaged object that is whole elsewhere shows in no other way
 */
function* verifyPacks(layout: Layout, full: boolean): Generator<Finding> {
  yield* guarded('object', 'objects/pack', () => verifyIndexed(layout, full));
  yield* guarded('object', 'objects', () => verifyMadeByGit(layout));
}

const whereOf = (path: string): string => `objects/pack/${basename(path)}`;

function* verifyIndexed(layout: Layout, full: boolean): Generator<Finding> {
  for (const path of packPaths(layout)) {
    const where = whereOf(path);
    yield* guarded('object', where, function* () {
      for (const { what, error } of faultsOf(path, full)) {
        const hint = error.hint ?? REPAIR;
        if (what === 'index' || what === 'unreadable index')
          yield damage('object', whereOf(indexOf(path)), error.message, hint);
        else if (what === 'pack') yield damage('object', where, NOT_ITS_CHECKSUM, hint);
        else yield { severity: 'leftover', kind: 'object', where, message: NO_INDEX, hint: REPAIR };
      }
    });
  }
}

/** Checks the files that only Git reads: its commands fail on damaged ones, and nothing is lost with them. */
function* verifyMadeByGit(layout: Layout): Generator<Finding> {
  for (const [name, why] of damagedGitCaches(layout))
    yield damage('object', name, why, `${REPAIR} sets it aside in lost/: Git makes it again when it needs it.`);
}
