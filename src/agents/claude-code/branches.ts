/** The live branch of the conversation: moves of the leaf, compactions, and the overlays for them. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { Resume } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';
import type { Outbox } from '../shared/outbox.ts';
import { prunedCalls } from './boundary.ts';
import type { Cursor } from './cursor.ts';
import { addLine, StoredTranscript } from './stored-transcript.ts';
import { type Change, Tree } from './tree.ts';

/** The number of lines of the tree that a cursor holds: the parent of the next line is one of the latest. */
const RECENT_LIMIT = 12;
/** The number of messages kept in view by a compaction that a cursor holds. */
const PRESERVED_LIMIT = 32;

type Place = Pick<Cursor, 'leaf' | 'leaf_message' | 'recent' | 'first' | 'last' | 'preserved' | 'is_plain'>;

/** The branches of a conversation. */
export class Branches {
  readonly #outbox: Outbox;
  /** True if the records are before the last kept one: they hide and show nothing. */
  isPast = false;
  readonly #tree = new Tree();
  readonly #resume: Resume | null;
  /** Messages that may have lines in the part of the transcript that was read before. */
  readonly #carried: ReadonlySet<string>;
  readonly #told: { prompt: string | null; speaker: string | null };
  #kept: StoredTranscript | null = null;
  #leaf: string | null;
  #leafMessage: string | null;
  /** The first and the last message since the last compaction. */
  #first: string | null;
  #last: string | null;
  /** Earlier messages that the last compaction kept in view. */
  #preserved: string[];
  /** True if only those can be in view, and the messages from the first to the last. */
  #isPlain: boolean;

  constructor(outbox: Outbox, resume: Resume | null, cursor: Cursor) {
    this.#outbox = outbox;
    this.#resume = resume;
    this.#told = { prompt: cursor.prompt?.id ?? null, speaker: cursor.speaker };
    this.#leaf = cursor.leaf;
    this.#leafMessage = cursor.leaf_message;
    // A file that was rewritten is read from its beginning.
    this.#first = resume?.rewritten ? null : cursor.first;
    this.#last = resume?.rewritten ? null : cursor.last;
    this.#isPlain = cursor.is_plain;
    this.#preserved = resume?.rewritten ? [] : cursor.preserved;
    const ids = [...cursor.calls.map((call) => call.message_id), ...cursor.counted.map(([id]) => id)];
    const all = [...ids, cursor.leaf_message, cursor.last];
    this.#carried = new Set(all.filter((id) => id !== null));
    if (cursor.leaf !== null) this.#tree.resume(cursor.recent, cursor.leaf, cursor.leaf_message);
  }

  get place(): Place {
    const recent = this.#tree.recent(RECENT_LIMIT);
    const isShort = this.#preserved.length <= PRESERVED_LIMIT;
    return {
      leaf: this.#leaf,
      leaf_message: this.#leafMessage,
      recent,
      first: this.#first,
      last: this.#last,
      preserved: isShort ? this.#preserved : [],
      is_plain: this.#isPlain && isShort,
    };
  }

  /** Checks if records are new, but in the past. */
  get #isOld(): boolean {
    return this.isPast && !this.#outbox.isQuiet;
  }

  get #isPartial(): boolean {
    return this.#resume !== null && this.#kept === null;
  }

  /** Returns the kept records of earlier parts; null in the first part. */
  kept(): StoredTranscript | null {
    if (!this.#resume || this.#kept) return this.#kept;
    const kept = new StoredTranscript(this.#resume.kept(), this.#tree, this.#told);
    this.#kept = kept;
    this.#tree.settle(this.#leaf, (id) => kept.hasOwn(id));
    return kept;
  }

  /** Returns whether a line was read before. One without a known parent may be a copy of one in an earlier part. */
  has(record: JsonObject): boolean {
    const id = idOf(record['uuid']);
    if (id === undefined) return false;
    const above = idOf(record['logicalParentUuid']) ?? idOf(record['parentUuid']);
    const hangs = above !== undefined && this.#tree.has(above);
    if (!hangs && this.#isPartial && !this.#tree.has(id)) this.kept();
    return this.#tree.has(id);
  }

  /** Adds a line to the tree. */
  add(record: JsonObject, message: string | null, at: number): void {
    this.#tell(addLine(this.#tree, record, message), at);
  }

  /** Notes the beginning of a message, in order. */
  begins(message: string): void {
    if (this.#isOld) {
      // The message is kept after later ones: a range does not show whether it is in view.
      this.#isPlain = false;
      return;
    }
    this.#first ??= message;
    this.#last = message;
  }

  /** Returns the message that a line answers. */
  parentOf(record: JsonObject, message: string): string | null {
    const id = idOf(record['uuid']);
    if (id === undefined) return null;
    const above = this.#tree.messageAbove(id, message);
    if (above !== undefined || !this.#isPartial) return above ?? null;
    this.kept();
    return this.#tree.messageAbove(id, message) ?? null;
  }

  #tell(change: Change, at: number, reason = 'branch'): void {
    const { hide, show } = change;
    if (show.length > 0) this.#isPlain = false;
    if (hide.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'hide', ids: hide, reason });
    if (show.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'show', ids: show, reason });
  }

  /** Makes a line the leaf: messages that are not above it are hidden, those above it are shown. */
  moveTo(record: JsonObject, message: string | null, at: number): void {
    const id = idOf(record['uuid']);
    if (id === undefined || this.#outbox.isQuiet || this.isPast) return;
    if (!this.#isPartial) this.#tree.adopt(id);
    let change = this.#tree.moveTo(id, this.#isPartial, this.#carried);
    if (change === null) {
      this.kept();
      this.#tree.adopt(id);
      change = this.#tree.moveTo(id, false);
    }
    this.#leaf = id;
    this.#leafMessage = message;
    if (change) this.#tell(change, at);
  }

  /** Handles a compaction: the model sees no earlier message except those that the boundary keeps in view. */
  compact(record: JsonObject, at: number): void {
    const id = idOf(record['uuid']);
    if (id === undefined || this.#isOld) return;
    if (this.#isPartial && (!this.#isPlain || this.#keepsSome(record))) this.kept();
    const from = this.#first;
    const to = this.#last;
    const show = this.#tree.keptBy(id);
    const before = this.#preserved;
    this.#first = null;
    this.#last = null;
    this.#preserved = show;
    if (this.#outbox.isQuiet) return;
    this.#leaf = id;
    this.#leafMessage = null;
    const reason = 'compaction';
    if (!this.#isPlain) {
      const change = this.#tree.moveTo(id, false);
      if (change) this.#tell(change, at, reason);
      this.#isPlain = true;
      return;
    }
    this.#tree.cut(id);
    if (before.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'hide', ids: before, reason });
    if (from !== null && to !== null)
      this.#outbox.record(at, { kind: 'overlay', op: 'hide', range: { from, to }, reason });
    if (show.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'show', ids: show, reason });
  }

  #keepsSome(record: JsonObject): boolean {
    const text = JSON.stringify(record['compactMetadata'] ?? null);
    return text.includes('preservedMessages') || text.includes('preservedSegment');
  }

  /** Handles outputs of tools that were removed from the model's view. */
  prune(record: JsonObject, at: number): void {
    const ids = prunedCalls(record);
    if (ids.length === 0 || this.#isOld) return;
    const reason = textOf(record['subtype']) === 'microcompact_boundary' ? 'microcompaction' : 'compaction';
    this.#outbox.record(at, { kind: 'overlay', op: 'prune', ids, reason });
  }
}
