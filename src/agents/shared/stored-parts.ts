/** Holds the stored conversation for a reader: the calls without a result, and the other parts without their text. */
import type { Conversation, Keep } from '../../core/conversation/conversation.ts';
import { partOfCall } from '../../core/conversation/conversation.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
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

/** What the readers hold of a message that is stored. */
export const HELD: Keep = {
  part: heldPart,
  metadata: ({ is_sidechain }) => (is_sidechain === true ? { is_sidechain } : {}),
};

/** The newest version of a stored call, with its message; undefined if the call is not stored. */
export interface StoredCall {
  message: string;
  part: ToolPart;
  isOpen: boolean;
}

/** The stored call of an id; undefined if there is none. */
export function storedCall(conversation: Conversation, id: string): StoredCall | undefined {
  const call = conversation.calls.get(id);
  const part = partOfCall(conversation, id);
  if (!call || !part) return undefined;
  return { message: call.message, part: part as unknown as ToolPart, isOpen: call.state === 'input-available' };
}
