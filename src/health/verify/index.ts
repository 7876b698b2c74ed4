/** The whole check of a store: config, pointers, history, chains, what waits, operations, leftovers, and on request every object. */

import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { archiveRef, type Layout, sessionRef } from '../../git/layout.ts';
import { checkPackedRefs } from '../../git/refs/packed-refs.ts';
import { readChain } from '../../history/chain/chain.ts';
import { ifReadable } from '../../history/chain/stray.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import { begunPlan } from '../../history/forget/carry-out.ts';
import { lateOf } from '../../history/late.ts';
import { readChoice, sessionsWithChoice } from '../../history/pending/choices.ts';
import { missingObjects, readPending, sessionsWithPending } from '../../history/pending/pending.ts';
import { type Stock, takeStock } from '../../history/pointers/stock.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';
import { followsFrom } from './causes.ts';
import { verifyConfig } from './config.ts';
import { verifyFollowers } from './followers.ts';
import { verifyForeign } from './foreign.ts';
import { verifyHookErrors, verifyLeftovers, verifyLocks } from './leftovers.ts';
import { verifyEveryObject } from './objects.ts';
import { verifyOperations } from './operations.ts';
import { verifyPacks } from './packs.ts';
import { verifyPointers } from './pointers.ts';
import { recallingStore } from './recall.ts';
import { verifyEntries, verifySkeleton } from './skeleton.ts';

export type { Finding } from '../finding.ts';

/** Checks everything that is reachable; with `full` every object of the store besides. */
export function* verifyStore(repository: Repository, full: boolean): Generator<Finding> {
  const { layout } = repository;
  const first = [...verifySkeleton(repository), ...verifyEntries(layout), ...verifyPackedRefs(layout)];
  yield* first;
  // Every look at a ref that is packed, or at none, fails in the same way; so does every look into a folder that is none.
  const packs = [...unlessToldOf(first, layout, verifyPacks(layout, full))];
  yield* packs;
  // And every look for an object that a torn index does not find.
  yield* unlessToldOf([...first, ...packs], layout, verifyParts(repository, full));
}

function* unlessToldOf(causes: readonly Finding[], { root }: Layout, findings: Iterable<Finding>): Generator<Finding> {
  const isToldOf = followsFrom(causes, root);
  for (const finding of findings) if (!isToldOf(finding)) yield finding;
}

/** A broken line is named by its number. */
function* verifyPackedRefs({ packedRefs }: Layout): Generator<Finding> {
  try {
    checkPackedRefs(packedRefs);
  } catch (error) {
    const line = error instanceof CtxError ? error.data?.line : undefined;
    yield findingOf(error, 'pointer', line === undefined ? 'packed-refs' : `packed-refs line ${line}`);
  }
}

/** Each part by itself: what one of them cannot go on from must not hide what the others find. */
function* verifyParts(repository: Repository, full: boolean): Generator<Finding> {
  const seen = new Set<string>();
  const { layout } = repository;
  yield* guarded('config', 'config', () => verifyConfig(repository));
  // A forgetting moves everything to something else: what stands half-way is checked when it is finished.
  if (!hasBegunForgetting(repository)) {
    const recalling = { ...repository, objects: recallingStore(repository.objects) };
    const stock = takeStock(recalling);
    const told = new Set<string>();
    yield* noting(
      told,
      guarded('pointer', 'refs', () => verifyPointers(recalling, stock, seen)),
    );
    if (full) yield* guarded('pointer', 'refs', () => verifyFollowers(recalling, stock));
    yield* guarded('pending', 'pending', () => verifyPending(repository, stock));
    yield* verifyForeign(recalling, seen, told, full);
  }
  yield* guarded('choice', 'choices', () => verifyChoices(repository));
  yield* guarded('operation', 'oplog', () => verifyOperations(repository));
  yield* guarded('lock', 'refs', () => verifyLocks(layout));
  yield* guarded('temporary', layout.root, () => verifyLeftovers(repository));
  yield* guarded('hook', 'hook-errors.jsonl', () => verifyHookErrors(repository));
  if (full) yield* guarded('object', 'objects', () => verifyEveryObject(repository, seen));
}

/** Notes the object ids that damages are about. */
function* noting(told: Set<string>, findings: Iterable<Finding>): Generator<Finding> {
  for (const finding of findings) {
    if (finding.severity === 'damage')
      for (const [oid] of `${finding.where} ${finding.message}`.matchAll(/\b[0-9a-f]{40}\b/g)) told.add(oid);
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

function* verifyPending(repository: Repository, { refs }: Stock): Generator<Finding> {
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
      const late = isOpen ? null : lateOf(repository, id);
      if (late !== null) yield* verifyLate(repository, id, late.head);
      else if (pending.length > 0 && !isOpen) yield orphan(repository, id, pending.length);
    });
  }
}

/** A question that waits must be readable: flushes look at it. */
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

/** What is to be said of records that wait for a session that has ended. */
function* verifyLate(repository: Repository, id: string, head: string): Generator<Finding> {
  const waiting = unflushed(repository, readChain(repository.objects, head, archiveRef(id)));
  // What came after a question that is left waits for its answer, as in a session that is open.
  const choice = ifReadable(() => readChoice(repository, id));
  const late = waiting.filter(({ record }) => !choice || record.id < choice.id).length;
  if (late === 0) return;
  const [wait, keeps] = late === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const message = `${plural(late, 'record')} ${wait} for a session that has ended; the next command that writes keeps ${keeps}`;
  yield { severity: 'note', kind: 'pending', where: `pending/${id}`, message, hint: 'ctx stage recover' };
}
