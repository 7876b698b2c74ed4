/** Decides which files a rewind of the work tree may restore: those that this session alone has changed since. */

/** A moment at which the files were kept, in the order of time over all sessions. */
export interface Mark {
  /** The id of the record of the snapshot. */
  id: string;
  at: number;
  session: string;
  /** A message begins the work of a session, the end of a turn ends it; a rewind changes files by itself. */
  point: 'message' | 'turn_end' | 'rewind';
  tree: string;
}

/** A file in a tree: its mode and the id of its content; null if it is not there. */
export type Entry = { mode: string; oid: string } | null;
/** A path with what it was and what it is. */
export interface Change {
  path: string;
  from: Entry;
  to: Entry;
}

/** A time between two marks, and the sessions that were at work in it. */
export interface Interval {
  from: string;
  to: string;
  working: readonly string[];
}

/** Returns the intervals from a mark until now. @param since the id of the mark @param now the tree of the files as they are */
export function intervalsOf(marks: readonly Mark[], since: string, now: string): Interval[] {
  const first = marks.findIndex(({ id }) => id === since);
  if (first < 0) return [];
  const working = new Set<string>();
  const intervals: Interval[] = [];
  for (const [index, { session, point, tree }] of marks.entries()) {
    if (point === 'turn_end') working.delete(session);
    else working.add(session);
    const to = marks[index + 1]?.tree ?? now;
    if (index >= first && tree !== to) intervals.push({ from: tree, to, working: [...working] });
  }
  return intervals;
}

/** Author of the changes of a file since: this session alone, or others too. */
export type Owner = { kind: 'own' } | { kind: 'user' } | { kind: 'session'; session: string } | { kind: 'unknown' };

const OWN: Owner = { kind: 'own' };

/** Writes that sessions have recorded themselves. */
export interface Recorded {
  /** Returns whether a session has recorded since that it wrote or deleted a file. */
  wrote: (session: string, path: string) => boolean;
}

/** Returns who changed a path in an interval. If several sessions were at work, what they have recorded decides. */
function ownerIn({ working }: Interval, session: string, path: string, { wrote }: Recorded): Owner {
  const others = working.filter((one) => one !== session);
  if (!working.includes(session)) {
    if (others.length === 0) return { kind: 'user' };
    return others.length === 1 ? { kind: 'session', session: others[0] as string } : { kind: 'unknown' };
  }
  if (others.length === 0) return OWN;
  const theirs = others.filter((one) => wrote(one, path));
  const isOwn = wrote(session, path);
  if (theirs.length === 0) return isOwn ? OWN : { kind: 'unknown' };
  return isOwn || theirs.length > 1 ? { kind: 'unknown' } : { kind: 'session', session: theirs[0] as string };
}

/** Finds the owner of each path: another than this session, if one has changed the path in any interval. */
export function ownersOf(
  intervals: readonly (Interval & { paths: readonly string[] })[],
  session: string,
  recorded: Recorded,
): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const interval of intervals)
    for (const path of interval.paths) {
      const known = owners.get(path);
      if (known === undefined || known.kind === 'own') owners.set(path, ownerIn(interval, session, path, recorded));
    }
  return owners;
}
