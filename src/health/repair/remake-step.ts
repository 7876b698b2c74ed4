/** Rebuilds a lost commit of a step: its bytes follow from its tree, its parent and its time. */
import { commitMessage, encodeCommit } from '../../core/commit.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { stepSubject, stepTrailers } from '../../core/session/step.ts';
import { decodeTree, isTree } from '../../core/tree.ts';
import type { Layout } from '../../git/layout.ts';
import { frame, sha1 } from '../../git/objects/loose.ts';
import { readIfWhole } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { readRecords } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { everyWhole, findSteps, ifReadable } from '../../history/chain/step-search.ts';
import { idOf } from '../../history/pointers/session-location.ts';
import type { Repository } from '../../history/store/repository.ts';

/** The content of a step. */
interface Held {
  tree: string;
  session: Session;
  records: StoredRecord[];
}

/** A lost commit that a session's ref names, or has named. */
export interface LostHead {
  ref: string;
  oid: string;
}

/** Rebuilds lost commits of sessions' refs; returns the rebuilt ones. Reads every object if any is lost. */
export function remakeSteps({ objects, layout }: Repository, lost: readonly LostHead[]): ReadonlySet<string> {
  const remade = new Set<string>();
  if (lost.length === 0) return remade;
  const ids = new Set(lost.map(({ ref }) => idOf(ref)));
  const steps = findSteps(objects, ids);
  const told = new Map(lost.map(({ ref, oid }) => [oid, timesOf(layout, ref, oid)]));
  for (const held of heldBy(objects, ids)) {
    const { session_id: id, step, base } = held.session;
    const before = (steps.get(id) ?? []).filter((one) => one.step === step - 1).map(({ oid }) => oid);
    for (const { ref, oid } of lost) {
      if (idOf(ref) !== id) continue;
      const made = (step === 1 ? [base] : before).flatMap((parent) => commitsOf(held, parent, told.get(oid) ?? []));
      const content = made.find((one) => sha1(frame('commit', one)) === oid);
      if (content === undefined) continue;
      objects.write('commit', content);
      remade.add(oid);
    }
  }
  return remade;
}

/** Returns when a ref was set to a value, from its reflog; empty if that cannot be read. */
const timesOf = (layout: Layout, ref: string, oid: string): number[] =>
  ifReadable(() => readReflog(layout.root, ref).flatMap((line) => (line.new === oid ? [line.at] : []))) ?? [];

/** Yields the trees of some sessions' steps, with or without a commit. */
function* heldBy(objects: ObjectStore, ids: ReadonlySet<string>): Generator<Held> {
  for (const { oid: tree, content } of everyWhole(objects, 'tree')) {
    const names = new Set(ifReadable(() => decodeTree(content, tree).map(({ name }) => name)));
    // A canonical commit has a summary.
    if (!names.has('session.json') || !names.has('step.jsonl') || names.has('summary.md')) continue;
    const session = ifReadable(() => readSession(objects, tree, `tree ${tree}`));
    if (!session || !ids.has(session.session_id)) continue;
    const records = ifReadable(() => readRecords(objects, tree, `tree ${tree}`, false));
    if (records && isWholeTree(objects, tree)) yield { tree, session, records };
  }
}

/** Returns whether everything below a tree exists. */
function isWholeTree(objects: ObjectStore, root: string): boolean {
  const open = [root];
  const seen = new Set(open);
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    const folder = tree;
    const entries = ifReadable(() => decodeTree(objects.readAs(folder, 'tree'), folder));
    if (entries === null) return false;
    for (const entry of entries) {
      if (seen.has(entry.oid)) continue;
      seen.add(entry.oid);
      if (isTree(entry)) open.push(entry.oid);
      else if (readIfWhole(objects, entry.oid)?.type !== 'blob') return false;
    }
  }
  return true;
}

/** Returns the possible commits of a step: its time is in the reflog, or one of its content. */
function commitsOf({ tree, session, records }: Held, parent: string, told: readonly number[]): Buffer[] {
  const message = commitMessage(stepSubject(session, records), stepTrailers(session));
  const times = new Set([...told, session.last_activity, ...records.map(({ at }) => at)]);
  const author = session.agent ?? 'ctx';
  return [...times].map((at) => encodeCommit({ tree, parents: [parent], author, at, message }));
}
