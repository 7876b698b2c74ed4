/** The live branch of a tree of lines: what the model sees, by its last line, and the overlays that tell of it. */

import type { Node } from './keys.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTranscript } from './stored-transcript.ts';

/** Where the live branch ends, as a cursor holds it. */
export interface LivePlace {
  leaf: string | null;
  /** The message at the leaf, or the nearest above it. */
  message: string | null;
  /** Where it ended before the file was written anew, while it has not gone on since; absent otherwise. */
  former?: string | null;
}

type Hung = Node & { message: string | null };

export class Live {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredTranscript | null;
  readonly #nodes = new Map<string, Hung>();
  /** Messages that were told of, and whether they are in view, as far as the overlays say. */
  readonly #shown = new Map<string, boolean>();
  #leaf: string | null;
  #message: string | null;
  /** Where the branch ended before the file was written anew; null once it has gone on since. */
  #former: string | null;
  /** Whether the branch ends in a line that is new. */
  #isLeafNew = false;
  /** Whether what was kept before is among the nodes. */
  #isWhole = false;
  /** Whether the branch did more than grow, and whether anything of it is new. */
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

  /** Takes in what was kept before of a file that is gone through anew, and where its branch ended. */
  takeUp({ leaf, former }: LivePlace): void {
    this.complete();
    this.#former = former ?? leaf;
  }

  /** Takes in what was kept before. */
  complete(): void {
    const kept = this.#isWhole ? null : this.#kept();
    this.#isWhole = true;
    if (!kept) return;
    for (const [id, node] of kept.nodes) if (!this.#nodes.has(id)) this.#nodes.set(id, node);
    for (const id of kept.order) if (!this.#shown.has(id)) this.#shown.set(id, kept.visible.has(id));
  }

  /** Hangs a line into the tree; it is the leaf now. One whose parent is nowhere hangs on the line before it. */
  hang(id: string, parent: string | null | undefined, keeps: Node['keeps']): Node {
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

  /** The branch ends in another line from now on. */
  go(to: string | null): void {
    if (to === this.#leaf) return;
    this.complete();
    if (to !== null && !this.#nodes.has(to)) return;
    this.#leaf = to;
    this.#message = this.#messageAt(to);
    this.#isStale = true;
    this.#hasNews ||= !this.#outbox.isQuiet;
  }

  /** Notes that a message begins with a line: it stands there in the tree, and the next one answers it. */
  begins(line: string | undefined, message: string): void {
    const node = this.#nodes.get(line ?? '');
    if (node) node.message ??= message;
    this.#message = message;
    if (!this.#shown.has(message) && !this.#outbox.isQuiet) this.#shown.set(message, true);
  }

  /** The lines from the first one to this. */
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

  /** The messages on the live branch, but for what a compaction left out. */
  #live(): Set<string> {
    const path = this.#path(this.#leaf);
    const last = path.findLastIndex(({ keeps }) => keeps !== undefined);
    const keeps = path[last]?.keeps;
    const from = path.findIndex(({ id }) => id === keeps);
    const kept = from < 0 ? [] : path.slice(from, Math.max(last, 0)).filter((node) => node.keeps === undefined);
    const nodes = last < 0 ? path : [...kept, ...path.slice(last)];
    return new Set(nodes.flatMap(({ message }) => message ?? []));
  }

  /** Whether the branch goes on from further up than where it ended before: what is missing in the file now is left, too. */
  #goesOnElsewhere(): boolean {
    const former = this.#former;
    if (former === null || !this.#isLeafNew) return false;
    this.complete();
    this.#former = null;
    return this.#nodes.has(former) && this.#path(this.#leaf).every(({ id }) => id !== former);
  }

  #tell(op: 'hide' | 'show', ids: readonly string[], at: number, reason: string): void {
    for (const id of ids) this.#shown.set(id, op === 'show');
    if (ids.length > 0) this.#outbox.record(at, { kind: 'overlay', op, ids: [...ids], reason });
  }

  /** Tells what is out of view now, and what is in view again. */
  settle(at: number): void {
    if (!this.#hasNews) return;
    this.#isStale = this.#goesOnElsewhere() || this.#isStale;
    if (!this.#isStale) return;
    this.#isStale = false;
    this.complete();
    const live = this.#live();
    // What a compaction left out stands on the branch all the same.
    const onPath = new Set(this.#path(this.#leaf).flatMap(({ message }) => message ?? []));
    const known = [...this.#shown];
    const lost = known.filter(([id, isShown]) => isShown && !live.has(id)).map(([id]) => id);
    const found = known.filter(([id, isShown]) => !isShown && live.has(id)).map(([id]) => id);
    const summedUp = lost.filter((id) => onPath.has(id));
    const left = lost.filter((id) => !onPath.has(id));
    this.#tell('hide', left, at, 'branch');
    this.#tell('hide', summedUp, at, 'compaction');
    this.#tell('show', found, at, 'branch');
  }

  /** All that came before is out of view, whatever the tree. */
  clear(at: number): void {
    this.#message = null;
    if (this.#outbox.isQuiet) return;
    this.complete();
    const known = [...this.#shown].filter(([, isShown]) => isShown).map(([id]) => id);
    this.#tell('hide', known, at, 'compaction');
  }
}
