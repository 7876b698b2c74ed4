/** The interface of OpenAI's models: `POST /v1/responses`, streamed. */
import { type Asked, event, type Turn, textOf, type Wire } from './wire.ts';

interface Item {
  type?: string;
  role?: string;
  content?: unknown;
  call_id?: string;
  name?: string;
  arguments?: string;
  input?: string;
  output?: unknown;
}

function turnOf(item: Item): Turn[] {
  const id = item.call_id ?? '';
  if (item.type === 'function_call' || item.type === 'custom_tool_call')
    return [{ type: 'call', id, name: item.name ?? '', input: parsed(item.arguments ?? item.input ?? '') }];
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return [{ type: 'result', id, text: textOf(item.output) }];
  if (item.role !== 'user' && item.role !== 'assistant' && item.role !== 'developer') return [];
  return [{ type: item.role === 'assistant' ? 'assistant' : 'user', text: textOf(item.content) }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const responses: Wire = {
  read(path, body): Asked | null {
    if (!path.startsWith('/v1/responses')) return null;
    const input = (body['input'] ?? []) as Item[];
    const tools = (body['tools'] ?? []) as { name?: string; type?: string }[];
    return {
      turns: input.flatMap(turnOf),
      tools: tools.map(({ name, type }) => name ?? type ?? ''),
      system: textOf(body['instructions']),
    };
  },

  events({ text, call, hangs }, id) {
    const events = [event('response.created', { response: { id: `resp_${id}` } })];
    let output_index = 0;
    const item = (value: object): void => {
      events.push(event('response.output_item.added', { output_index, item: value }));
      events.push(event('response.output_item.done', { output_index, item: value }));
      output_index += 1;
    };
    if (text !== undefined && hangs) {
      const value = { type: 'message', role: 'assistant', id: `msg_${id}`, content: [] };
      events.push(event('response.output_item.added', { output_index, item: value }));
      events.push(event('response.output_text.delta', { output_index, content_index: 0, delta: text }));
    } else if (text !== undefined) {
      item({ type: 'message', role: 'assistant', id: `msg_${id}`, content: [{ type: 'output_text', text }] });
    }
    if (call) {
      const { name, input } = call;
      item({ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, arguments: JSON.stringify(input) });
    }
    if (hangs) return events;
    const usage = { input_tokens: 100, input_tokens_details: null, output_tokens: 20, output_tokens_details: null };
    return [
      ...events,
      event('response.completed', { response: { id: `resp_${id}`, usage: { ...usage, total_tokens: 120 } } }),
    ];
  },
};
