/** Compares the trees of snapshots, and makes new ones of them. */
import { join } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { Change, Entry } from '../../core/world/changes.ts';
import { removeFile } from '../../platform/files.ts';
import { bytesOf, nameOf } from './names.ts';
import { onSnapshots, type Snapshots } from './private-git.ts';

/** A pair of trees. */
export interface Pair {
  from: string;
  to: string;
}

const entryOf = (mode: string, oid: string): Entry => (mode === '000000' ? null : { mode, oid });

/** Compares pairs of trees, file by file; a rename is a file that is gone and another that is new. */
export function compareTrees(snapshots: Snapshots, pairs: readonly Pair[]): Change[][] {
  if (pairs.length === 0) return [];
  const input = pairs.map(({ from, to }) => `${from} ${to}\n`).join('');
  const words = ['diff-tree', '--stdin', '-r', '-z', '--no-renames', '--no-abbrev'];
  const fields = onSnapshots(snapshots, words, { input }).split('\0');
  const compared = new Map<string, Change[]>();
  let changes: Change[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    let field = fields[at] as string;
    // The line with the two trees comes in front of their first file.
    for (let line = HEADING.exec(field); line; line = HEADING.exec(field)) {
      changes = [];
      compared.set(`${line[1]} ${line[2]}`, changes);
      field = field.slice(line[0].length);
    }
    const [, before, after, then, now] = CHANGED.exec(field) ?? [];
    if (before === undefined || after === undefined || then === undefined || now === undefined) continue;
    at += 1;
    changes.push({ path: nameOf(fields[at] as string), from: entryOf(before, then), to: entryOf(after, now) });
  }
  return pairs.map(({ from, to }) => compared.get(`${from} ${to}`) ?? []);
}

const HEADING = /^([0-9a-f]{40}) ([0-9a-f]{40})\n/;
const CHANGED = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]/;

/** Returns whether the snapshots hold a tree. */
function hasTree(snapshots: Snapshots, id: string): boolean {
  if (!/^[0-9a-f]{40}$/.test(id)) return false;
  const answer = onSnapshots(snapshots, ['cat-file', '--batch-check'], { input: `${id}\n` });
  return answer.startsWith(`${id} tree`);
}

/** Makes a tree in which some files are others. */
export function treeWith(snapshots: Snapshots, tree: string, changes: readonly Change[]): string {
  const index = join(snapshots.folder, `index.${snapshots.nonce}.plan`);
  try {
    onSnapshots(snapshots, ['read-tree', tree], { index });
    // Removals come first: a file may take the place of a folder.
    const gone = changes.filter(({ to }) => to === null).map(({ path }) => `0 ${'0'.repeat(40)}\t${bytesOf(path)}\0`);
    const put = changes.flatMap(({ path, to }) => (to ? [`${to.mode} ${to.oid}\t${bytesOf(path)}\0`] : []));
    onSnapshots(snapshots, ['update-index', '-z', '--index-info'], { index, input: [...gone, ...put].join('') });
    return onSnapshots(snapshots, ['write-tree'], { index }).trim();
  } finally {
    for (const left of [index, `${index}.lock`]) removeFile(left);
  }
}

/** @throws {CtxError} damaged, if the snapshots do not hold a tree */
export function requireTree(snapshots: Snapshots, id: string): void {
  if (hasTree(snapshots, id)) return;
  throw new CtxError('damaged', `The snapshot ${id} is not among the snapshots of the work tree any more.`, {
    hint: 'See which messages have one with: ctx messages --json',
  });
}
