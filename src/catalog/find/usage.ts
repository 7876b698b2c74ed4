/** Reads what models used from the catalog: each call once, though it may be in several sessions, which are copies. */
import type { Catalog } from '../catalog.ts';
import type { CallEntry, SessionEntry, UsageEntry } from '../segment/rows.ts';

/** One call of a model, or one thing that the user said. */
export interface UsageCall {
  session: SessionEntry;
  model: string | null;
  /** Unix seconds. */
  at: number;
  /** Null of what the user said. */
  tokens: CallEntry | null;
  /** True if another session had it first. */
  isCopy: boolean;
}

interface SessionUsage {
  calls: Map<number, { model: string | null; call: CallEntry }>;
  turns: Map<number, number>;
}

/** Yields the calls and turns of all sessions, the oldest session first. */
export function* usageCalls(catalog: Catalog): Generator<UsageCall> {
  const sessions = usageBySession(catalog);
  const list = [...catalog.sessions.values()].map(({ row }) => row);
  list.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1));
  const seen = new Set<string>();
  const isSeen = (key: string): boolean => {
    const before = seen.size;
    return seen.add(key).size === before;
  };
  for (const session of list) {
    const used = sessions.get(session.id);
    if (!used) continue;
    const calls = [...used.calls].sort(([, a], [, b]) => a.call[1] - b.call[1]);
    for (const [message, { model, call }] of calls)
      yield {
        session,
        model,
        at: call[1],
        tokens: call,
        isCopy: isSeen(`${message} ${call.slice(1).join(' ')}`) || takesAway(call),
      };
    for (const [message, at] of used.turns) {
      // A turn is of the model that answers it.
      const answer = calls.find(([, { call }]) => call[1] >= at) ?? calls.at(-1);
      yield { session, model: answer?.[1].model ?? null, at, tokens: null, isCopy: isSeen(`${message} ${at}`) };
    }
  }
}

function usageBySession(catalog: Catalog): Map<string, SessionUsage> {
  const sessions = new Map<string, SessionUsage>();
  for (const segment of catalog.segments) {
    const rows = segment.sessionRows;
    for (const { session, model, calls, turns } of segment.rows('usage') as UsageEntry[]) {
      const id = rows[session]?.id ?? '';
      if (!catalog.counts(id, segment.number)) continue;
      let used = sessions.get(id);
      if (!used) {
        used = { calls: new Map(), turns: new Map() };
        sessions.set(id, used);
      }
      for (const call of calls) {
        const before = used.calls.get(call[0]);
        // A later account of a message may be without its model and time.
        used.calls.set(call[0], {
          model: model ?? before?.model ?? null,
          call: before ? withTime(call, before.call[1]) : call,
        });
      }
      for (const [message, at] of turns) if (!used.turns.has(message)) used.turns.set(message, at);
    }
  }
  return sessions;
}

function withTime(call: CallEntry, at: number): CallEntry {
  const [message, _at, ...others] = call;
  return [message, at, ...others];
}

/** Checks if an entry takes away what its session has copied from another, whose calls count already. */
const takesAway = ([, , , tokens]: CallEntry): boolean => tokens.some((count) => count < 0);
