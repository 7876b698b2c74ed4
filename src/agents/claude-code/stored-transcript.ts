/** Reads the stored part of a transcript: the tree of its lines, its messages, its calls and their early results, its usage. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { fingerprint, idOf } from '../shared/fields.ts';
import type { Result } from '../shared/parts.ts';
import { SpokenTexts } from '../shared/spoken-texts.ts';
import { StoredConversation } from '../shared/stored-conversation.ts';
import type { Tokens } from '../shared/usage.ts';
import { isBoundary, preservedLines } from './boundary.ts';
import type { EarlyResult } from './early.ts';
import { textIn } from './parts.ts';
import type { Tree } from './tree.ts';

/** Lines are identified by their ids, or by a fingerprint if they have none. */
export class StoredTranscript extends StoredConversation<string | number> {
  readonly #tree: Tree;
  readonly #spoken = new SpokenTexts();
  /** The latest line of the session itself. */
  #latest: string | undefined;
  /** The parts of the turn's prompt. */
  prompt: JsonValue[] = [];

  /** @param sought the ids of the message that began the turn, and of the message that the agent spoke last */
  constructor(bodies: Iterable<AnyBody>, tree: Tree, sought: { prompt: string | null; speaker: string | null }) {
    super();
    this.#tree = tree;
    this.fold(bodies, {
      message: ({ id, parts: folded }, metadata) => {
        this.#lines(metadata['lines'], id);
        const parts = folded.map(({ part }) => part as JsonObject);
        if (id === sought.prompt) this.prompt = parts;
        if (id === sought.speaker) this.#spoken.add(parts);
      },
      part: (id, part, record) => {
        this.#lines(record['lines'], id);
        if (id === sought.speaker) this.#spoken.add([part as JsonObject]);
      },
      raw: (record) => this.#raw(record),
    });
  }

  /** Texts of the message that the agent spoke last. */
  get said(): string[] {
    return this.#spoken.all;
  }

  #raw(fields: JsonObject): void {
    const record = objectOf(fields['data']);
    const id = idOf(record?.['uuid']);
    if (record && id !== undefined) this.#line(record, null);
    else this.count(fingerprint(record ? JSON.stringify(record) : String(fields['text'])));
  }

  #lines(lines: JsonValue | undefined, message: string): void {
    for (const line of Array.isArray(lines) ? lines : []) {
      if (!isObject(line)) continue;
      const carrier = objectOf(line['progress']);
      if (carrier) this.#line(carrier, null);
      this.#line(line, message);
      const id = idOf(line['uuid']);
      if (id === undefined || this.isSide(message)) continue;
      if (this.#latest !== undefined) this.#tree.adopt(id, this.#latest);
      this.#latest = id;
    }
  }

  #line(line: JsonObject, message: string | null): void {
    const id = idOf(line['uuid']);
    if (id !== undefined) this.count(id);
    addLine(this.#tree, line, message);
  }

  /** Checks if a message of the session itself is stored, not of one of its sub-agents. */
  hasOwn(message: string): boolean {
    return this.has(message) && !this.isSide(message);
  }

  /** The usage of a message; undefined if none is stored. */
  usage(message: string): Tokens | undefined {
    return this.conversation.usage.get(message) as Tokens | undefined;
  }

  /** A result that was stored before its call was seen. */
  early(id: string): EarlyResult | undefined {
    const { message, part } = this.call(id) ?? {};
    if (message === undefined || part?.['is_orphan'] !== true) return undefined;
    const at = numberOf(part['completed_at']) ?? 0;
    const place = { at, before: at, lineId: message, isSide: this.isSide(message) };
    const spoken = { ...place, record: {}, message: {}, agentId: undefined, carrier: undefined };
    return { result: resultIn(part as JsonObject, id), spoken, message };
  }
}

/** Reads a result from its part. */
function resultIn(part: JsonObject, callId: string): Result {
  const failed = part['state'] === 'output-error';
  const content = part['output'] ?? part['errorText'];
  const text = failed ? (textOf(part['errorText']) ?? '') : textIn(content);
  return { callId, content, text, failed, structured: part['result'] };
}

/** Adds a line to the tree, with the lines that it keeps in view. */
export function addLine(tree: Tree, record: JsonObject, message: string | null): ReturnType<Tree['add']> {
  const id = idOf(record['uuid']);
  if (id === undefined) return { hide: [], show: [] };
  const parent = idOf(record['parentUuid']) ?? null;
  if (!isBoundary(record)) return tree.add(id, parent, message);
  // A compaction begins a path of its own, whatever it names as its parent.
  const change = tree.add(id, null, message);
  const before = idOf(record['logicalParentUuid']) ?? parent;
  if (before !== null) tree.follow(id, before);
  tree.preserve(id, preservedLines(record, tree));
  return change;
}
