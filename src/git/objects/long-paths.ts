/** Detects the deeply nested folders of a stranger, which Git must not pack. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isTree } from '../../core/tree.ts';
import { ioError } from '../../platform/files.ts';
import { checkForGit, workingGit } from '../git.ts';
import type { ObjectFiles, ObjectStore } from './objects.ts';
import { readTree } from './tree-editor.ts';

/** Longest path that Git packs, in bytes: those of ctx have at most 1,024 below their first folder. */
const LONGEST = 4096;

/**
 * Returns whether Git would meet a path over 4,096 bytes when it packs. Git remembers the path of each folder that it is in:
 * for 20,000 nested folders it took 445 MB (measured with 2.39; since 2.43 it refuses so many itself). Its output of paths
 * ends at a newline in them, so the trees are read here. A tree that Git cannot list it cannot pack either, and then it
 * reports an error.
 * @throws {CtxError} damaged, if a tree cannot be read
 */
export async function hasLongPath(repository: ObjectFiles): Promise<boolean> {
  const lengths = new Map<string, number>();
  for await (const tree of reachableTrees(repository))
    if (lengthBelow(repository.objects, tree, lengths) > LONGEST) return true;
  return false;
}

/** Yields the ids of all reachable trees. */
async function* reachableTrees(repository: ObjectFiles): AsyncGenerator<string> {
  checkForGit(repository);
  const { file, options, env } = workingGit(repository);
  const git = (...words: string[]) => spawn(file, [...options, ...words], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const list = git('rev-list', '--objects', '--no-object-names', '--all', '--reflog');
  const types = git('cat-file', '--batch-check=%(objecttype) %(objectname)');
  let rest = '';
  try {
    await begun(list, types);
    for (const one of [list, types, list.stdin, types.stdin]) one.on('error', () => undefined);
    list.stdin.end();
    list.stdout.pipe(types.stdin);
    for await (const piece of types.stdout) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('tree ')) yield line.slice('tree '.length);
    }
  } finally {
    for (const one of [list, types]) one.kill('SIGKILL');
  }
}

/** Waits until all processes run. @throws {CtxError} io; a process that could not be started has no streams */
async function begun(...processes: ChildProcess[]): Promise<void> {
  const all = await Promise.allSettled(processes.map((one) => once(one, 'spawn')));
  for (const one of all) if (one.status === 'rejected') throw ioError('run', 'git', one.reason);
}

/** Returns the length of the longest path below a tree, in bytes. @param lengths the known ones, by tree; this one is added */
function lengthBelow(objects: ObjectStore, tree: string, lengths: Map<string, number>): number {
  const open = [tree];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const entries = lengths.has(at) ? [] : readTree(objects, at);
    const unknown = entries.filter((entry) => isTree(entry) && !lengths.has(entry.oid)).map(({ oid }) => oid);
    // Its subtrees first, then this tree again.
    for (const oid of unknown) open.push(oid);
    if (unknown.length > 0) continue;
    open.pop();
    let longest = lengths.get(at) ?? 0;
    for (const { name, oid } of entries)
      longest = Math.max(longest, Buffer.byteLength(name) + 1 + (lengths.get(oid) ?? 0));
    lengths.set(at, longest);
  }
  return lengths.get(tree) ?? 0;
}
