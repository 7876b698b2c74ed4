/** Writes the canonical commit of an imported session on top of the main line of this store. */
import { decodeCommit, encodeCommit, trailersOf } from '../../core/commit.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import { encodeTree } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { writeCanonical } from '../../history/chain/canonical.ts';
import { type Chain, readCommit } from '../../history/chain/chain.ts';
import { filesTree, overlayFiles } from '../../history/chain/files-tree.ts';
import { readSession } from '../../history/chain/session-document.ts';

/**
 * Writes a commit as it is, with the files of the session laid over those of another parent; with the same parent it is the same commit.
 * @returns its id
 */
export function plantCommit(
  objects: ObjectStore,
  { commit, head }: Pick<BundledSession, 'head'> & { commit: string },
  parent: string,
): string {
  const { tree, parents, author, authoredAt, committedAt, message } = decodeCommit(
    objects.readAs(commit, 'commit'),
    commit,
  );
  if (parents[0] === parent) return commit;
  const work = trailersOf(message).get('Ctx-Work') ?? head;
  // The steps of an old session may have been expired: the last one has all of its files.
  const last = readCommit(objects, objects.holds(work) ? work : head).tree;
  const files = overlayFiles(objects, filesTree(objects, readCommit(objects, parent).tree), last);
  const entries = readTree(objects, tree).filter(({ name }) => name !== 'files');
  if (files !== null) entries.push({ mode: '40000', name: 'files', oid: files });
  const made = encodeTree(entries);
  return objects.write(
    'commit',
    encodeCommit({
      tree: objects.write('tree', made),
      parents: [parent],
      author,
      authoredAt,
      at: committedAt,
      message,
    }),
  );
}

/** Writes the commit of a session whose chain was written again. @param saved its commit in the bundle; null if it left none */
export function plantAgain(
  objects: ObjectStore,
  chain: Chain,
  saved: string | null,
  parent: string,
  clean: <T>(value: T) => T,
): string | null {
  const ended =
    saved === null ? undefined : readSession(objects, readCommit(objects, saved).tree, `commit ${saved}`).ended;
  if (!ended) return null;
  const { type, message, at } = clean(ended);
  return writeCanonical(objects, { parent, chain, type, message, at });
}
