/** Reads what models used from the catalog: each call once, though it may be in several sessions, which are copies. */
import type { Catalog } from '../catalog.ts';
import type { SessionEntry } from '../segment/rows.ts';
import type { UsageTable } from '../segment/usage-table.ts';

/** Where the numbers of a call are. */
export interface CallPlace {
  table: UsageTable;
  row: number;
}

/** Receives one call of a model, or one thing that the user said, of which there is no place. */
export type TakeUse = (use: {
  session: SessionEntry;
  model: string | null;
  /** Unix seconds. */
  at: number;
  call: CallPlace | null;
  /** Whether another session had it first. */
  isCopy: boolean;
}) => void;

/** A call as its session has it: a later account of a message counts instead, and may be without its model and time. */
interface Call extends CallPlace {
  message: number;
  model: string | null;
  at: number;
}

interface SessionUses {
  calls: Call[];
  turns: Map<number, number>;
}

/** Finds values by the number of a message, and by another number: a map would keep an object for each. */
class CallIndex {
  #slots: Int32Array;
  readonly #calls: Call[] = [];
  readonly #owners: number[] = [];

  constructor(size: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(size * 2 + 16))).fill(-1);
  }

  /** Returns the call that is held for an owner and is alike; holds this one and returns null if there is none. */
  meet(call: Call, owner: number, isAlike: (held: Call) => boolean): Call | null {
    const mask = this.#slots.length - 1;
    const mixed = Math.imul((call.message | 0) ^ Math.imul(owner, 0x9e3779b1), 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot] as number;
      if (at < 0) {
        this.#slots[slot] = this.#calls.push(call) - 1;
        this.#owners.push(owner);
        return null;
      }
      const held = this.#calls[at] as Call;
      if (held.message === call.message && this.#owners[at] === owner && isAlike(held)) return held;
    }
  }
}

/** Passes on the calls and turns of all sessions, the oldest session first. */
export function eachUse(catalog: Catalog, take: TakeUse): void {
  const sessions = usesBySession(catalog);
  const list = [...catalog.sessions.values()].map(({ row }) => row);
  list.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1));
  const calls = new CallIndex(callCount(catalog));
  const turns = new Set<string>();
  for (const session of list) {
    const used = sessions.get(session.id);
    if (!used) continue;
    const inOrder = used.calls.every((call, index, all) => index === 0 || (all[index - 1] as Call).at <= call.at);
    if (!inOrder) used.calls.sort((a, b) => a.at - b.at);
    for (const call of used.calls) {
      const isSeen = calls.meet(call, 0, (held) => held.at === call.at && saysTheSame(held, call)) !== null;
      take({ session, model: call.model, at: call.at, call, isCopy: isSeen || takesAway(call) });
    }
    let answer = 0;
    for (const [message, at] of [...used.turns].sort(([, a], [, b]) => a - b)) {
      // A turn is of the model that answers it.
      while (answer < used.calls.length && (used.calls[answer] as Call).at < at) answer += 1;
      const model = (used.calls[answer] ?? used.calls.at(-1))?.model ?? null;
      const before = turns.size;
      take({ session, model, at, call: null, isCopy: turns.add(`${message} ${at}`).size === before });
    }
  }
}

const callCount = ({ segments }: Catalog): number =>
  segments.reduce((sum, { usage }) => sum + usage.calls.session.length, 0);

function usesBySession(catalog: Catalog): Map<string, SessionUses> {
  const sessions = new Map<string, SessionUses>();
  const index = new CallIndex(callCount(catalog));
  const owners = new Map<string, number>();
  for (const segment of catalog.segments) {
    const { usage: table } = segment;
    const uses = segment.sessionRows.map(({ id }): [SessionUses, number] | null => {
      if (!catalog.counts(id, segment.number)) return null;
      const own = sessions.get(id) ?? { calls: [], turns: new Map() };
      sessions.set(id, own);
      const owner = owners.get(id) ?? owners.size;
      owners.set(id, owner);
      return [own, owner];
    });
    const { session: ofSession, message: ids, at: times, model: models } = table.calls;
    for (let row = 0; row < ofSession.length; row += 1) {
      const [own, owner] = uses[ofSession[row] as number] ?? [];
      if (!own || owner === undefined) continue;
      const model = table.models[models[row] as number] ?? null;
      const call: Call = { table, row, message: ids[row] as number, model, at: times[row] as number };
      const before = index.meet(call, owner, () => true);
      if (!before) own.calls.push(call);
      else Object.assign(before, { table, row, model: model ?? before.model });
    }
    const { turns } = table;
    for (let row = 0; row < turns.session.length; row += 1) {
      const [own] = uses[turns.session[row] as number] ?? [];
      const message = turns.message[row] as number;
      if (own && !own.turns.has(message)) own.turns.set(message, turns.at[row] as number);
    }
  }
  return sessions;
}

const COUNTS = ['calls', 'input', 'output', 'reasoning', 'read', 'write'] as const;

const saysTheSame = (one: CallPlace, other: CallPlace): boolean =>
  COUNTS.every((name) => one.table.calls[name][one.row] === other.table.calls[name][other.row]) &&
  one.table.costs.get(one.row) === other.table.costs.get(other.row);

/** Whether an entry takes away what its session has copied from another, whose calls count already. */
const takesAway = ({ table, row }: CallPlace): boolean =>
  COUNTS.some((name) => name !== 'calls' && (table.calls[name][row] as number) < 0);
