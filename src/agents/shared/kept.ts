/** What was given of a transcript before and is kept: its lines, its messages and which of them are in view, its calls. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Call } from './calls.ts';
import { idOf } from './fields.ts';
import { type Node, readNode } from './keys.ts';
import { NO_RESULT, readToolPart } from './parts.ts';
import { SpokenTexts } from './spoken-texts.ts';
import { readTokens, type Tokens } from './usage.ts';

/** What marks a message of the role `user` that the user did not write. */
const OF_THE_PROGRAM = ['is_meta', 'is_compact_summary', 'is_orphan_result'];

/** The user's words in the parts of a message, one after the other. */
function textsOf(parts: readonly JsonObject[]): string {
  return parts.flatMap((part) => textOf(part['text']) ?? []).join('\n');
}

export class Kept {
  /** How often each line is kept, by its key. */
  readonly lines = new Map<string, number>();
  /** Messages that are in view, in the order in which they came there; true for a prompt. */
  readonly visible = new Map<string, boolean>();
  /** Places of lines in their tree, with the key of the line and the message that begins there. */
  readonly nodes = new Map<string, Node & { key: string; message: string | null }>();
  /** Calls without a result. */
  readonly open = new Map<string, Call>();
  /** Calls that have one. */
  readonly resolved = new Set<string>();
  /** Every message, in order. */
  readonly order: string[] = [];
  /** What each message used, as it was told last. */
  readonly usages = new Map<string, Tokens>();
  /** The words of the turn's prompt. */
  prompt = '';
  readonly #spoken = new SpokenTexts();
  /** The id of the last part of each message that was given with a text that may go on. */
  readonly openParts = new Map<string, string>();
  /** The messages that the lines of one key went into, one after the other. */
  readonly #messages = new Map<string, (string | null)[]>();
  /** The message that begins with a line, by the key of the line. */
  readonly #begun = new Map<string, string>();
  readonly #prompts = new Set<string>();

  /**
   * @param promptId the message that began the turn
   * @param words the user's words in the parts of such a message
   * @param hear is told of every message
   * @param speaker the message that the agent spoke last
   */
  constructor(
    bodies: Iterable<AnyBody>,
    promptId: string | null,
    words: (parts: JsonObject[]) => string | null = textsOf,
    hear: (id: string, role: string, parts: JsonObject[]) => void = () => {},
    speaker: string | null = null,
  ) {
    for (const body of bodies) {
      const fields = body as JsonObject;
      if (body.kind === 'message') {
        const message = objectOf(fields['message']) ?? {};
        const id = idOf(message['id']);
        if (id === undefined) continue;
        const parts = (Array.isArray(message['parts']) ? message['parts'] : []).filter(isObject);
        this.#message(id, message, parts);
        hear(id, textOf(message['role']) ?? '', parts);
        if (id === promptId) this.prompt = words(parts) ?? '';
        if (id === speaker) this.#spoken.add(parts);
      } else if (body.kind === 'part') {
        this.#part(fields);
        if (fields['message_id'] === speaker) this.#spoken.add([objectOf(fields['part']) ?? {}]);
      } else if (body.kind === 'raw') this.#raw(fields);
      else if (body.kind === 'overlay') this.#overlay(fields);
    }
  }

  /** Texts of the message that the agent spoke last. */
  get said(): string[] {
    return this.#spoken.all;
  }

