/** Walks commits from a head down, the newest first. */

/** Fields of a commit that a walk needs. */
interface Node {
  parents: readonly string[];
  /** Unix seconds. */
  committedAt: number;
}

/** Returns the newest of some commits; of several with the same time one that is no parent of the others. */
function newestOf<T extends Node>(open: ReadonlyMap<string, T>): [oid: string, commit: T] {
  let ties: [string, T][] = [];
  for (const entry of open) {
    const ahead = ties[0] ? entry[1].committedAt - ties[0][1].committedAt : 1;
    if (ahead > 0) ties = [];
    if (ahead >= 0) ties.push(entry);
  }
  const [first] = ties as [[string, T]];
  if (ties.length === 1) return first;
  const parents = new Set([...open.values()].flatMap((commit) => commit.parents));
  return ties.find(([oid]) => !parents.has(oid)) ?? first;
}

/** Yields every commit from a head down, the newest first; of two at the same time, the child. */
export function* walkNewestFirst<T extends Node>(
  head: string,
  read: (oid: string) => T,
): Generator<[oid: string, commit: T]> {
  const open = new Map([[head, read(head)]]);
  const seen = new Set(open.keys());
  while (open.size > 0) {
    const [oid, commit] = newestOf(open);
    open.delete(oid);
    yield [oid, commit];
    for (const parent of commit.parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      open.set(parent, read(parent));
    }
  }
}
