/** Keeps the few objects that every command reads of an open session loose, since searching packs takes longer. */

import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readCommit } from '../../history/chain/chain.ts';

/** Makes loose copies of a head, its tree and its session.json. */
export function loosenHead(objects: ObjectStore, head: string): void {
  const { tree } = readCommit(objects, head);
  const document = readTree(objects, tree).find((entry) => entry.name === 'session.json');
  for (const oid of [head, tree, document?.oid]) if (oid !== undefined) objects.loosen(oid);
}
