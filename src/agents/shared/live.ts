/** The live branch of a tree of lines: the messages that the model sees, by the last line, and the overlays that hide the others. */
import type { Node } from './keys.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTranscript } from './stored-transcript.ts';

/** The end of the live branch, as a cursor holds it. */
export interface LivePlace {
  leaf: string | null;
  /** The message at the leaf, or the nearest above it. */
  message: string | null;
  /** The end of the branch before the file was rewritten, until the branch continues; absent otherwise. */
  former?: string | null;
}

type Hung = Node & { message: string | null };

/** The tree of lines and its live branch. */
export class Live {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredTranscript | null;
  readonly #nodes = new Map<string, Hung>();
  /** Messages that were given, and whether they are in view, by the overlays. */
  readonly #shown = new Map<string, boolean>();
  #leaf: string | null;
  #message: string | null;
  /** The end of the branch before the file was rewritten; null once the branch has continued. */
  #former: string | null;
  /** True if the branch ends in a line that is new. */
  #isLeafNew = false;
  /** True if the kept lines are among the nodes. */
  #isWhole = false;
  /** True if the branch did more than grow, and if any line of it is new. */
  #isStale = false;
  #hasNews = false;

  constructor(outbox: Outbox, kept: () => StoredTranscript | null, place: LivePlace) {
    this.#outbox = outbox;
    this.#kept = kept;
    this.#leaf = place.leaf;
    this.#message = place.message;
    this.#former = place.former ?? null;
  }

  get place(): LivePlace {
    const former = this.#former === null || this.#former === this.#leaf ? {} : { former: this.#former };
    return { leaf: this.#leaf, message: this.#message, ...former };
  }

  /** The message that the next one answers. */
  get message(): string | null {
    return this.#message;
  }

  /** Adds the kept lines of a file that is read again, and the end of its branch. */
  takeUp({ leaf, former }: LivePlace): void {
    this.complete();
    this.#former = former ?? leaf;
  }

  /** Adds the kept lines. */
  complete(): void {
    const kept = this.#isWhole ? null : this.#kept();
    this.#isWhole = true;
    if (!kept) return;
    for (const [id, node] of kept.nodes) if (!this.#nodes.has(id)) this.#nodes.set(id, node);
    for (const id of kept.order) if (!this.#shown.has(id)) this.#shown.set(id, kept.visible.has(id));
  }

  /** Adds a line to the tree and makes it the leaf. A line with an unknown parent is added to the line before it. */
  add(id: string, parent: string | null | undefined, keeps: Node['keeps']): Node {
    let above = parent === undefined ? this.#leaf : parent;
    if (above !== null && above !== this.#leaf) {
      if (!this.#nodes.has(above)) this.complete();
      if (!this.#nodes.has(above) || above === id) above = this.#leaf;
    }
    const node: Node = { id, parent: above, ...(keeps === undefined ? {} : { keeps }) };
    const isGrowth = above === this.#leaf;
    this.#isLeafNew = !this.#outbox.isQuiet && !this.#nodes.has(id);
    this.#nodes.set(id, { ...node, message: null });
    this.#leaf = id;
    if (!isGrowth) this.#message = this.#messageAt(above);
    this.#isStale ||= !isGrowth || keeps !== undefined;
    this.#hasNews ||= !this.#outbox.isQuiet;
    return node;
  }

  #messageAt(id: string | null): string | null {
    const path = this.#path(id);
    return path.findLast(({ message }) => message !== null)?.message ?? null;
  }

  /** Makes another line the end of the branch. */
  moveTo(to: string | null): void {
    if (to === this.#leaf) return;
    this.complete();
    if (to !== null && !this.#nodes.has(to)) return;
    this.#leaf = to;
    this.#message = this.#messageAt(to);
    this.#isStale = true;
    this.#hasNews ||= !this.#outbox.isQuiet;
  }

  /** Sets the message that begins with a line; the next message answers it. */
  beginMessage(line: string | undefined, message: string): void {
    const node = this.#nodes.get(line ?? '');
    if (node) node.message ??= message;
    this.#message = message;
    if (!this.#shown.has(message) && !this.#outbox.isQuiet) this.#shown.set(message, true);
  }

  /** Returns the lines from the first one to this. */
  #path(to: string | null): Hung[] {
    const path: Hung[] = [];
    const visited = new Set<string>();
    for (
      let node = this.#nodes.get(to ?? '');
      node && !visited.has(node.id);
      node = this.#nodes.get(node.parent ?? '')
    ) {
      path.push(node);
      visited.add(node.id);
    }
    return path.reverse();
  }

  /** Returns the messages on the live branch, without those that a compaction left out. */
  #live(): Set<string> {
    const path = this.#path(this.#leaf);
    const last = path.findLastIndex(({ keeps }) => keeps !== undefined);
    const keeps = path[last]?.keeps;
    const from = path.findIndex(({ id }) => id === keeps);
    const kept = from < 0 ? [] : path.slice(from, Math.max(last, 0)).filter((node) => node.keeps === undefined);
    const nodes = last < 0 ? path : [...kept, ...path.slice(last)];
    return new Set(nodes.flatMap(({ message }) => message ?? []));
  }

  /** Returns whether the branch continues from an earlier line than its former end: then the lines missing from the file are left. */
  #goesOnElsewhere(): boolean {
    const former = this.#former;
    if (former === null || !this.#isLeafNew) return false;
    this.complete();
    this.#former = null;
    return this.#nodes.has(former) && this.#path(this.#leaf).every(({ id }) => id !== former);
  }

  #giveOverlay(op: 'hide' | 'show', ids: readonly string[], at: number, reason: string): void {
    for (const id of ids) this.#shown.set(id, op === 'show');
    if (ids.length > 0) this.#outbox.record(at, { kind: 'overlay', op, ids: [...ids], reason });
  }

  /** Gives the overlays for messages that are out of view now, and for those that are in view again. */
  settle(at: number): void {
    if (!this.#hasNews) return;
    this.#isStale = this.#goesOnElsewhere() || this.#isStale;
    if (!this.#isStale) return;
    this.#isStale = false;
    this.complete();
    const live = this.#live();
    // Messages that a compaction left out are on the branch all the same.
    const onPath = new Set(this.#path(this.#leaf).flatMap(({ message }) => message ?? []));
    const known = [...this.#shown];
    const lost = known.filter(([id, isShown]) => isShown && !live.has(id)).map(([id]) => id);
    const found = known.filter(([id, isShown]) => !isShown && live.has(id)).map(([id]) => id);
    const summedUp = lost.filter((id) => onPath.has(id));
    const left = lost.filter((id) => !onPath.has(id));
    this.#giveOverlay('hide', left, at, 'branch');
    this.#giveOverlay('hide', summedUp, at, 'compaction');
    this.#giveOverlay('show', found, at, 'branch');
  }

  /** Hides every message so far, whatever the tree. */
  clear(at: number): void {
    this.#message = null;
    if (this.#outbox.isQuiet) return;
    this.complete();
    const known = [...this.#shown].filter(([, isShown]) => isShown).map(([id]) => id);
    this.#giveOverlay('hide', known, at, 'compaction');
  }
}
