// Models the sessions of ctx purely: plain values in, plain values out, no files and no Git.
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
  /** Number of steps that it covers. */
  readonly steps: number;
  readonly before: Canonical | null;
  /** Facts that its message and type name beside that: the new task, or how long it was idle. */
  readonly said: string;
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
  pending = new Map<string, readonly Note[]>();
  /** The session that the next command is aimed at. */
  aim: string | null = null;
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
    for (let at = this.get('main') as Canonical | null; at; at = at.before)
      told.push(`${at.type} ${at.session} ${at.steps}`);
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

  /** Begins every change: records that wait for a session which has ended become a late step of its archive. */
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

  #end(id: string, chain: Chain, type: string, automatic: boolean, said = ''): void {
    if (!automatic || chain.records.length > 1)
      this.#move('main', this.#canonical({ type, session: id, said }, chain, this.get('main') as Canonical | null));
    this.#move(`archive ${id}`, chain);
    if (this.stage === id) this.#move('stage', null);
    this.#move(`open ${id}`, null);
  }

  /** The session that a command works on, or none. */
  #current(): string | null {
    if (this.aim !== null && !this.get(`open ${this.aim}`)) refuse('not_found');
    return this.aim ?? this.stage;
  }

  readonly #made = new Map<Chain, Map<string, Canonical>>();
  readonly #numbers = new Map<Canonical | null, number>();

  /** A commit is what is in it: made twice of the same, in the same second, it is one. */
  #canonical(
    { type, session, said }: Pick<Canonical, 'type' | 'session' | 'said'>,
    chain: Chain,
    before: Canonical | null,
  ): Canonical {
    if (!this.#numbers.has(before)) this.#numbers.set(before, this.#numbers.size);
    const key = JSON.stringify([type, said, this.now, this.#numbers.get(before)]);
    const made = this.#made.get(chain) ?? new Map<string, Canonical>();
    this.#made.set(chain, made);
    const known = made.get(key) ?? { type, session, steps: chain.step, before, said };
    made.set(key, known);
    return known;
  }

  #active(): string {
    return this.#current() ?? refuse('no_active_session');
  }

  start(id: string, task: string, how: 'plain' | 'replace' | 'beside'): void {
    if (task.trim() === '') refuse('invalid_input');
    this.#change('stage start', false, () => {
      const active = this.#current();
      if (active !== null && how !== 'beside') {
        const last = this.last(active);
        const stale = this.staleness(active) === 'auto_compact';
        if (!stale && how === 'plain') refuse('session_active');
        this.#end(
          active,
          this.#flushed(active, this.chain(active)),
          stale ? 'StaleAutoCompact' : 'InterruptedByNewTask',
          true,
          stale ? `start ${this.now - last}` : task,
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
    for (const id of ids) {
      const idle = this.now - this.last(id);
      if (idle > limit) this.#end(id, this.#flushed(id, this.chain(id)), 'StaleAutoCompact', true, `${idle}`);
    }
  }

  cleanup(limit = AUTO): void {
    this.#change('stage cleanup', false, () => this.#saveStale(this.open.sort(), limit));
  }

  recover(): void {
    this.#change('stage recover', false, () => {
      this.#current();
    });
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
      const undo: Undo = { grown: new Map(), anew: new Map(), ended: new Map() };
      for (const { command, moves } of chosen) this.#undoOne(undo, moves, command === 'undo');
      if (count === 1 && [...this.#planned.values()].every(({ old, now }) => old === now)) refuse('not_found');
      for (const [id, chain] of undo.ended) this.#saveAdded(id, chain);
    });
  }

  #undoOne(undo: Undo, moves: readonly Move[], isRedo: boolean): void {
    const ended = new Map<string, Chain>();
    for (const move of moves.filter(({ pointer }) => pointer.startsWith('open ')))
      this.#undoSession(undo, moves, move, ended);
    for (const { pointer, old, now } of moves) {
      if (pointer === 'stage' && this.stage !== now) refuse('busy');
      if (pointer === 'stage') this.#move('stage', old);
      if (pointer === 'main') this.#undoMain(undo, old as Canonical | null, now as Canonical | null, ended);
    }
    if (isRedo) for (const [id, chain] of ended) undo.ended.set(id, chain);
  }

  /** A session that was ended with nothing in it left no commit; now there may be work in it. */
  #saveAdded(id: string, chain: Chain): void {
    const wasEnded = this.operations.some(
      ({ command, moves }) =>
        command !== 'undo' && moves.some((move) => move.pointer === `archive ${id}` && move.now !== null),
    );
    if (chain.records.length < 2 || !wasEnded) return;
    const type = chain.state.kind === 'Aborted' ? 'Abandoned' : 'Normal';
    this.#move('main', this.#canonical({ type, session: id, said: '' }, chain, this.get('main') as Canonical | null));
  }

  #undoSession(undo: Undo, moves: readonly Move[], { pointer, old, now }: Move, ended: Map<string, Chain>): void {
    const id = pointer.slice(5);
    const archive = `archive ${id}`;
    const kept = moves.find((move) => move.pointer === archive);
    const [open, archived] = [this.get(pointer) as Chain | null, this.get(archive) as Chain | null];
    if (old === null) {
      if (open === null) return;
      const chain = this.#grown(undo, id, open, kept?.old as Chain | null, now as Chain);
      ended.set(id, chain);
      this.#move(archive, chain);
      this.#move(pointer, null);
    } else if (now !== null) {
      if (open === null) refuse('busy');
      else this.#move(pointer, this.#grown(undo, id, open, old as Chain, now as Chain));
    } else if (open !== null || archived === null) refuse('busy');
    else {
      this.#move(pointer, this.#grown(undo, id, archived, old as Chain, kept?.now as Chain));
      this.#move(archive, null);
      undo.ended.delete(id);
    }
  }

  /** Everything that was recorded since stays, and what waits comes with it; only the state goes back, if it was changed. */
  #grown(undo: Undo, id: string, chain: Chain, before: Chain | null, after: Chain | null): Chain {
    const grown = undo.grown.get(id) ?? { from: chain, own: [], waiting: this.pending.get(id) ?? [] };
    const same = (a: State, b: State): boolean => JSON.stringify(a) === JSON.stringify(b);
    const changed = before && after && !same(before.state, after.state) && !same(before.state, chain.state);
    if (changed) grown.own.push('transition undo');
    this.pending.set(id, grown.waiting);
    const next = this.#flushed(id, grown.from, grown.own, changed ? before.state : chain.state);
    if (next === grown.from) return chain;
    undo.grown.set(id, grown);
    return next;
  }

  /** The commits that were taken off the line come back, made again if their session has moved since. */
  #undoMain(
    { anew, ended: before }: Undo,
    old: Canonical | null,
    now: Canonical | null,
    ended: Map<string, Chain>,
  ): void {
    const known = (commit: Canonical | null): Canonical | null => (commit && anew.get(commit)) ?? commit;
    if (this.get('main') !== known(now)) refuse('busy');
    const below = new Set<Canonical | null>([null]);
    for (let at = now; at; at = at.before) below.add(at);
    const above: Canonical[] = [];
    let at = old;
    for (; at && !below.has(at); at = at.before) above.unshift(at);
    let head = known(at);
    for (const commit of above) {
      const grown = ended.get(commit.session) ?? before.get(commit.session);
      const chain = grown ?? (this.get(`archive ${commit.session}`) as Chain);
      const isOld = commit.before === head && (!grown || chain.step === commit.steps);
      for (const chains of [ended, before]) chains.delete(commit.session);
      const next = isOld ? commit : this.#canonical(commit, chain, head);
      anew.set(commit, next);
      head = next;
    }
    this.#move('main', head);
  }
}

/** Progress of one undo of several operations. */
interface Undo {
  grown: Map<string, { from: Chain; own: string[]; waiting: readonly Note[] }>;
  anew: Map<Canonical, Canonical>;
  ended: Map<string, Chain>;
}
