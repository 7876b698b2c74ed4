/** What was given of a transcript before and is kept: its lines, its messages as they were told last, which are in view. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../../core/json.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { idOf, idsOf, readPairs } from '../fields.ts';
import { readToolPart, type ToolPart } from '../parts.ts';
import { type KnownMessage, readTokens } from './prints.ts';

export class KeptVersions {
  readonly messages = new Map<string, KnownMessage>();
  /** Messages that are in view, in order. */
  readonly visible = new Set<string>();
  /** Messages that the user has taken back. */
  readonly takenBack = new Set<string>();
  /** Calls, each with the message that it stands in. */
  readonly calls = new Map<string, { message: string; part: ToolPart }>();
  /** The words of the turn's prompt. */
  prompt = '';
  /** How often each line is kept, by its key. */
  readonly lines = new Map<string, number>();

  constructor(bodies: Iterable<AnyBody>, promptId: string | null) {
    for (const body of bodies) {
      const fields = body as JsonObject;
      if (body.kind === 'message') this.#message(objectOf(fields['message']) ?? {}, promptId);
      else if (body.kind === 'part') this.#part(fields);
      else if (body.kind === 'raw') this.#raw(fields);
      else if (body.kind === 'overlay') this.#overlay(fields);
    }
  }

  #line(line: JsonValue): void {
    const key = isObject(line) ? idOf(line['key']) : undefined;
    if (key !== undefined) this.lines.set(key, (this.lines.get(key) ?? 0) + 1);
  }

  #lineList(lines: JsonValue | undefined): void {
    for (const line of Array.isArray(lines) ? lines : []) this.#line(line);
  }

  #message(message: JsonObject, promptId: string | null): void {
    const id = idOf(message['id']);
    if (id === undefined) return;
    const metadata = objectOf(message['metadata']) ?? {};
    const parts = (Array.isArray(message['parts']) ? message['parts'] : []).filter(isObject);
    this.messages.set(id, { prints: new Map(readPairs(metadata['prints'])), usage: readTokens(metadata['usage']) });
    this.visible.add(id);
    this.#lineList(metadata['lines']);
    for (const part of parts) this.#call(part, id);
    if (id === promptId) this.prompt = parts.flatMap((part) => textOf(part['text']) ?? []).join('\n');
  }

  #part(fields: JsonObject): void {
    const id = idOf(fields['message_id']);
    const known = this.messages.get(id ?? '');
    if (id === undefined || !known) return;
    for (const [key, print] of readPairs(fields['prints'])) known.prints.set(key, print);
    known.usage = readTokens(fields['usage']) ?? known.usage;
    this.#lineList(fields['lines']);
    this.#call(fields['part'] ?? null, id);
  }

  #raw(fields: JsonObject): void {
    this.#line(fields);
    const retold = Array.isArray(fields['retold']) ? fields['retold'].filter(isObject) : [];
    for (const { repeats, usage } of [fields, ...retold]) {
      const known = this.messages.get(idOf(repeats) ?? '');
      if (known) known.usage = readTokens(usage) ?? known.usage;
    }
  }

  #call(value: JsonValue, message: string): void {
    const part = readToolPart(value);
    if (part) this.calls.set(part.toolCallId, { message, part });
  }

  #overlay(fields: JsonObject): void {
    for (const id of idsOf(fields['ids'])) {
      if (fields['op'] === 'hide') this.visible.delete(id);
      if (fields['op'] === 'show') this.visible.add(id);
      if (fields['op'] === 'hide' && fields['reason'] === 'rollback') this.takenBack.add(id);
      else this.takenBack.delete(id);
    }
  }

  /** Whether a line is kept; a line that is kept once is found once. */
  find(key: string): boolean {
    const count = this.lines.get(key) ?? 0;
    if (count > 0) this.lines.set(key, count - 1);
    return count > 0;
  }
}
