// A reference model of a conversation: it copies lists instead of recording overlays, and knows nothing of records.

/** Messages that the model sees: ids of messages in order, the summary of a compaction first. */
type Line = readonly string[];

interface Compaction {
  summarised: Line;
}

export class ModelConversation {
  /** Every message ever said, in order. */
  readonly said: { id: string; role: 'user' | 'assistant' }[] = [];
  view: Line = [];
  pruned: ReadonlySet<string> = new Set();
  /** View at the time of each message, with it. */
  readonly #at = new Map<string, Line>();
  /** The lines before each rewind that is not taken back. */
  #rewinds: { before: Line; place: number }[] = [];
  readonly #grown = new Map<string, ReadonlyMap<string, string>>();
  readonly #compactions = new Map<string, Compaction>();

  append(id: string, role: 'user' | 'assistant'): void {
    this.said.push({ id, role });
    this.view = [...this.view, id];
    this.#at.set(id, this.view);
  }

  /** The parts that a message has gained, the newest version of each, in the order in which they first came. */
  grow(id: string, part: string, version: string): void {
    this.#grown.set(id, new Map([...this.grown(id), [part, version]]));
  }

  grown(id: string): ReadonlyMap<string, string> {
    return this.#grown.get(id) ?? new Map<string, string>();
  }

  isSummary(id: string): boolean {
    return this.#compactions.has(id);
  }

  /** @returns whether anything changed */
  rewind(id: string): boolean {
    const line = this.#at.get(id) as Line;
    if (same(line, this.view)) return false;
    this.#rewinds.push({ before: this.view, place: this.said.length });
    this.view = line;
    return true;
  }

  unrewind(): boolean {
    const last = this.#rewinds.pop();
    if (!last) return false;
    this.view = last.before;
    return true;
  }

  compact(summary: string, tail: number): boolean {
    const users = this.view.filter((id) => this.role(id) === 'user');
    const [only] = users;
    if (only === undefined) return false;
    // All but the last of a few turns; of one turn, what is between the request and the last answer.
    const from = this.view.indexOf(users.at(-Math.min(tail, Math.max(1, users.length - 1))) as string);
    const kept = this.view.slice(from);
    const left = users.length === 1 ? [only, ...kept.slice(1).slice(-1)] : kept;
    const summarised = this.view.filter((id) => !left.includes(id));
    if (users.length === 1 && kept.length <= 2) return false;
    this.said.push({ id: summary, role: 'assistant' });
    this.#compactions.set(summary, { summarised });
    this.view = [summary, ...left];
    return true;
  }

  uncompact(): boolean {
    const [summary, ...rest] = this.view;
    const compaction = this.#compactions.get(summary ?? '');
    if (!compaction) return false;
    const back = new Set([...compaction.summarised, ...rest]);
    const isSummary = (id: string): boolean => this.#compactions.has(id);
    const inOrder = this.said.map(({ id }) => id).filter((id) => back.has(id));
    this.view = [...inOrder.filter(isSummary), ...inOrder.filter((id) => !isSummary(id))];
    return true;
  }

  prune(call: string): void {
    this.pruned = new Set([...this.pruned, call]);
  }

  restore(): void {
    this.pruned = new Set();
  }

  /** @returns what brings back the view of this moment, and what could be taken back then */
  save(): () => void {
    const [view, pruned, rewinds] = [this.view, this.pruned, [...this.#rewinds]];
    return () => {
      [this.view, this.pruned, this.#rewinds] = [view, pruned, rewinds];
    };
  }

  role(id: string): string | undefined {
    return this.said.find((one) => one.id === id)?.role;
  }

  get users(): string[] {
    return this.said.filter(({ role }) => role === 'user').map(({ id }) => id);
  }
}

const same = (one: Line, other: Line): boolean =>
  one.length === other.length && one.every((id, at) => id === other[at]);
