/** Reads the stored part of a transcript of lines: the lines and their tree, the messages in view, the calls, the usage. */
import type { FoldedMessage } from '../../core/conversation/conversation.ts';
import { isObject, type JsonObject, type JsonValue, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { idOf } from './fields.ts';
import { type Node, readNode } from './keys.ts';
import { SpokenTexts } from './spoken-texts.ts';
import { StoredConversation } from './stored-conversation.ts';
import { readTokens, type Tokens } from './usage.ts';

/** Fields that mark a message of the role `user` that the user did not write. */
const OF_THE_PROGRAM = ['is_meta', 'is_compact_summary', 'is_orphan_result'];

/** The user's words in the parts of a message, one after the other. */
function textsOf(parts: readonly JsonObject[]): string {
  return parts.flatMap((part) => textOf(part['text']) ?? []).join('\n');
}

/** Values that a reader looks for while the records are folded. */
export interface Sought {
  /** The id of the message that began the turn. */
  prompt: string | null;
  /** The id of the message that the agent spoke last. */
  speaker: string | null;
  /** The user's words in the parts of a message. */
  words?: (parts: JsonObject[]) => string | null;
  /** Is notified of every message. */
  hear?: (id: string, role: string, parts: JsonObject[]) => void;
}

export class StoredTranscript extends StoredConversation {
  /** Messages that are in view, in the order in which they came into view; true for a prompt. */
  readonly visible = new Map<string, boolean>();
  /** Places of lines in their tree, with the key of the line and the message that begins with the line. */
  readonly nodes = new Map<string, Node & { key: string; message: string | null }>();
  /** The words of the turn's prompt. */
  prompt = '';
  readonly #spoken = new SpokenTexts();
  /** The id of the part that each message was stored with last, if the text of that part may grow. */
  readonly #openParts = new Map<string, string>();
  /** The messages that the lines of one key went into, one after the other. */
  readonly #messages = new Map<string, (string | null)[]>();
  /** The message that begins with a line, by the key of the line. */
  readonly #begun = new Map<string, string>();
  readonly #prompts = new Set<string>();

  constructor(bodies: Iterable<AnyBody>, sought: Sought) {
    super();
    this.fold(bodies, {
      message: (message, metadata) => this.#message(message, metadata, sought),
      part: (id, part, record) => {
        this.#lines(record['lines'], id, false);
        this.#ends(id, part);
        if (id === sought.speaker) this.#spoken.add([part as JsonObject]);
      },
      raw: (record) => this.#raw(record),
      overlay: (op, ids) => {
        for (const id of ids)
          if (op === 'hide') this.visible.delete(id);
          else if (op === 'show') this.visible.set(id, this.#prompts.has(id));
      },
      messageOfLine: (key) => this.#messageOfLine(key) ?? undefined,
    });
  }

  #message({ id, role, parts: folded }: FoldedMessage, metadata: JsonObject, sought: Sought): void {
    const parts = folded.map(({ part }) => part as JsonObject);
    if (role === 'user' && OF_THE_PROGRAM.every((key) => metadata[key] !== true)) this.#prompts.add(id);
    // The words of a sub-agent are beside the conversation: no part of its tree, and never in view.
    const isSide = metadata['is_sidechain'] === true;
    if (!isSide) this.visible.set(id, this.#prompts.has(id));
    this.#lines(metadata['lines'], id, !isSide);
    this.#ends(id, folded.at(-1)?.part);
    sought.hear?.(id, role, parts);
    if (id === sought.prompt) this.prompt = (sought.words ?? textsOf)(parts) ?? '';
    if (id === sought.speaker) this.#spoken.add(parts);
  }

  #line(line: JsonObject, message: string | null, begins = false): void {
    const key = idOf(line['key']);
    if (key === undefined) return;
    this.count(key);
    const messages = this.#messages.get(key);
    if (messages) messages.push(message);
    else this.#messages.set(key, [message]);
    if (begins && message !== null) this.#begun.set(key, message);
    const node = readNode(line['node']);
    if (node) this.nodes.set(node.id, { key, ...node, message: begins ? message : null });
  }

  #lines(lines: JsonValue | undefined, message: string, begins: boolean): void {
    for (const [index, line] of (Array.isArray(lines) ? lines : []).entries())
      if (isObject(line)) this.#line(line, message, begins && index === 0);
  }

  /** Takes a line that is in no message, or another text of a stored line, which went into the message of that line. */
  #raw(line: JsonObject): void {
    const former = idOf(line['repeats']) ?? '';
    const message = this.#messageOfLine(former);
    this.#line(line, message, message !== null && this.#begun.get(former) === message);
  }

  #messageOfLine(key: string): string | null {
    return this.#messages.get(key)?.find((message) => message !== null) ?? null;
  }

  /** Notes the part that a message was stored with last. */
  #ends(message: string, part: Part | undefined): void {
    const isText = part?.type === 'text' || part?.type === 'reasoning';
    const id = isText ? idOf(part['id'] as JsonValue) : undefined;
    if (id === undefined) this.#openParts.delete(message);
    else this.#openParts.set(message, id);
  }

  /** The ids of all messages, in order. */
  get order(): readonly string[] {
    return this.conversation.order;
  }

  /** Texts of the message that the agent spoke last. */
  get said(): string[] {
    return this.#spoken.all;
  }

  /** The usage of a message; undefined if none is stored. */
  usage(id: string): Tokens | undefined {
    const usage = this.conversation.usage.get(id);
    return usage && readTokens(usage as JsonObject);
  }

  /** The id of the part that a message was stored with last; undefined if the text of that part cannot grow. */
  openPart(message: string): string | undefined {
    return this.#openParts.get(message);
  }

  /** Checks if a call is stored, with its result or without. */
  hasCall(id: string): boolean {
    return this.call(id) !== undefined;
  }

  /** The message that the line went into that was found last; undefined if it went into none. */
  messageOf(key: string): string | undefined {
    const messages = this.#messages.get(key) ?? [];
    const index = messages.length - (this.lines.get(key) ?? 0) - 1;
    return messages[index] ?? messages.find((message) => message !== null) ?? undefined;
  }
}
