/** The interface of Anthropic's models: `POST /v1/messages`, streamed. */
import { type Asked, event, type Turn, textOf, type Wire } from './wire.ts';

interface Block {
  type: string;
  id?: string;
  name?: string;
  input?: unknown;
  text?: string;
  tool_use_id?: string;
  content?: unknown;
}

function turnOf(role: string, block: Block): Turn[] {
  if (block.type === 'tool_use')
    return [{ type: 'call', id: block.id ?? '', name: block.name ?? '', input: block.input }];
  if (block.type === 'tool_result')
    return [{ type: 'result', id: block.tool_use_id ?? '', text: textOf(block.content) }];
  if (block.type !== 'text') return [];
  return [{ type: role === 'assistant' ? 'assistant' : 'user', text: block.text ?? '' }];
}

export const anthropic: Wire = {
  read(path, body): Asked | null {
    if (!path.startsWith('/v1/messages') || path.includes('count_tokens')) return null;
    const messages = (body['messages'] ?? []) as { role: string; content: string | Block[] }[];
    const turns = messages.flatMap(({ role, content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content).flatMap((block) =>
        turnOf(role, block),
      ),
    );
    const tools = ((body['tools'] ?? []) as { name?: string }[]).map(({ name }) => name ?? '');
    return { turns, tools, system: textOf(body['system']) };
  },

  events({ text, call, hangs }, id) {
    const usage = { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const about = { role: 'assistant', model: 'claude-test', content: [], stop_reason: null, stop_sequence: null };
    const events = [event('message_start', { message: { id: `msg_${id}`, type: 'message', ...about, usage } })];
    let index = 0;
    const block = (content_block: object, delta: object, ends: boolean): void => {
      events.push(event('content_block_start', { index, content_block }));
      events.push(event('content_block_delta', { index, delta }));
      if (ends) events.push(event('content_block_stop', { index }));
      index += 1;
    };
    if (text !== undefined) block({ type: 'text', text: '' }, { type: 'text_delta', text }, !hangs);
    if (call)
      block(
        { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
        true,
      );
    if (hangs) return events;
    const delta = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
    return [...events, event('message_delta', { delta, usage: { output_tokens: 20 } }), event('message_stop', {})];
  },
};
