// Forging commits: whole objects that say what no command would, put where a pointer names them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Commit, encodeCommit } from '../../src/core/commit.ts';
import { encodeTree, type TreeEntry } from '../../src/core/tree.ts';
import { readTree } from '../../src/git/objects/tree-editor.ts';
import { readCommit } from '../../src/history/chain/chain.ts';
import type { Project } from './store.ts';

export interface Forge {
  /** The commit that a ref names. */
  head: (ref: string) => string;
  commit: (oid: string) => Commit;
  /** The text of a file in a commit's tree. */
  text: (oid: string, name: string) => string;
  blob: (text: string) => string;
  tree: (entries: readonly Pick<TreeEntry, 'name' | 'oid'>[], mode?: string) => string;
  /** Writes a commit like another one but for what is given; gives its id. */
  like: (oid: string, changes: Partial<Pick<Commit, 'tree' | 'parents' | 'message'>>) => string;
  /** A tree like that of a commit, with another entry under a name; null takes it away. */
  treeWith: (oid: string, name: string, entry: { oid: string; mode?: string } | null) => string;
  /** Writes the file of a ref, as an editor would: no reflog tells of it. */
  point: (ref: string, oid: string) => void;
  /** Puts a commit in the place of the one that a ref names. */
  replace: (ref: string, change: (oid: string) => string) => string;
  /** The same with another session.json. */
  resay: (ref: string, change: (document: Record<string, unknown>) => void) => string;
}

export function forge({ repository, store }: Pick<Project, 'repository' | 'store'>): Forge {
  const { objects, refs } = repository;
  const self: Forge = {
    head: (ref) => refs.read(ref) as string,
    commit: (oid) => readCommit(objects, oid),
    text: (oid, name) => {
      const entry = readTree(objects, readCommit(objects, oid).tree).find((candidate) => candidate.name === name);
      return objects.readAs(entry?.oid ?? '', 'blob').toString('utf8');
    },
    blob: (text) => objects.write('blob', Buffer.from(text)),
    tree: (entries, mode = '100644') => objects.write('tree', encodeTree(entries.map((entry) => ({ mode, ...entry })))),
    like: (oid, changes) => {
      const { tree, parents, author, committedAt: at, message } = { ...readCommit(objects, oid), ...changes };
      return objects.write('commit', encodeCommit({ tree, parents, author, at, message }));
    },
    treeWith: (oid, name, entry) => {
      const entries = readTree(objects, readCommit(objects, oid).tree).filter((candidate) => candidate.name !== name);
      if (entry) entries.push({ mode: '100644', name, ...entry });
      return objects.write('tree', encodeTree(entries));
    },
    point: (ref, oid) => writeFileSync(join(store, ref), `${oid}\n`),
    replace: (ref, change) => {
      const forged = change(self.head(ref));
      self.point(ref, forged);
      return forged;
    },
    resay: (ref, change) =>
      self.replace(ref, (oid) => {
        const document = JSON.parse(self.text(oid, 'session.json')) as Record<string, unknown>;
        change(document);
        const blob = self.blob(`${JSON.stringify(document)}\n`);
        return self.like(oid, { tree: self.treeWith(oid, 'session.json', { oid: blob }) });
      }),
  };
  return self;
}
