// What ctx promises of sessions, as a small pure model: plain values in, plain values out, no files and no Git.
import type { ErrorCode } from '../../src/core/errors.ts';

export interface State {
  kind: string;
  [key: string]: unknown;
}

/** A chain as of one step; each step is a new value, so that it can be told from any other. */
export interface Chain {
  readonly state: State;
  readonly step: number;
  readonly records: readonly string[];
  readonly last: number;
}

/** A commit on the main line. */
export interface Canonical {
  readonly type: string;
  readonly session: string;
  readonly before: Canonical | null;
}

type Value = Chain | Canonical | string | null;
interface Move {
  pointer: string;
  old: Value;
  now: Value;
}
interface Note {
  told: string;
  at: number;
}

const ASK = 86_400;
const AUTO = 604_800;
const VERBS: Record<string, [from: string[], to: string]> = {
  ask: [['Running'], 'AwaitingUser'],
  done: [['Running'], 'PendingComplete'],
  interrupt: [['Running'], 'Interrupted'],
  respond: [['AwaitingUser'], 'Running'],
  continue: [['Interrupted'], 'Running'],
  confirm: [['PendingComplete'], 'Complete'],
  reopen: [['PendingComplete'], 'Running'],
  abort: [['Running', 'AwaitingUser', 'Interrupted', 'PendingComplete'], 'Aborted'],
};
const PREFIXES: Record<string, string> = {
  ask: 'Question for user: ',
  interrupt: 'User intervention: ',
  respond: 'User response: ',
  reopen: 'User requested continuation: ',
};

export class Refused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

const refuse = (code: ErrorCode): never => {
  throw new Refused(code);
};

export class Model {
  now = 1_769_040_000;
  /** `main`, `stage`, `open <id>` and `archive <id>`. */
  pointers = new Map<string, Value>();
  pending = new Map<string, Note[]>();
  operations: { command: string; moves: Move[] }[] = [];
  #planned = new Map<string, Move>();

  get(pointer: string): Value {
    const planned = this.#planned.get(pointer);
    return planned ? planned.now : (this.pointers.get(pointer) ?? null);
  }

  get stage(): string | null {
    return this.get('stage') as string | null;
  }

  chain(id: string): Chain {
    return this.get(`open ${id}`) as Chain;
  }

  get open(): string[] {
    return [...this.pointers].flatMap(([name, value]) => (name.startsWith('open ') && value ? [name.slice(5)] : []));
  }

  get log(): string[] {
    const told: string[] = [];
    for (let at = this.get('main') as Canonical | null; at; at = at.before) told.push(`${at.type} ${at.session}`);
    return told;
  }

  last(id: string): number {
    return Math.max(this.chain(id).last, ...(this.pending.get(id) ?? []).map((note) => note.at));
  }

  staleness(id: string): 'fresh' | 'ask' | 'auto_compact' {
    const idle = this.now - this.last(id);
    return idle > AUTO ? 'auto_compact' : idle >= ASK ? 'ask' : 'fresh';
  }

