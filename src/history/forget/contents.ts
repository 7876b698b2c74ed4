/** Rewrites contents and folders without the forgotten content; those without any of it keep their ids. */
import { PREVIEW_LENGTH, type Stub } from '../../core/externalise.ts';
import { parseJson } from '../../core/json.ts';
import { type Cleaner, contentTombstone, type Forgetting } from '../../core/session/forgetting.ts';
import { mapAnybodys } from '../../core/session/map-texts.ts';
import { foundIn, replaceBytes, replacePieces } from '../../core/stretches.ts';
import { head } from '../../core/text.ts';
import { encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { CHUNK_SIZE, isChunked, type StoredContent, storeContent } from '../../git/objects/payload.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { sha256 } from '../../platform/hash.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';

/** A rewritten content: a blob, or a tree of chunks. */
export type Content = StoredContent;

const TREE = '40000';

export class Contents {
  readonly #objects: ObjectStore;
  readonly #forgetting: Forgetting;
  readonly #cleaner: Cleaner;
  /** Results by content and folder; null if it stays. */
  readonly #contents = new Map<string, Content | null>();
  readonly #folders = new Map<string, TreeEntry | null>();
  /** Returns the new name for an object id that names a tree entry, as in Git's notes. */
  readonly renamed: (name: string) => string;

  constructor(objects: ObjectStore, forgetting: Forgetting, cleaner: Cleaner, renamed: (name: string) => string) {
    this.#objects = objects;
    this.#forgetting = forgetting;
    this.#cleaner = cleaner;
    this.renamed = renamed;
  }

  /** Returns the new content, or null if it stays. @param json whether it is the JSON of a value */
  content(oid: string, json = false): Content | null {
    const key = json ? `json ${oid}` : oid;
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const made = this.#clean(oid, json);
    this.#contents.set(key, made?.oid === oid ? null : made);
    return made?.oid === oid ? null : made;
  }

  #clean(oid: string, json: boolean): Content | null {
    if (this.#forgetting.contents.has(oid)) return this.#keep([Buffer.from(contentTombstone(this.#forgetting.at))]);
    const { type, content } = this.#objects.read(oid);
    if (type === 'tree') return this.#cleanChunks(oid);
    const marker = this.#cleaner.whole(content);
    if (marker !== null) return this.#keep([Buffer.from(marker)]);
    const told = json ? this.#cleanJson(content) : content;
    const clean = replaceBytes(told, this.#cleaner.finder) ?? told;
    return clean === content ? null : this.#keep([clean]);
  }

  #cleanJson(content: Buffer): Buffer {
    try {
      const value = parseJson(content.toString('utf8'));
      const clean = mapAnybodys(value, this.#cleaner.text);
      return clean === value ? content : Buffer.from(JSON.stringify(clean));
    } catch (error) {
      throwResourceError(error);
      return content;
    }
  }

  #cleanChunks(oid: string): Content | null {
    const entries = readTree(this.#objects, oid);
    const objects = this.#objects;
    const goes = entries.some((entry) => this.#forgetting.contents.has(entry.oid));
    const pieces = function* (): Generator<Buffer> {
      for (const entry of entries) yield objects.readAs(entry.oid, 'blob');
    };
    if (goes) return this.#keep([Buffer.from(contentTombstone(this.#forgetting.at))]);
    return foundIn(pieces(), this.#cleaner.finder) ? this.#keep(replacePieces(pieces(), this.#cleaner.finder)) : null;
  }

  #keep(pieces: Iterable<Buffer>): Content {
    return storeContent(this.#objects, inChunks(pieces));
  }

  /** Returns the tree entry of the new content; the same entry if it stays. */
  entry<T extends Pick<TreeEntry, 'mode' | 'oid'>>(entry: T, json = false): T {
    const made = this.content(entry.oid, json);
    return made ? { ...entry, mode: made.mode, oid: made.oid } : entry;
  }

  /** Returns the stub of a long text for its new payload. */
  stub(stub: Stub, made: Content): Stub {
    const content = made.mode === TREE ? null : this.#objects.readAs(made.oid, 'blob');
    const preview = this.#cleaner.text(head((content ?? Buffer.from(stub.preview)).toString('utf8'), PREVIEW_LENGTH));
    return {
      ...stub,
      preview: preview.toWellFormed(),
      bytes: made.bytes,
      sha256: content ? sha256(content) : made.sha256,
    };
  }

  /** Rewrites a folder with its names; returns its new id. */
  folder(oid: string): string {
    const known = this.#folders.get(oid);
    if (known !== undefined) return known?.oid ?? oid;
    const entries = readTree(this.#objects, oid);
    const next = entries.map((entry) => this.#anyEntry(entry));
    const same = next.every((entry, index) => entry === entries[index]);
    const made = same ? null : this.#objects.write('tree', encodeTree([...byName(next).values()]));
    this.#folders.set(oid, made === null ? null : { mode: TREE, name: '', oid: made });
    return made ?? oid;
  }

  #anyEntry(entry: TreeEntry): TreeEntry {
    const name = this.renamed(this.#cleaner.text(entry.name)).replaceAll('/', '_');
    const named = name === entry.name ? entry : { ...entry, name };
    // A submodule's commit is not in this store.
    if (entry.mode === '160000') return named;
    if (!isTree(entry) || isChunked(readTree(this.#objects, entry.oid))) return this.entry(named);
    const oid = this.folder(entry.oid);
    return oid === entry.oid ? named : { ...named, oid };
  }
}

const byName = (entries: readonly TreeEntry[]): Map<string, TreeEntry> =>
  new Map(entries.map((entry) => [entry.name, entry]));

/** Yields the same bytes in chunks of CHUNK_SIZE, the last one shorter. */
function* inChunks(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    held.push(Buffer.from(piece));
    length += piece.length;
    if (length < CHUNK_SIZE) continue;
    const all = Buffer.concat(held);
    const whole = all.length - (all.length % CHUNK_SIZE);
    for (let at = 0; at < whole; at += CHUNK_SIZE) yield all.subarray(at, at + CHUNK_SIZE);
    held = [all.subarray(whole)];
    length = all.length - whole;
  }
  if (length > 0) yield Buffer.concat(held);
}
