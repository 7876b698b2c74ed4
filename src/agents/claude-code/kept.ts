/** What was given of a transcript before and is kept: the tree of its lines, its calls, its messages. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Call } from '../shared/calls.ts';
import { fingerprint, idOf } from '../shared/fields.ts';
import { NO_RESULT, type Result, readToolPart } from '../shared/parts.ts';
import { SpokenTexts } from '../shared/spoken-texts.ts';
import type { Tokens } from '../shared/usage.ts';
import { isBoundary, preservedLines } from './boundary.ts';
import type { EarlyResult } from './early.ts';
import { textIn } from './parts.ts';
import type { Tree } from './tree.ts';

export class Kept {
  /** Messages of the session itself; those of its sub-agents are in `sides`. */
  readonly messages = new Set<string>();
  readonly sides = new Set<string>();
  /** Calls without a result. */
  readonly open = new Map<string, Call>();
  /** Calls that have one. */
  readonly resolved = new Set<string>();
  /** Results without a call, each with the message that it stands in, by the id of its call. */
  readonly #orphans = new Map<string, { message: string; part: JsonObject }>();
  readonly tokens = new Map<string, Tokens>();
  /** The lines by their id, or by a fingerprint where they have none, and how often each is kept. */
  readonly lines = new Map<string | number, number>();
  readonly #told: { prompt: string | null; speaker: string | null };
  readonly #spoken = new SpokenTexts();
  /** The latest line of the session itself. */
  #latest: string | undefined;
  /** The parts of the turn's prompt. */
  prompt: JsonValue[] = [];

  /** @param told the message that began the turn, and the one that the agent has spoken in last */
  constructor(bodies: Iterable<AnyBody>, tree: Tree, told: { prompt: string | null; speaker: string | null }) {
    this.#told = told;
    for (const body of bodies) {
      const fields = body as JsonObject;
      if (body.kind === 'message') this.#message(objectOf(fields['message']) ?? {}, tree);
      else if (body.kind === 'part') this.#part(fields, tree);
      else if (body.kind === 'raw') this.#raw(fields, tree);
    }
  }

  /** Texts of the message that the agent has spoken in last. */
  get said(): string[] {
    return this.#spoken.all;
  }

  #message(message: JsonObject, tree: Tree): void {
    const id = idOf(message['id']);
    if (id === undefined) return;
    const metadata = objectOf(message['metadata']) ?? {};
    const isSide = metadata['is_sidechain'] === true;
    (isSide ? this.sides : this.messages).add(id);
    this.#lines(metadata['lines'], id, tree);
    const usage = objectOf(metadata['usage']);
    if (usage) this.tokens.set(id, usage as Tokens);
    const parts = Array.isArray(message['parts']) ? message['parts'] : [];
    for (const part of parts) this.#call(part, id, isSide);
    if (id === this.#told.prompt) this.prompt = parts;
    if (id === this.#told.speaker) this.#spoken.add(parts.filter(isObject));
  }

  #part(fields: JsonObject, tree: Tree): void {
    const id = idOf(fields['message_id']);
    if (id === undefined) return;
    this.#lines(fields['lines'], id, tree);
    const usage = objectOf(fields['usage']);
    if (usage) this.tokens.set(id, usage as Tokens);
    const part = fields['part'] ?? null;
    this.#call(part, id, this.sides.has(id));
    if (id === this.#told.speaker && isObject(part)) this.#spoken.add([part]);
  }

  #raw(fields: JsonObject, tree: Tree): void {
    const record = objectOf(fields['data']);
    const id = idOf(record?.['uuid']);
    if (record && id !== undefined) this.#line(record, null, tree);
    else this.#count(fingerprint(record ? JSON.stringify(record) : String(fields['text'])));
  }

  #lines(lines: JsonValue | undefined, message: string, tree: Tree): void {
    for (const line of Array.isArray(lines) ? lines : []) {
      if (!isObject(line)) continue;
      const carrier = objectOf(line['progress']);
      if (carrier) this.#line(carrier, null, tree);
      this.#line(line, message, tree);
      const id = idOf(line['uuid']);
      if (id === undefined || this.sides.has(message)) continue;
      if (this.#latest !== undefined) tree.adopt(id, this.#latest);
      this.#latest = id;
    }
  }

  #count(line: string | number): void {
    this.lines.set(line, (this.lines.get(line) ?? 0) + 1);
  }

  /** A result that was given before its call was seen. */
  early(id: string): EarlyResult | undefined {
    const found = this.#orphans.get(id);
    if (!found) return undefined;
    const { message, part } = found;
    const at = numberOf(part['completed_at']) ?? 0;
    const place = { at, before: at, lineId: message, isSide: this.sides.has(message) };
    const spoken = { ...place, record: {}, message: {}, agentId: undefined, carrier: undefined };
    return { result: resultIn(part, id), spoken, message };
  }

  /** Whether a line is kept; a line that is kept once is found once. */
  find(line: string | number): boolean {
    const count = this.lines.get(line) ?? 0;
    if (count > 0) this.lines.set(line, count - 1);
    return count > 0;
  }

  #line(line: JsonObject, message: string | null, tree: Tree): void {
    const id = idOf(line['uuid']);
    if (id !== undefined) this.#count(id);
    addLine(tree, line, message);
  }

  #call(part: JsonValue, message_id: string, is_side: boolean): void {
    if (!isObject(part) || part['type'] !== 'dynamic-tool') return;
    const id = idOf(part['toolCallId']);
    const name = textOf(part['toolName']);
    if (id === undefined || name === undefined) return;
    if (part['is_orphan'] === true) this.#orphans.set(id, { message: message_id, part });
    if (part['state'] === 'input-available' || part['errorText'] === NO_RESULT) {
      this.resolved.delete(id);
      this.open.set(id, { id, name, part: readToolPart(part), message_id, is_side, is_closed: true });
    } else {
      this.open.delete(id);
      this.resolved.add(id);
    }
  }
}

/** A result as its part tells it. */
function resultIn(part: JsonObject, callId: string): Result {
  const failed = part['state'] === 'output-error';
  const content = part['output'] ?? part['errorText'];
  const text = failed ? (textOf(part['errorText']) ?? '') : textIn(content);
  return { callId, content, text, failed, told: part['result'] };
}

/** Puts a line into the tree, and what it says of lines that stay in view. */
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
