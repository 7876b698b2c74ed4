/** Collects the deeds of a session: the files that it changed, and the commands that it ran. */
import type { Catalog } from '../catalog.ts';
import type { CommandEntry, PathEntry } from '../segment/rows.ts';

export interface SessionDeeds {
  /** The files that it changed, those of most steps first. */
  changed: { path: string; did: 'wrote' | 'deleted'; at: number }[];
  /** The commands whose exit code is known, those that failed first, then the newest. */
  commands: { command: string; exit: number; at: number }[];
}

interface Collected {
  paths: Map<string, { writes: number; deletes: number; at: number }>;
  commands: Map<string, { command: string; exit: number; at: number }>;
}

/** Deeds that were collected of each catalog: a question asks about many sessions. */
const known = new WeakMap<Catalog, Map<string, Collected>>();

/** Returns what a session did. */
export function sessionDeeds(catalog: Catalog, session: string): SessionDeeds {
  let all = known.get(catalog);
  if (!all) {
    all = collect(catalog);
    known.set(catalog, all);
  }
  const { paths, commands } = all.get(session) ?? { paths: new Map(), commands: new Map() };
  const changed = [...paths].filter(([, { writes, deletes }]) => writes + deletes > 0);
  changed.sort(([a, one], [b, other]) => other.writes - one.writes || other.at - one.at || (a < b ? -1 : 1));
  const ran = [...commands.values()];
  ran.sort((a, b) => Number(b.exit !== 0) - Number(a.exit !== 0) || b.at - a.at || (a.command < b.command ? -1 : 1));
  return {
    changed: changed.map(([path, { writes, at }]) => ({ path, did: writes > 0 ? 'wrote' : 'deleted', at })),
    commands: ran,
  };
}

function collect(catalog: Catalog): Map<string, Collected> {
  const all = new Map<string, Collected>();
  const of = (id: string): Collected => {
    const before = all.get(id);
    if (before) return before;
    const fresh: Collected = { paths: new Map(), commands: new Map() };
    all.set(id, fresh);
    return fresh;
  };
  for (const segment of catalog.segments) {
    const rows = segment.sessionRows;
    const idOf = (session: number): string | null => {
      const id = rows[session]?.id ?? '';
      return catalog.counts(id, segment.number) ? id : null;
    };
    for (const { session, path, writes, deletes, at } of segment.rows('paths') as PathEntry[]) {
      const id = idOf(session);
      if (id === null) continue;
      const before = of(id).paths.get(path) ?? { writes: 0, deletes: 0, at: 0 };
      of(id).paths.set(path, {
        writes: before.writes + writes.length,
        deletes: before.deletes + deletes.length,
        at: Math.max(before.at, at),
      });
    }
    for (const { session, command, exit, at } of segment.rows('commands') as CommandEntry[]) {
      const id = idOf(session);
      // Of one that was run again and again, the last time says how it ended.
      if (id !== null && exit !== null) of(id).commands.set(command, { command, exit, at });
    }
  }
  return all;
}
