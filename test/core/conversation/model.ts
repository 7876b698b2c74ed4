// A reference model of a conversation: it copies lists instead of recording overlays, and knows nothing of records.

/** What the model sees: ids of messages in order, the summary of a compaction first. */
type Line = readonly string[];

interface Compaction {
  before: Line;
  summarised: Line;
}

export class ModelConversation {
  /** Every message ever said, in order. */
  readonly said: { id: string; role: 'user' | 'assistant' }[] = [];
  view: Line = [];
  pruned: ReadonlySet<string> = new Set();
  /** What was in view when each message came, with it. */
  readonly #at = new Map<string, Line>();
  /** The lines before each rewind that is not taken back. */
  #rewinds: { before: Line; place: number }[] = [];
  readonly #compactions = new Map<string, Compaction>();

  append(id: string, role: 'user' | 'assistant'): void {
    this.said.push({ id, role });
    this.view = [...this.view, id];
    this.#at.set(id, this.view);
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
    const start = users.at(-tail);
    const from = start === undefined ? -1 : this.view.indexOf(start);
    if (users.length <= tail || from <= 0) return false;
    this.said.push({ id: summary, role: 'assistant' });
    this.#compactions.set(summary, { before: this.view, summarised: this.view.slice(0, from) });
    this.view = [summary, ...this.view.slice(from)];
    return true;
  }

  uncompact(): boolean {
    const [summary, ...rest] = this.view;
    const compaction = this.#compactions.get(summary ?? '');
    if (!compaction) return false;
    this.view = [...compaction.summarised, ...rest];
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
