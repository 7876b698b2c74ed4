/** Squashes an expired archived chain: its steps become one, which keeps every message and drops what the user asked to drop. */
import { commitMessage, encodeCommit } from '../../core/commit.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { kindNamed } from '../../core/records/table.ts';
import type { Session } from '../../core/session/session.ts';
import { stepLines, stepTrailers } from '../../core/session/step.ts';
import { encodeTree, type TreeEntry } from '../../core/tree.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { lastMoved } from '../../git/refs/reflog.ts';
import { type Chain, readChain, readCommit, readRecords, walkChain } from '../chain/chain.ts';
import { payloadEntries, writeSession } from '../chain/session-document.ts';
import { ARCHIVE } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { idOf, savedChains } from './session-location.ts';

/** An archived chain that can be squashed. */
export interface Expired {
  ref: string;
  chain: Chain;
  /** The heads of which canonical commits on main were made. */
  saved: readonly string[];
}

/**
 * Yields archived chains that are not squashed yet, and whose last activity, last commit and last move are before a time: an
 * imported session counts from its import, however old it is.
 */
export function* expiredChains({ refs, objects, layout }: Repository, before: number): Generator<Expired> {
  const saved = savedChains(objects, refs.read(MAIN) ?? undefined);
  for (const [ref, head] of refs.list(ARCHIVE)) {
    const chain = readChain(objects, head, ref);
    const { committedAt } = readCommit(objects, head);
    const youngest = Math.max(chain.session.last_activity, committedAt, lastMoved(layout.root, ref));
    if (youngest < before && chain.session.step > 1) yield { ref, chain, saved: saved.get(idOf(ref)) ?? [] };
  }
}

/** Returns the steps of a chain that no canonical commit covers: those after the covered one, or all. */
function unsavedSteps(steps: readonly string[], saved: readonly string[]): ReadonlySet<string> {
  return new Set(steps.slice(steps.findLastIndex((oid) => saved.includes(oid)) + 1));
}

/** Writes the single step that replaces an expired chain; returns its id. Moves no pointer. */
export function squashChain(objects: ObjectStore, { chain, saved }: Expired, at: number): string {
  const { head } = chain;
  const payloads = new Map<string, TreeEntry>();
  const lines: string[] = [];
  let kept = 0;
  const steps = [...walkChain(objects, head)].map(([step]) => step).reverse();
  const unsaved = unsavedSteps(steps, saved);
  for (const oid of steps) {
    const { tree } = readCommit(objects, oid);
    const isKept = ({ kind }: StoredRecord): boolean => {
      const squash = kindNamed(kind)?.squash ?? 'stays unless saved';
      return squash === 'stays' || (squash === 'stays unless saved' && unsaved.has(oid));
    };
    const records = readRecords(objects, tree, `step ${oid}`, false).filter(isKept);
    lines.push(stepLines(records));
    kept += records.length;
    const ids = new Set(records.map((record) => record.id));
    for (const entry of payloadEntries(objects, readTree(objects, tree)).values())
      if (ids.has(entry.name.slice(0, 36))) payloads.set(entry.name, entry);
  }
  const session: Session = {
    ...chain.session,
    step: 1,
    counts: { ...chain.session.counts, records: kept },
    squashed: { steps: chain.session.step, head, at },
  };
  const document = writeSession(objects, session);
  for (const payload of document.payloads) payloads.set(payload.name, { ...payload });
  const entries: TreeEntry[] = [
    { mode: '100644', name: 'session.json', oid: document.blob },
    { mode: '100644', name: 'step.jsonl', oid: objects.write('blob', Buffer.from(lines.join(''))) },
  ];
  if (payloads.size > 0) {
    const list = [...payloads.values()].map(({ mode, name, oid }) => ({ mode, name, oid }));
    entries.push({ mode: '40000', name: 'payload', oid: objects.write('tree', encodeTree(list)) });
  }
  const tree = objects.write('tree', encodeTree(entries));
  const subject = `Step 1: squashed from ${chain.session.step} steps`;
  const message = commitMessage(subject, [...stepTrailers(session), ['Ctx-Squashed', String(chain.session.step)]]);
  const author = session.agent ?? 'ctx';
  return objects.write(
    'commit',
    encodeCommit({ tree, parents: [session.base], author, at: session.last_activity, message }),
  );
}
