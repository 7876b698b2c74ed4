/** Walks the pieces of a bundle: the canonical history, then each chain. An object is part of the first piece that has it. */
import { type Commit, trailersOf } from '../../core/commit.ts';
import type { Piece } from '../../core/exchange/manifest.ts';
import { isTree } from '../../core/tree.ts';
import type { GitObject, ObjectType } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readCommit, walkChain } from '../../history/chain/chain.ts';
import { RunningHash } from '../../platform/hash.ts';

/** Store that a piece is read from. */
export type Source = Pick<ObjectStore, 'read' | 'readAs'>;

/** The name of the piece with the canonical history. */
const HISTORY = 'history';

/** Deepest folder: a path has at most 1,024 bytes. */
const DEEPEST = 600;

/** Is given each content once. @param name of its entry @param folder the name of the folder below the tree of the commit, or an empty text */
export type OnBlob = (oid: string, content: Buffer, name: string, folder: string) => void;

/** A chain that is walked step by step, its first step first. */
export interface ChainWalk {
  step: (oid: string, commit: Commit) => void;
  /** Returns the finished piece. */
  end: () => Piece;
}

/** Walks pieces, and hashes each. */
export class PieceWalk {
  readonly #objects: Source;
  readonly #onBlob: OnBlob | undefined;
  readonly pieces: Piece[] = [];
  /** Every object that was met, with the id of its session, or an empty text. */
  readonly met = new Map<string, string>();

  constructor(objects: Source, onBlob?: OnBlob) {
    this.#objects = objects;
    this.#onBlob = onBlob;
  }

  /** Walks the commits of a history from some heads down to those that were met before. */
  history(heads: readonly string[]): Piece {
    const walk = this.begin(HISTORY);
    for (const [oid, commit] of historyBelow(this.#objects, heads, this.met)) walk.step(oid, commit);
    return walk.end();
  }

  /** Walks a chain. @param name the ref of the session, or another name of the piece @param onStep is given each step after its objects were read */
  chain(name: string, head: string, onStep?: ChainWalk['step']): void {
    const walk = this.begin(name);
    for (const [oid, commit] of [...walkChain(this.#objects as ObjectStore, head)].reverse()) {
      walk.step(oid, commit);
      onStep?.(oid, commit);
    }
    walk.end();
  }

  /** Begins a piece whose commits the caller walks. */
  begin(name: string): ChainWalk {
    const sum = newSum();
    return {
      step: (oid, { tree, message }) => {
        if (this.met.has(oid)) return;
        const session = trailersOf(message).get('Ctx-Session') ?? '';
        this.#meet(session, oid, sum);
        this.#tree(session, tree, sum, '', 0);
      },
      end: () => {
        const piece = { name, ...sum.end() };
        this.pieces.push(piece);
        return piece;
      },
    };
  }

  #meet(session: string, oid: string, sum: Sum): GitObject {
    this.met.set(oid, session);
    const object = this.#objects.read(oid);
    sum.add(object.type, object.content);
    return object;
  }

  #tree(session: string, oid: string, sum: Sum, folder: string, depth: number): void {
    if (this.met.has(oid) || depth > DEEPEST) return;
    this.#meet(session, oid, sum);
    for (const entry of readTree(this.#objects, oid)) {
      if (isTree(entry)) this.#tree(session, entry.oid, sum, folder || entry.name, depth + 1);
      else if (!this.met.has(entry.oid)) {
        const { content } = this.#meet(session, entry.oid, sum);
        this.#onBlob?.(entry.oid, content, entry.name, folder);
      }
    }
  }
}

/** Returns the commits of a history that were not met before, parents first. */
function historyBelow(
  objects: Source,
  heads: readonly string[],
  met: ReadonlyMap<string, string>,
): [oid: string, commit: Commit][] {
  const found = new Map<string, Commit>();
  const open = [...heads];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (met.has(oid) || found.has(oid)) continue;
    const commit = readCommit(objects as ObjectStore, oid);
    found.set(oid, commit);
    open.push(...commit.parents);
  }
  // By their ids: every reader of the bundle finds the same order.
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

type Sum = ReturnType<typeof newSum>;

/** Begins the hash of a piece: of its objects as Git frames them. */
function newSum(): { add: (type: ObjectType, content: Buffer) => void; end: () => Omit<Piece, 'name'> } {
  const hash = new RunningHash('sha256');
  let [objects, bytes] = [0, 0];
  return {
    add: (type, content) => {
      hash.update(Buffer.from(`${type} ${content.length}\0`)).update(content);
      objects += 1;
      bytes += content.length;
    },
    end: () => ({ objects, bytes, sha256: hash.digest() }),
  };
}
