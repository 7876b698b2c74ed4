/** `ctx show <revision>:<path>` and `ctx restore`: a file as a session or a commit has it. */
import { join, resolve } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { recordPath, treePath } from '../core/file-path.ts';
import { isTree } from '../core/tree.ts';
import { isChunked } from '../git/objects/payload.ts';
import { lookUp, readTree } from '../git/objects/tree-editor.ts';
import { scratchStore } from '../history/chain/files-tree.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { exists, makeFolder, writeDurably } from '../platform/files.ts';
import { filesOf } from './diff.ts';
import { resolveRevision } from './session/revision.ts';

/** A file of a revision. */
export interface ShownFile {
  revision: string;
  path: string;
  oid: string;
  bytes: number;
  /** Its text; null if it is binary. */
  content: string | null;
}

export interface RestoredFile {
  revision: string;
  path: string;
  /** Path to which it was written. */
  to: string;
  bytes: number;
  /** True if a file was there before. */
  replaced: boolean;
}

/** Content of a file of a revision. @throws {CtxError} not_found, ambiguous, damaged */
function contentAt(repository: Repository, revision: string, path: string): { oid: string; content: Buffer } {
  const objects = scratchStore(repository.objects);
  const { oid: commit, kind } = resolveRevision(repository, revision);
  const tree = filesOf(repository, objects, commit, kind);
  const place = treePath(path);
  const entry = tree !== null && place ? lookUp(objects, tree, place) : null;
  if (!entry) {
    throw new CtxError('not_found', `There is no file ${path} in ${revision}.`, {
      hint: `See what it changed with: ctx show ${revision}`,
    });
  }
  if (!isTree(entry)) return { oid: entry.oid, content: objects.readAs(entry.oid, 'blob') };
  const chunks = readTree(objects, entry.oid);
  if (!isChunked(chunks)) {
    throw new CtxError('not_found', `${path} is a folder in ${revision}.`, { hint: 'Name a file in it.' });
  }
  return { oid: entry.oid, content: Buffer.concat(chunks.map((chunk) => objects.readAs(chunk.oid, 'blob'))) };
}

/**
 * Reads the file that `<revision>:<path>` names; the path is relative to the project, or to `directory` if it begins with `./`.
 * @returns null if the text names no file
 * @throws {CtxError} not_found, ambiguous, damaged
 */
export function fileNamed(repository: Repository, text: string, directory: string): ShownFile | null {
  const match = /^([^:]*):(.+)$/s.exec(text);
  if (!match) return null;
  const [, given = '', named = ''] = match;
  const revision = given || 'HEAD';
  const from = /^\.\.?(?:\/|$)/.test(named) ? directory : repository.project;
  const path = recordPath(resolve(from, named), repository.project);
  const { oid, content } = contentAt(repository, revision, path);
  // Git's rule: a NUL in the first 8,000 bytes makes it binary.
  const isBinary = content.subarray(0, 8000).includes(0);
  return { revision, path, oid, bytes: content.length, content: isBinary ? null : content.toString('utf8') };
}

/**
 * Writes a file of a revision into the project, or to another place.
 * @param path the file, relative to the working directory
 * @param to where it is written; the file itself if absent
 * @throws {CtxError} not_found, ambiguous, damaged, io
 */
export function restoreFile(
  repository: Repository,
  revision: string,
  path: string,
  { directory, to }: { directory: string; to?: string | undefined },
): RestoredFile {
  const named = recordPath(resolve(directory, path), repository.project);
  const { content } = contentAt(repository, revision, named);
  const target = resolve(directory, to ?? path);
  const replaced = exists(target);
  makeFolder(join(target, '..'), repository.durability);
  writeDurably(target, below(join(target, '..'), `.ctx-restore-${repository.ids()}`), content, repository.durability);
  return { revision, path: named, to: target, bytes: content.length, replaced };
}
