/** Short ids of sessions: pieces of the random end of a UUIDv7, whose beginning is a time and alike for many. */

/** Shortest short id, in characters. */
export const SHORTEST_ID = 6;
/** Shortest piece of an id that is looked up, in characters. */
export const SHORTEST_PIECE = 4;

const plain = (id: string): string => id.replaceAll('-', '').toLowerCase();

/** Returns by its id the short id of each session: the shortest end that no other of them has, of six characters or more. */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const byEnd = new Map<string, string[]>();
  const short = new Map<string, string>();
  for (const id of new Set(ids)) {
    const end = plain(id).slice(-SHORTEST_ID);
    short.set(id, end);
    const alike = byEnd.get(end);
    if (alike) alike.push(id);
    else byEnd.set(end, [id]);
  }
  for (const alike of byEnd.values())
    if (alike.length > 1) for (const [id, end] of longerEnds(alike)) short.set(id, end);
  return short;
}

/** Returns the shortest end of each id that no other of them has. */
function longerEnds(ids: readonly string[]): [id: string, end: string][] {
  const reversed = ids.map((id) => ({ id, end: [...plain(id)].reverse().join('') }));
  reversed.sort((a, b) => (a.end < b.end ? -1 : 1));
  const common = (a: string | undefined, b: string): number => {
    let length = 0;
    while (a !== undefined && length < b.length && a[length] === b[length]) length += 1;
    return length;
  };
  return reversed.map(({ id, end }, index) => {
    const alike = Math.max(common(reversed[index - 1]?.end, end), common(reversed[index + 1]?.end, end));
    return [id, plain(id).slice(-Math.max(SHORTEST_ID, alike + 1))];
  });
}

/** Returns the ids that a piece names: the one that it spells out, else those that begin or end with the piece. */
export function idsMatching(ids: readonly string[], piece: string): string[] {
  if (ids.includes(piece)) return [piece];
  const wanted = plain(piece);
  if (wanted.length < SHORTEST_PIECE) return [];
  return ids.filter((id) => plain(id).endsWith(wanted) || plain(id).startsWith(wanted));
}
