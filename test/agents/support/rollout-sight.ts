// Lists the model's view after a reading, in the words of the second opinion: one text for each part.
import type { Replay } from './replay.ts';

const ROLES: Record<string, string> = { system: 'developer' };

export function seenIn(read: Replay): string[] {
  const labels = read.visible.flatMap((id) => {
    const message = read.messages.get(id);
    return (message?.parts ?? []).map((part) => {
      if (part['type'] === 'reasoning') return `thinking: ${part['text']}`;
      if (part['type'] !== 'dynamic-tool') return `${ROLES[message?.role ?? ''] ?? message?.role}: ${part['text']}`;
      // A search has no id of its own.
      if (part['toolName'] === 'web_search') return 'call web_search_call';
      return `call ${part['toolName']} ${part['toolCallId']}`;
    });
  });
  return labels.sort();
}
