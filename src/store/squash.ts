/** Expiring an archived chain: its steps become one, which keeps every message; what is dropped is what was asked to be. */
import { commitMessage, encodeCommit } from '../core/commit.ts';
import type { Session } from '../core/session.ts';
import { stepLines, stepTrailers } from '../core/step.ts';
import { encodeTree, isTree, type TreeEntry } from '../core/tree.ts';
import { type Chain, readChain, readCommit, readRecords, walkChain } from './chain.ts';
import { ARCHIVE } from './layout.ts';
import type { ObjectStore } from './objects.ts';
import type { Repository } from './repository.ts';
import { writeSession } from './session-document.ts';
import { lookUp, readTree } from './tree-editor.ts';

/** Records that are never dropped, and what says what the session was. */
const KEPT = ['task', 'message', 'part', 'overlay'];

/** Archived chains whose last activity and last commit lie before a time, and that are not squashed yet. */
export function* expiredChains(
  repository: Repository,
  before: number,
): Generator<{ ref: string; head: string; chain: Chain }> {
  for (const [ref, head] of repository.refs.list(ARCHIVE)) {
    const chain = readChain(repository.objects, head, ref);
    const { committedAt } = readCommit(repository.objects, head);
    const youngest = Math.max(chain.session.last_activity, committedAt);
    if (youngest < before && chain.session.step > 1) yield { ref, head, chain };
  }
}

/** Writes the one step that an expired chain becomes; gives its id. Moves no pointer. */
export function squashChain(objects: ObjectStore, head: string, chain: Chain, at: number): string {
  const payloads = new Map<string, TreeEntry>();
  const lines: string[] = [];
  let kept = 0;
  for (const oid of [...walkChain(objects, head)].map(([step]) => step).reverse()) {
    const { tree } = readCommit(objects, oid);
    const records = readRecords(objects, tree, `step ${oid}`, false).filter((record) => KEPT.includes(record.kind));
    lines.push(stepLines(records));
    kept += records.length;
    const ids = new Set(records.map((record) => record.id));
    for (const entry of payloadEntries(objects, tree))
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

function payloadEntries(objects: ObjectStore, tree: string): TreeEntry[] {
  const folder = lookUp(objects, tree, ['payload']);
  return folder && isTree(folder) ? readTree(objects, folder.oid) : [];
}
