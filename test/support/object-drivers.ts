// Ways to write and read Git's objects, all behind one face: our stores, isomorphic-git and Git itself.
import fs from 'node:fs';
import * as isomorphicGit from 'isomorphic-git';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { packStore } from '../../src/git/objects/bulk-pack.ts';
import type { ObjectType } from '../../src/git/objects/loose.ts';
import type { ObjectStore } from '../../src/git/objects/objects.ts';
import { scratchStore } from '../../src/history/chain/files-tree.ts';
import { git, gitBytes, type Project } from './store.ts';

export interface Driver {
  name: string;
  write: (type: ObjectType, content: Buffer) => Promise<string>;
  /** Throws where there is no such object. */
  read: (oid: string) => Promise<{ type: string; content: Buffer }>;
  /** Ours behind it, where it is one of ours. */
  store: ObjectStore | null;
}

function ours(name: string, store: ObjectStore, settle: () => void = () => undefined): Driver {
  return {
    name,
    store,
    write: async (type, content) => {
      const oid = store.write(type, content);
      settle();
      return oid;
    },
    read: async (oid) => store.read(oid),
  };
}

function isomorphic(project: Project): Driver {
  const place = { fs, gitdir: project.store };
  return {
    name: 'isomorphic-git',
    store: null,
    write: (type, content) => isomorphicGit.writeObject({ ...place, type, object: content, format: 'content' }),
    read: async (oid) => {
      const { type, object } = await isomorphicGit.readObject({ ...place, oid, format: 'content' });
      return { type: type ?? '', content: Buffer.from(object as Uint8Array) };
    },
  };
}

function gitItself(project: Project): Driver {
  return {
    name: 'git',
    store: null,
    write: async (type, content) => git(project.store, ['hash-object', '-w', '-t', type, '--stdin'], content).trim(),
    read: async (oid) => {
      const type = git(project.store, ['cat-file', '-t', oid]).trim();
      return { type, content: gitBytes(project.store, ['cat-file', type, oid]) };
    },
  };
}

/** Each object goes into a pack with many others. */
function packed(project: Project): Driver {
  const store = packStore(project.open());
  let written = 0;
  const driver = ours('pack store', store, () => store.publish());
  return {
    ...driver,
    write: (type, content) => {
      for (let many = 0; many < 300; many += 1, written += 1) store.write('blob', Buffer.from(`another ${written}`));
      return driver.write(type, content);
    },
  };
}

/** Every way to write and read the objects of a store, each opened anew. What the scratch store writes is its own. */
export function drivers(project: Project): Driver[] {
  const bulk = bulkStore(project.open());
  return [
    ours('file store', project.open().objects),
    ours('bulk store', bulk, () => bulk.publish()),
    packed(project),
    ours('scratch store', scratchStore(project.open().objects)),
    isomorphic(project),
    gitItself(project),
  ];
}
