/** Short ids of sessions: pieces of the random end of a UUIDv7, whose beginning is a time and alike for many. */

/** Shortest short id, in characters. */
export const SHORTEST_ID = 6;
/** Shortest piece of an id that is looked up, in characters. */
export const SHORTEST_PIECE = 4;

const plain = (id: string): string => id.replaceAll('-', '').toLowerCase();

/** Returns by its id the short id of each session: the shortest end that no other of them has, of six characters or more. */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const short = new Map<string, string>();
  /** Ids by their shortest end: most have one of their own. */
  const alike = new Map<string, string[]>();
  for (const id of ids) {
    if (short.has(id)) continue;
    const last = id.slice(-SHORTEST_ID).toLowerCase();
    const end = last.includes('-') ? plain(id).slice(-SHORTEST_ID) : last;
    short.set(id, end);
    const others = alike.get(end);
    if (others) others.push(id);
    else alike.set(end, [id]);
  }
  for (const group of alike.values()) if (group.length > 1) lengthen(short, group);
  return short;
}

/** Lengthens the short ids of those that end alike. */
function lengthen(short: Map<string, string>, group: readonly string[]): void {
  const reversed = group.map((id) => ({ id, end: [...plain(id)].reverse().join('') }));
  reversed.sort((a, b) => (a.end < b.end ? -1 : 1));
  const common = (a: string | undefined, b: string): number => {
    let length = 0;
    while (a !== undefined && length < b.length && a[length] === b[length]) length += 1;
    return length;
  };
  for (const [index, { id, end }] of reversed.entries()) {
    const most = Math.max(common(reversed[index - 1]?.end, end), common(reversed[index + 1]?.end, end));
    short.set(id, plain(id).slice(-Math.max(SHORTEST_ID, most + 1)));
  }
}

/** Returns the ids that a piece names: the one that it spells out, else those that begin or end with the piece. */
export function idsMatching(ids: readonly string[], piece: string): string[] {
  if (ids.includes(piece)) return [piece];
  const wanted = plain(piece);
  if (wanted.length < SHORTEST_PIECE) return [];
  return ids.filter((id) => plain(id).endsWith(wanted) || plain(id).startsWith(wanted));
}