  #line(line: JsonObject, message: string | null, begins = false): void {
    const key = idOf(line['key']);
    if (key === undefined) return;
    this.lines.set(key, (this.lines.get(key) ?? 0) + 1);
    const messages = this.#messages.get(key);
    if (messages) messages.push(message);
    else this.#messages.set(key, [message]);
    if (begins && message !== null) this.#begun.set(key, message);
    const node = readNode(line['node']);
    if (node) this.nodes.set(node.id, { key, ...node, message: begins ? message : null });
  }

  /** A line that stands alone, or another text of one that is kept: it went where that went. */
  #raw(line: JsonObject): void {
    const former = idOf(line['repeats']) ?? '';
    const message = this.#messages.get(former)?.find((each) => each !== null) ?? null;
    this.#line(line, message, message !== null && this.#begun.get(former) === message);
    if (message !== null) this.#uses(message, line['usage']);
  }

  #uses(message: string, usage: JsonValue | undefined): void {
    if (isObject(usage)) this.usages.set(message, readTokens(usage));
  }

  #lines(lines: JsonValue | undefined, message: string, begins: boolean): void {
    for (const [index, line] of (Array.isArray(lines) ? lines : []).entries())
      if (isObject(line)) this.#line(line, message, begins && index === 0);
  }

  #message(id: string, message: JsonObject, parts: readonly JsonObject[]): void {
    const metadata = objectOf(message['metadata']) ?? {};
    const isOwn = OF_THE_PROGRAM.every((key) => metadata[key] !== true);
    if (message['role'] === 'user' && isOwn) this.#prompts.add(id);
    // What a sub-agent says stands beside the conversation: it is no part of its tree, and never in view.
    const isSide = metadata['is_sidechain'] === true;
    this.order.push(id);
    if (!isSide) this.visible.set(id, this.#prompts.has(id));
    this.#uses(id, metadata['usage']);
    this.#lines(metadata['lines'], id, !isSide);
    for (const part of parts) this.#call(part, id);
    this.#ends(id, parts.at(-1));
  }

  /** Notes the part that a message ends with now. */
  #ends(message: string, part: JsonObject | undefined): void {
    const isText = part?.['type'] === 'text' || part?.['type'] === 'reasoning';
    const id = isText ? idOf(part['id']) : undefined;
    if (id === undefined) this.openParts.delete(message);
    else this.openParts.set(message, id);
  }

  #part(fields: JsonObject): void {
    const id = idOf(fields['message_id']);
    if (id === undefined) return;
    this.#uses(id, fields['usage']);
    this.#lines(fields['lines'], id, false);
    this.#call(fields['part'] ?? null, id);
    this.#ends(id, objectOf(fields['part']));
  }

  #call(part: JsonValue, message_id: string): void {
    if (!isObject(part) || part['type'] !== 'dynamic-tool') return;
    const id = idOf(part['toolCallId']);
    const name = textOf(part['toolName']);
    if (id === undefined || name === undefined) return;
    if (part['state'] === 'input-available' || part['errorText'] === NO_RESULT) {
      this.resolved.delete(id);
      this.open.set(id, { id, name, part: readToolPart(part), message_id, is_side: false, is_closed: true });
    } else {
      this.open.delete(id);
      this.resolved.add(id);
    }
  }

  #overlay(fields: JsonObject): void {
    const range = objectOf(fields['range']);
    const listed = Array.isArray(fields['ids']) ? fields['ids'].flatMap((id) => idOf(id) ?? []) : [];
    const from = this.order.indexOf(String(range?.['from']));
    const ids = from < 0 ? listed : this.order.slice(from, this.order.indexOf(String(range?.['to'])) + 1);
    const shown = fields['op'] === 'show' ? ids : [];
    if (fields['op'] === 'hide') for (const id of ids) this.visible.delete(id);
    for (const id of shown) this.visible.set(id, this.#prompts.has(id));
  }

  /** Whether a line is kept; a line that is kept once is found once. */
  find(key: string): boolean {
    const count = this.lines.get(key) ?? 0;
    if (count > 0) this.lines.set(key, count - 1);
    return count > 0;
  }

  /** The message that the line went into that was found last; undefined where it went into none. */
  messageOf(key: string): string | undefined {
    const messages = this.#messages.get(key) ?? [];
    const index = messages.length - (this.lines.get(key) ?? 0) - 1;
    return messages[index] ?? messages.find((message) => message !== null) ?? undefined;
  }
}
