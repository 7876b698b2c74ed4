/** Finds a session of an agent in the store, and words its conversation as updates of the Agent Client Protocol. */
import { AGENTS } from '../../agents/index.ts';
import type { ViewedMessage } from '../../core/conversation/view.ts';
import { isObject, type JsonObject, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { Repository } from '../../history/store/repository.ts';
import { readConversation } from '../conversation/read.ts';
import { contextOf } from '../resume/context.ts';
import { findSource } from '../transcript/source.ts';
import type { StoredSession } from './relay.ts';

/** Returns a session by the agent's own id of it; null if the store does not have it. */
export function storedSession(repository: Repository, agentSession: string): StoredSession | null {
  for (const { name } of AGENTS) {
    const found = findSource(repository, name, agentSession);
    if (!found) continue;
    const { session_id } = found.chain.session;
    const messages = readConversation(repository, session_id, { view: 'all' });
    return {
      updates: [...messages].filter(isRepeated).flatMap(updatesOf),
      context: contextOf(repository, session_id, { status: 'loaded again' }).text,
    };
  }
  return null;
}

/** Checks if a message is shown to the user again: one that a compaction has taken from the model alone is. */
const isRepeated = ({ role, hidden, metadata }: ViewedMessage): boolean =>
  role !== 'system' &&
  metadata?.['is_meta'] !== true &&
  metadata?.['is_sidechain'] !== true &&
  (!hidden || hidden.by === 'compaction');

function updatesOf({ id, role, parts }: ViewedMessage): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    if (part.type === 'dynamic-tool') return [callOf(part)];
    const content = contentOf(part);
    if (content === null) return [];
    const said = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
    return [{ sessionUpdate: part.type === 'reasoning' ? 'agent_thought_chunk' : said, content, messageId: id }];
  });
}

function contentOf(part: Part): JsonObject | null {
  const fields = part as unknown as JsonObject;
  const text = part.type === 'text' || part.type === 'reasoning' ? textOf(fields['text']) : undefined;
  if (text !== undefined) return text === '' ? null : { type: 'text', text };
  const url = part.type === 'file' ? (textOf(fields['url']) ?? '') : '';
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (mimeType !== undefined && data !== undefined) return { type: 'image', mimeType, data };
  return url === '' ? null : { type: 'resource_link', uri: url, name: textOf(fields['filename']) ?? url };
}

const KINDS = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode']);

/** Returns a call with its result, in one update. */
function callOf(part: Part): JsonObject {
  const { toolCallId, toolName, title, state, input, output, errorText } = part as unknown as JsonObject;
  const name = String(toolName);
  const result = textOf(errorText) ?? (typeof output === 'string' ? output : undefined);
  return {
    sessionUpdate: 'tool_call',
    toolCallId: String(toolCallId),
    title: textOf(title) ?? name,
    kind: KINDS.has(name) ? name : 'other',
    status: state === 'output-error' ? 'failed' : 'completed',
    ...(isObject(input) ? { rawInput: input } : {}),
    ...(isObject(output) ? { rawOutput: output } : {}),
    ...(result === undefined ? {} : { content: [{ type: 'content', content: { type: 'text', text: result } }] }),
  };
}
