// A project with sessions in it, for tests that look back: files are written as an agent would, and observed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { walkFiles } from '../../src/git/objects/tree-editor.ts';
import { readCommit } from '../../src/history/chain/chain.ts';
import { filesTree } from '../../src/history/chain/files-tree.ts';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project } from './store.ts';

export interface History extends Project {
  /** Writes a file of the project and observes it; null deletes it. */
  write: (path: string, content: string | Buffer | null) => void;
  read: (path: string) => void;
  /** The files that a commit shows, with what is in them. */
  filesOf: (oid: string) => Record<string, string>;
}

export function makeHistory(settings: Record<string, unknown> = {}): History {
  const project = makeProject(settings);
  const { repository, folder } = project;
  return {
    ...project,
    write: (path, content) => {
      const file = join(folder, path);
      if (content === null) rmSync(file, { recursive: true, force: true });
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      ctx.observeFileWrite(repository, path, folder, { deleted: content === null });
    },
    read: (path) => {
      ctx.observeFileRead(repository, path, folder);
    },
    filesOf: (oid) => {
      const { objects } = project.open();
      const tree = filesTree(objects, readCommit(objects, oid).tree);
      const files = tree === null ? [] : [...walkFiles(objects, tree)];
      return Object.fromEntries(
        files.map(([path, { oid: blob, mode }]) => [path, mode === '40000' ? `tree ${blob}` : text(objects, blob)]),
      );
    },
  };
}

const text = (objects: ctx.Repository['objects'], oid: string): string => objects.readAs(oid, 'blob').toString('utf8');
