/** Closes calls that have no result and will get none: a model takes no conversation in which a call is open. */
import type { Conversation } from '../conversation/conversation.ts';
import type { Part, ToolPart } from '../message.ts';
import { awaitsApproval } from './stored-part.ts';

/** Error of a call that a run has left open, which is closed before the next run begins. */
export const BY_RESTART = 'aborted by host restart';
/** Error of the calls of a sub-agent if the run that it belongs to is aborted. */
export const BY_PARENT = 'aborted by parent';

/** A call without a result. */
export interface Orphan {
  message_id: string;
  part_id: string;
  seq: number;
  part: ToolPart;
  /** The number of the step that holds the part. */
  step: number;
}

export const isOpenCall = (part: Part): part is ToolPart =>
  part.type === 'dynamic-tool' &&
  (part.state === 'input-streaming' || part.state === 'input-available') &&
  !awaitsApproval(part);

/** Returns the call with an error for its result. What has come of its input stays. */
export function closedCall(part: ToolPart, errorText: string): ToolPart {
  const { rawInput: _raw, ...call } = part;
  return { ...call, state: 'output-error', input: part.input ?? null, errorText } as ToolPart;
}

/** Returns the calls without a result of the messages that the model sees. */
export function orphansOf({ messages }: Conversation): Orphan[] {
  const orphans: Orphan[] = [];
  for (const { id, hidden, parts } of messages.values()) {
    if (hidden !== null) continue;
    for (const { key, seq, part, step } of parts) {
      if (!isOpenCall(part)) continue;
      orphans.push({ message_id: id, part_id: key ?? part.toolCallId, seq: seq + 1, part, step });
    }
  }
  return orphans;
}
