/** Writes canonical commits: a session is compacted into one of them on main. */

import { type Commit, commitMessage, encodeCommit } from '../../core/commit.ts';
import { ROOT, type StoredCommitType } from '../../core/commit-types/table.ts';
import { lazily } from '../../core/lazily.ts';
import { type Digest, newDigest } from '../../core/records/digest.ts';
import { canonicalTrailers, digestRecord, SUMMARIES, type Summaries } from '../../core/session/compaction.ts';
import type { Session } from '../../core/session/session.ts';
import { EMPTY_TREE, encodeTree, type TreeEntry } from '../../core/tree.ts';
import { frame, sha1 } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, readCommit, readRecords, walkChain } from './chain.ts';
import { filesTree, overlayFiles } from './files-tree.ts';
import { writeSession } from './session-document.ts';

/** Time of the first commit: every store begins with the same one, so that any two histories have a common root. */
const ROOT_TIME = 0;

/** Encodes the first commit of every store. */
function rootCommit(): Buffer {
  const message = commitMessage('Root of a ctx store', [['Ctx-Type', ROOT]]);
  return encodeCommit({ tree: EMPTY_TREE, parents: [], author: 'ctx', at: ROOT_TIME, message });
}

/** Returns whether a commit is the first one, whose text is ctx's own. */
export const isRoot = (oid: string): boolean => oid === ROOT_ID();
const ROOT_ID = lazily(() => sha1(frame('commit', rootCommit())));

/** Writes the first commit of a store; returns its id. */
export function writeRoot(objects: ObjectStore): string {
  objects.write('tree', Buffer.alloc(0));
  return objects.write('commit', rootCommit());
}

/** Digests the records of a chain, one step at a time. */
export function digestChain(objects: ObjectStore, head: string): Digest {
  const digest = newDigest();
  const oids = [...walkChain(objects, head)].map(([oid]) => oid).reverse();
  for (const oid of oids) digestStep(objects, digest, oid, readCommit(objects, oid));
  return digest;
}

/** Adds the records of a step to the digest of the steps before it. */
export function digestStep(objects: ObjectStore, digest: Digest, oid: string, { tree }: Pick<Commit, 'tree'>): void {
  for (const record of readRecords(objects, tree, `step ${oid}`, false)) digestRecord(digest, record);
}

export interface CanonicalInput {
  /** The parent on main. */
  parent: string;
  chain: Chain;
  type: StoredCommitType;
  /** The message, exactly as it was given or generated. */
  message: string;
  /** Unix seconds. */
  at: number;
  /** The version of summary.md; the current one if absent. An unknown version omits the file. */
  summary_version?: number | undefined;
}

/** Returns the author of a session's canonical commit: its agent, at its last work. */
export const authorOf = ({ agent, last_activity }: Session): { author: string; authoredAt: number } => ({
  author: agent ?? 'ctx',
  authoredAt: last_activity,
});

/** Writes a session's canonical commit; returns its id. Moves no pointer. @param digest the digest of its chain */
export function writeCanonical(
  objects: ObjectStore,
  { chain, type, message, at, parent, ...given }: CanonicalInput,
  digest: Digest = digestChain(objects, chain.head),
  summaries: Summaries = SUMMARIES,
): string {
  const version = given.summary_version ?? summaries.versionFor?.(digest) ?? summaries.current;
  // Version 1 is not recorded: commits from before versions have none.
  const written = version === 1 ? {} : { summary_version: version };
  const ended = { type, message, at, files_changed: digest.changed.size, ...written };
  const session: Session = { ...chain.session, ended };
  const files = overlayFiles(objects, filesTree(objects, readCommit(objects, parent).tree), chain.tree);

  const blob = (name: string, text: string): TreeEntry => ({
    mode: '100644',
    name,
    oid: objects.write('blob', Buffer.from(text.toWellFormed())),
  });
  const document = writeSession(objects, session);
  const render = summaries.renderers.get(version);
  const entries: TreeEntry[] = [
    { mode: '100644', name: 'session.json', oid: document.blob },
    ...(render ? [blob('summary.md', render(session, type, message, digest))] : []),
    blob('notes.jsonl', digest.notes.text()),
    blob('edges.jsonl', digest.edges.text()),
  ];
  if (document.payloads.length > 0) {
    entries.push({ mode: '40000', name: 'payload', oid: objects.write('tree', encodeTree(document.payloads)) });
  }
  if (files !== null) entries.push({ mode: '40000', name: 'files', oid: files });
  const tree = objects.write('tree', encodeTree(entries));
  const text = commitMessage(message, canonicalTrailers(session, type, chain.head));
  return objects.write('commit', encodeCommit({ tree, parents: [parent], ...authorOf(session), at, message: text }));
}
