/** The tree of a conversation: the messages on the live branch, and the changes when another branch becomes live. */

import type { Recent } from './cursor.ts';

/** The ids of the messages that a move of the leaf hides and shows. */
export interface Change {
  hide: string[];
  show: string[];
}

/** The parent of a root, and of a node that is known only from its children. */
const ROOT = -1;
const UNSEEN = -2;

/**
 * Nodes are lines, messages have one or more of them. A message is live while one of its lines lies on the path from the
 * leaf to the root. Works on numbers, since a transcript of 100 MB has some hundred thousand lines.
 */
export class Tree {
  readonly #numbers = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #parents: number[] = [];
  /** The message of each node, -1 for none. */
  readonly #messageOf: number[] = [];
  readonly #onPath: boolean[] = [];
  readonly #messageNumbers = new Map<string, number>();
  readonly #messages: string[] = [];
  /** The number of lines of each message on the path. */
  readonly #live: number[] = [];
  readonly #hidden: boolean[] = [];
  /** Nodes that a boundary keeps in view, though they are not on the path. */
  readonly #preserved = new Map<number, number[]>();
  /** The line of the conversation before a summary, by the node of its boundary. */
  readonly #logical = new Map<number, number>();
  /** Lines that were read before, of which only the message is known. */
  readonly #claimed = new Set<number>();
  /** The nodes in place of the parents of lines whose own parent is lost. */
  readonly #adopted = new Map<number, number>();
  #leaf = ROOT;

