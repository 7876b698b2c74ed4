/** Questions for permissions as the hooks of Claude Code ask them, in a form that other agents have taken over. */
import { type JsonObject, textOf } from '../../core/json.ts';
import type { AskedPermission, PermissionAnswer, PermissionPoint } from '../contract/hook-settings.ts';

/** Reads the tool of a payload at an event; null at any other. */
export function askedAt(payload: JsonObject, event: string): AskedPermission | null {
  const tool = textOf(payload['tool_name']);
  if (payload['hook_event_name'] !== event || tool === undefined) return null;
  return { tool, input: payload['tool_input'] ?? null, call_id: textOf(payload['tool_use_id']) ?? null };
}

/** Returns an answer to `PermissionRequest`. */
const decisionOf = ({ event, verdict, reason }: PermissionAnswer): JsonObject => ({
  hookSpecificOutput: {
    hookEventName: event,
    decision: verdict === 'deny' ? { behavior: verdict, message: reason } : { behavior: verdict },
  },
});

/** The event `PermissionRequest`. */
export const permissionRequest: PermissionPoint = {
  asked: (payload) => askedAt(payload, 'PermissionRequest'),
  answer: decisionOf,
};
