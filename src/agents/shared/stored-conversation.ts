/** Holds the stored conversation for a reader: its lines, the calls without a result, and the other parts without their text. */
import { emptyConversation, type FoldListener, type Keep, partOfCall } from '../../core/conversation/conversation.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Call } from './basic-cursor.ts';
import { NO_RESULT, readToolPart, type ToolPart } from './parts.ts';

/** The part that replaces every part that is no call. */
const NO_TEXT: Part = { type: 'text', text: '' };

/** Returns a part as it is held. A call that was closed without a result is held as an open one, since its result may still come. */
function heldPart(part: Part): Part {
  const call = readToolPart(part as JsonObject);
  if (!call) return NO_TEXT;
  if (part['state'] === 'input-available' || part['errorText'] === NO_RESULT) return call as Part;
  // The result that came before its call is all that is known of either.
  if (part['is_orphan'] === true) return part;
  const { type, toolName, toolCallId } = call;
  return { type, toolName, toolCallId, state: 'output-available', input: null } as Part;
}

/** Parts that the readers hold of a message that is stored. */
const HELD: Keep = {
  part: heldPart,
  metadata: ({ is_sidechain }) => (is_sidechain === true ? { is_sidechain } : {}),
};

/** The newest version of a stored call, with its message; undefined if the call is not stored. */
export interface StoredCall {
  message: string;
  part: ToolPart;
  isOpen: boolean;
}

/** The stored part of a transcript, as each reader asks for it. */
export class StoredConversation<Line = string> {
  /** Number of times that each line is stored, by what identifies it. */
  readonly lines = new Map<Line, number>();
  protected readonly conversation = emptyConversation();

  /** Takes the stored records. */
  protected fold(bodies: Iterable<AnyBody>, listener: FoldListener): void {
    foldConversation(bodies, this.conversation, { keep: HELD, listener });
  }

  protected count(line: Line): void {
    this.lines.set(line, (this.lines.get(line) ?? 0) + 1);
  }

  /** Checks if a line is stored; a line that is stored once is found once. */
  find(line: Line): boolean {
    const count = this.lines.get(line) ?? 0;
    if (count > 0) this.lines.set(line, count - 1);
    return count > 0;
  }

  /** Checks if a message is stored. */
  has(message: string): boolean {
    return this.conversation.messages.has(message);
  }

  /** Checks if a stored message is one of a sub-agent. */
  protected isSide(message: string): boolean {
    return this.conversation.messages.get(message)?.metadata['is_sidechain'] === true;
  }

  /** The call of an id; undefined if none is stored. */
  call(id: string): StoredCall | undefined {
    const call = this.conversation.calls.get(id);
    const part = partOfCall(this.conversation, id);
    if (!call || !part) return undefined;
    return { message: call.message, part: part as unknown as ToolPart, isOpen: call.state === 'input-available' };
  }

  /** A call without a result; undefined if no such call is stored. */
  openCall(id: string): Call | undefined {
    const call = this.call(id);
    if (!call?.isOpen) return undefined;
    const { part, message: message_id } = call;
    return { id, name: part.toolName, part, message_id, is_side: this.isSide(message_id), is_closed: true };
  }

  /** Checks if a call is stored with its result. */
  hasResult(id: string): boolean {
    return this.call(id)?.isOpen === false;
  }
}
