/** Collects the texts of records and contents that are forgotten, in any place or as wholes, and the hashes that keep them out. */
import {
  contentHash,
  type ForgottenList,
  forgetText,
  forgetWhole,
  forgottenMarker,
  type KeyedHash,
  labelOf,
  NOTHING_FORGOTTEN,
  SHORTEST_SAID,
  SHORTEST_WHOLE,
} from '../../core/forgotten.ts';
import { isTree } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { RunningHash } from '../../platform/hash.ts';

/** Longest content that is searched for in other texts, in bytes: incoming text is delayed by as much to find it. */
const LONGEST_CONTENT = 1024 * 1024;

/** Collects texts. */
export class Words {
  /** Texts to remove in any place, and texts to remove as wholes, each with its marker. */
  readonly texts = new Map<string, string>();
  readonly wholes = new Map<string, string>();
  readonly #hash: KeyedHash;
  readonly #contents: string[] = [];

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  /** Adds a trimmed text. @param how whether somebody said it, or a tool took or returned it */
  take(text: string, how: 'said' | 'used'): void {
    const marker = forgottenMarker(labelOf(text, this.#hash));
    if (text.length >= SHORTEST_WHOLE) this.wholes.set(text, marker);
    if (how === 'said' && text.length >= SHORTEST_SAID && /\s/.test(text)) this.texts.set(text, marker);
  }

  /** Adds a content: an agent that wrote or read a file also quotes it. */
  takeContent(objects: ObjectStore, oid: string): void {
    this.#contents.push(contentHash(sha256OfContent(objects, oid), this.#hash));
    const { type, content } = objects.read(oid);
    if (type !== 'blob' || content.length > LONGEST_CONTENT || content.includes(0)) return;
    const text = content.toString('utf8').trim();
    if (!text.includes('\ufffd')) this.take(text, 'said');
  }

  /** The list of what must not come back. */
  get list(): ForgottenList {
    return {
      ...NOTHING_FORGOTTEN,
      texts: [...this.texts.keys()].map((text) => forgetText(text, this.#hash)),
      wholes: [...this.wholes.keys()].map((text) => forgetWhole(text, this.#hash)),
      contents: this.#contents,
    };
  }
}

function sha256OfContent(objects: ObjectStore, oid: string): string {
  const { type, content } = objects.read(oid);
  const hash = new RunningHash('sha256');
  if (type === 'blob') hash.update(content);
  else for (const entry of readTree(objects, oid)) if (!isTree(entry)) hash.update(objects.readAs(entry.oid, 'blob'));
  return hash.digest();
}

/** Returns the size of a content, in bytes. */
export function sizeOfContent(objects: ObjectStore, oid: string): number {
  const { type, content } = objects.read(oid);
  if (type === 'blob') return content.length;
  const parts = readTree(objects, oid).filter((entry) => !isTree(entry));
  return parts.reduce((sum, entry) => sum + objects.readAs(entry.oid, 'blob').length, 0);
}