  #move(pointer: string, now: Value): void {
    const old = this.#planned.get(pointer)?.old ?? this.pointers.get(pointer) ?? null;
    this.#planned.set(pointer, {
      pointer,
      old: this.#planned.has(pointer) ? this.#planned.get(pointer)!.old : old,
      now,
    });
  }

  /** What every change does first: records that wait for a session which has ended become a late step of its archive. */
  #change(command: string, logged: boolean, body: () => void): void {
    for (const id of this.pending.keys()) {
      const archived = this.pointers.get(`archive ${id}`);
      if (archived && !this.pointers.get(`open ${id}`))
        this.pointers.set(`archive ${id}`, this.#flushed(id, archived as Chain));
    }
    const waiting = new Map(this.pending);
    try {
      body();
    } catch (error) {
      this.pending = waiting;
      throw error;
    } finally {
      const real = [...this.#planned.values()].filter(({ old, now }) => old !== now);
      this.#planned.clear();
      this.#publish(command, logged, real);
    }
  }

  #publish(command: string, logged: boolean, moves: Move[]): void {
    for (const { pointer, now } of moves) this.pointers.set(pointer, now);
    const isPlain = moves.length === 1 && moves[0]?.pointer !== 'stage' && !logged;
    if (moves.length > 0 && !isPlain) this.operations.push({ command, moves });
  }

  /** A chain with what waits for it, and more records of a command, in one more step. */
  #flushed(id: string, chain: Chain, own: readonly string[] = [], state = chain.state, always = false): Chain {
    const waiting = this.pending.get(id) ?? [];
    this.pending.delete(id);
    if (waiting.length + own.length === 0 && !always) return chain;
    const times = [...waiting.map((note) => note.at), ...own.map(() => this.now)];
    return {
      state,
      step: chain.step + 1,
      records: [...chain.records, ...waiting.map((note) => note.told), ...own],
      last: Math.max(chain.last, ...times),
    };
  }

  #end(id: string, chain: Chain, type: string, automatic: boolean): void {
    if (!automatic || chain.records.length > 1)
      this.#move('main', { type, session: id, before: this.get('main') as Canonical | null });
    this.#move(`archive ${id}`, chain);
    if (this.stage === id) this.#move('stage', null);
    this.#move(`open ${id}`, null);
  }

  #active(): string {
    return this.stage ?? refuse('no_active_session');
  }

  start(id: string, task: string, how: 'plain' | 'replace' | 'beside'): void {
    if (task.trim() === '') refuse('invalid_input');
    this.#change('stage start', false, () => {
      const active = this.stage;
      if (active !== null && how !== 'beside') {
        const stale = this.staleness(active) === 'auto_compact';
        if (!stale && how === 'plain') refuse('session_active');
        this.#end(
          active,
          this.#flushed(active, this.chain(active)),
          stale ? 'StaleAutoCompact' : 'InterruptedByNewTask',
          true,
        );
      }
      this.#move(`open ${id}`, { state: { kind: 'Running' }, step: 1, records: [`task ${task}`], last: this.now });
      this.#move('stage', id);
    });
  }

  observe(told: string[], empty = false): void {
    const id = this.#active();
    if (empty) refuse('invalid_input');
    if (told.length === 0) return;
    this.pending.set(id, [...(this.pending.get(id) ?? []), ...told.map((one) => ({ told: one, at: this.now }))]);
  }

  flush(note: string | undefined, always: boolean): void {
    this.#change('stage flush', false, () => {
      const id = this.#active();
      if (note !== undefined && note.trim() === '') refuse('invalid_input');
      const chain = this.chain(id);
      this.#move(
        `open ${id}`,
        this.#flushed(id, chain, note === undefined ? [] : [`note ${note}`], chain.state, always),
      );
    });
  }

  verb(verb: string, text: string, note: string, compact: boolean): void {
    this.#change(`stage ${verb}`, verb === 'abort' || verb === 'confirm', () => {
      const id = this.#active();
      const chain = this.chain(id);
      const [from, to] = VERBS[verb] as [string[], string];
      if (!from.includes(chain.state.kind)) refuse('no_such_move');
      const empty = text.trim() === '';
      if (empty && ['ask', 'respond', 'interrupt', 'reopen'].includes(verb)) refuse('invalid_input');
      const own = note.trim() === '' ? [] : [`note ${note}`];
      if (PREFIXES[verb]) own.push(`note ${PREFIXES[verb]}${text}`);
      if (verb === 'confirm') own.push('note User confirmed task complete');
      if (verb === 'continue' && !empty) own.push(`note ${text}`);
      if (verb === 'respond') own.push('relation Mentions');
      own.push(`transition ${verb}`);
      const said: Record<string, object> = {
        AwaitingUser: { question: text, asked_at: this.now },
        PendingComplete: { summary: text },
        Interrupted: { user_message: text },
        Aborted: { reason: text },
      };
      const next = this.#flushed(id, chain, own, { kind: to, ...said[to] });
      if (compact) this.#end(id, next, to === 'Aborted' ? 'Abandoned' : 'Normal', false);
      else this.#move(`open ${id}`, next);
    });
  }

  compact(): void {
    this.#change('stage compact', false, () => {
      const id = this.#active();
      const chain = this.#flushed(id, this.chain(id));
      this.#end(id, chain, chain.state.kind === 'Aborted' ? 'Abandoned' : 'Normal', false);
    });
  }

  #saveStale(ids: readonly string[], limit: number): void {
    for (const id of ids)
      if (this.now - this.last(id) > limit) this.#end(id, this.#flushed(id, this.chain(id)), 'StaleAutoCompact', true);
  }

  cleanup(limit = AUTO): void {
    this.#change('stage cleanup', false, () => this.#saveStale(this.open.sort(), limit));
  }

  recover(): void {
    this.#change('stage recover', false, () => this.#saveStale(this.stage === null ? [] : [this.stage], AUTO));
  }

  switch(id: string): void {
    this.#change('stage switch', false, () => {
      if (!this.get(`open ${id}`)) refuse('not_found');
      this.#move('stage', id);
    });
  }

  undo(count: number): void {
    this.#change('undo', true, () => {
      const chosen = this.operations.slice(-count).reverse();
      if (chosen.length < count) refuse('not_found');
      for (const { moves } of chosen) for (const move of moves) this.#takeBack(move);
    });
  }

  #takeBack({ pointer, old, now }: Move): void {
    if (pointer.startsWith('archive ')) return;
    const current = this.get(pointer);
    const archive = `archive ${pointer.slice(5)}`;
    if (!pointer.startsWith('open ')) {
      if (current !== now) refuse('busy');
      this.#move(pointer, old);
    } else if (old === null) {
      if (current === null) return;
      this.#move(archive, current);
      this.#move(pointer, null);
    } else if (now !== null) {
      if (current === null) refuse('busy');
      this.#move(pointer, this.#reopened(current as Chain, old as Chain));
    } else {
      if (current !== null || !this.get(archive)) refuse('busy');
      this.#move(pointer, this.#reopened(this.get(archive) as Chain, old as Chain));
      this.#move(archive, null);
    }
  }

  /** Everything that was flushed since stays; only the state goes back. */
  #reopened(chain: Chain, before: Chain): Chain {
    if (JSON.stringify(chain.state) === JSON.stringify(before.state)) return chain;
    const records = [...chain.records, 'transition undo'];
    return { state: before.state, step: chain.step + 1, records, last: Math.max(chain.last, this.now) };
  }
}