  /** Returns whether a line with this id was added. */
  has(id: string): boolean {
    const node = this.#numbers.get(id);
    return node !== undefined && (this.#parents[node] !== UNSEEN || this.#claimed.has(node));
  }

  /** Continues an earlier part of the transcript, from its latest lines, its leaf, and the leaf's message. */
  resume(recent: readonly Recent[], leaf: string, message: string | null): void {
    for (const [id, parent, own, isAwaited] of [...recent, [leaf, null, message] as Recent]) {
      const node = this.#node(id);
      if (isAwaited) {
        if (parent !== null) this.#adopted.set(node, this.#node(parent));
        continue;
      }
      if (own !== null) this.#messageOf[node] = this.#message(own);
      if (parent !== null) this.#parents[node] = this.#node(parent);
      this.#claimed.add(node);
    }
    this.settle(leaf, () => false);
  }

  /** Returns the latest lines with their parents; lines between them without a message are left out. */
  recent(limit: number): Recent[] {
    const nodes = new Set<number>();
    for (let node = this.#ids.length - 1; node >= 0 && nodes.size < limit; node -= 1) {
      if (this.#parents[node] !== UNSEEN || this.#claimed.has(node) || this.#adopted.has(node)) nodes.add(node);
    }
    if (this.#leaf >= 0) nodes.add(this.#leaf);
    return [...nodes].reverse().map((node): Recent => {
      const visited = new Set([node]);
      let parent = this.#above(node);
      while (parent >= 0 && !nodes.has(parent) && !visited.has(parent) && (this.#messageOf[parent] ?? -1) < 0) {
        visited.add(parent);
        if (this.#above(parent) === UNSEEN) break;
        parent = this.#above(parent);
      }
      const message = this.#messages[this.#messageOf[node] ?? -1] ?? null;
      const isAwaited = this.#parents[node] === UNSEEN && !this.#claimed.has(node);
      return [this.#ids[node] ?? '', this.#ids[parent] ?? null, message, ...(isAwaited ? [true] : [])] as Recent;
    });
  }

  #node(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const node = this.#parents.length;
    this.#numbers.set(id, node);
    this.#ids.push(id);
    this.#parents.push(UNSEEN);
    this.#messageOf.push(-1);
    this.#onPath.push(false);
    return node;
  }

  #message(id: string): number {
    const known = this.#messageNumbers.get(id);
    if (known !== undefined) return known;
    const message = this.#messages.length;
    this.#messageNumbers.set(id, message);
    this.#messages.push(id);
    this.#live.push(0);
    this.#hidden.push(false);
    return message;
  }

  /** Returns the node above one: its parent, or the node in place of a parent that was lost. */
  #above(node: number): number {
    const parent = this.#parents[node] ?? ROOT;
    return parent === UNSEEN ? (this.#adopted.get(node) ?? UNSEEN) : parent;
  }

  /** Adds a line. A line that comes after its children changes the messages above them. */
  add(id: string, parent: string | null, message: string | null): Change {
    const node = this.#node(id);
    if (this.#parents[node] !== UNSEEN) return { hide: [], show: [] };
    const isOnPath = this.#onPath[node] === true;
    const before = isOnPath ? this.#pathFrom(this.#above(node)) : [];
    for (const each of before) this.#onPath[each] = false;
    this.#parents[node] = parent === null || parent === id ? ROOT : this.#node(parent);
    this.#adopted.delete(node);
    const isNew = this.#messageOf[node] === -1;
    if (message !== null && isNew) this.#messageOf[node] = this.#message(message);
    if (!isOnPath) return { hide: [], show: [] };
    const own = isNew ? (this.#messageOf[node] ?? -1) : -1;
    const after = this.#climb(this.#above(node)).nodes;
    for (const each of after) this.#onPath[each] = true;
    return this.#apply(
      before.flatMap((each) => this.#messagesAt(each)),
      [...(own < 0 ? [] : [own]), ...after.flatMap((each) => this.#messagesAt(each))],
    );
  }

  /** Makes the leaf the parent of a line whose own parent is missing: a lost line does not end the conversation. */
  adopt(id: string, onto?: string): void {
    const parent = this.#parents[this.#node(id)] ?? ROOT;
    const leaf = onto === undefined ? this.#leaf : this.#node(onto);
    if (parent < 0 || leaf < 0 || this.#parents[parent] !== UNSEEN || this.#onPath[parent]) return;
    if (!this.#claimed.has(parent)) this.#adopted.set(parent, leaf);
  }

  /** Returns the nodes of the path from one of them upwards. */
  #pathFrom(start: number): number[] {
    const nodes = new Set<number>();
    for (let node = start; node >= 0 && this.#onPath[node] && !nodes.has(node); node = this.#above(node))
      nodes.add(node);
    return [...nodes];
  }

  /** Sets the lines that a boundary keeps in view of the model. */
  preserve(boundary: string, ids: readonly string[]): void {
    this.#preserved.set(
      this.#node(boundary),
      ids.map((id) => this.#node(id)),
    );
  }

  /** Returns the messages that a boundary keeps in view, in the order in which it names them. */
  keptBy(boundary: string): string[] {
    const messages = new Set(this.#messagesAt(this.#numbers.get(boundary) ?? ROOT));
    return [...messages].map((message) => this.#messages[message] ?? '');
  }

  /** Sets the line before a boundary that begins a tree of its own. */
  follow(boundary: string, before: string): void {
    this.#logical.set(this.#node(boundary), this.#node(before));
  }

  /** Returns the messages that are live because a node is on the path. */
  #messagesAt(node: number): number[] {
    const also = this.#preserved.get(node) ?? [];
    return [node, ...also].map((each) => this.#messageOf[each] ?? -1).filter((message) => message >= 0);
  }

  /** Returns the nodes from one up to the path, to a root, or to the end of what is known. */
  #climb(from: number): { nodes: number[]; end: number } {
    const nodes: number[] = [];
    const visited = new Set<number>();
    let node = from;
    while (node >= 0 && !this.#onPath[node] && !visited.has(node)) {
      nodes.push(node);
      visited.add(node);
      node = this.#above(node);
    }
    return { nodes, end: node };
  }

  #apply(lost: readonly number[], gained: readonly number[]): Change {
    const before = new Map<number, number>();
    const note = (message: number, step: number): void => {
      const count = this.#live[message] ?? 0;
      if (!before.has(message)) before.set(message, count);
      this.#live[message] = count + step;
    };
    for (const message of lost) note(message, -1);
    for (const message of gained) note(message, 1);
    const change: Change = { hide: [], show: [] };
    for (const [message, count] of before) {
      const isLive = (this.#live[message] ?? 0) > 0;
      const id = this.#messages[message] ?? '';
      if (count > 0 && !isLive && !this.#hidden[message]) {
        this.#hidden[message] = true;
        change.hide.push(id);
      } else if (isLive && this.#hidden[message]) {
        this.#hidden[message] = false;
        change.show.push(id);
      }
    }
    return change;
  }

  /**
   * Makes a line the leaf.
   * @param isPartial whether earlier lines may be unknown: then null means that they are needed
   * @param carried messages that may have lines among those
   */
  moveTo(id: string, isPartial: boolean, carried?: ReadonlySet<string>): Change | null {
    const target = this.#node(id);
    const { nodes, end } = this.#climb(target);
    const hasLeaf = this.#leaf >= 0;
    if (isPartial && hasLeaf && !(end >= 0 && this.#onPath[end])) return null;
    // It is unknown whether the messages that were left before are hidden.
    if (isPartial && nodes.some((each) => this.#claimed.has(each) && (this.#messageOf[each] ?? -1) >= 0)) return null;
    const lost: number[] = [];
    const left = new Set<number>();
    let node = this.#leaf;
    while (node >= 0 && node !== end && this.#onPath[node] && !left.has(node)) {
      left.add(node);
      lost.push(...this.#messagesAt(node));
      node = this.#above(node);
    }
    if (isPartial && carried && lost.some((message) => carried.has(this.#messages[message] ?? ''))) return null;
    for (const each of left) this.#onPath[each] = false;
    for (const each of nodes) this.#onPath[each] = true;
    this.#leaf = target;
    return this.#apply(
      lost,
      nodes.flatMap((each) => this.#messagesAt(each)),
    );
  }

  /** Begins a path of its own at a line; everything that was live before is hidden, except what the line keeps in view. */
  cut(id: string): void {
    for (let node = 0; node < this.#onPath.length; node += 1) this.#onPath[node] = false;
    for (let message = 0; message < this.#live.length; message += 1) {
      this.#live[message] = 0;
      this.#hidden[message] = true;
    }
    const target = this.#node(id);
    this.#leaf = target;
    this.#onPath[target] = true;
    this.#apply([], this.#messagesAt(target));
  }

  /**
   * Finds the path again after lines above the leaf were read from the kept records.
   * @param isTold whether a message was given before, so that it is hidden if it is not live
   */
  settle(leaf: string | null, isTold: (message: string) => boolean): void {
    this.#onPath.fill(false);
    this.#live.fill(0);
    this.#leaf = leaf === null ? ROOT : this.#node(leaf);
    const { nodes } = this.#climb(this.#leaf);
    for (const each of nodes) this.#onPath[each] = true;
    for (const message of nodes.flatMap((each) => this.#messagesAt(each))) {
      this.#live[message] = (this.#live[message] ?? 0) + 1;
    }
    for (const [id, message] of this.#messageNumbers) {
      if (isTold(id)) this.#hidden[message] = (this.#live[message] ?? 0) === 0;
    }
  }

  /** Returns the message that a line answers: the nearest other one above it; undefined if lines above it are unknown. */
  messageAbove(id: string, own: string): string | null | undefined {
    const mine = this.#messageNumbers.get(own) ?? -1;
    const visited = new Set<number>();
    let node = this.#numbers.get(id) ?? ROOT;
    while (node >= 0 && !visited.has(node)) {
      const message = this.#messageOf[node] ?? -1;
      if (message >= 0 && message !== mine) return this.#messages[message] ?? null;
      visited.add(node);
      const parent = this.#above(node);
      node = parent === ROOT ? (this.#logical.get(node) ?? ROOT) : parent;
    }
    return node === UNSEEN ? undefined : null;
  }

  /** Returns the lines from one up to another, both included; only the first if the other is not above it. */
  between(from: string, to: string): string[] {
    const found: string[] = [];
    let node = this.#numbers.get(from) ?? ROOT;
    while (node >= 0 && found.length <= this.#parents.length) {
      const id = this.#ids[node] ?? '';
      found.push(id);
      if (id === to) return found;
      node = this.#above(node);
    }
    return [from];
  }
}
