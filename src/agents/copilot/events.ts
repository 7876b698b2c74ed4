/** The events of Copilot CLI: words, calls and their results, questions, tokens. */
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callPart, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import { ownWords } from '../shared/own-words.ts';
import type { ToolPart } from '../shared/parts.ts';
import type { RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { addTokens, type Tokens } from '../shared/usage.ts';
import { COPILOT_FOREIGN } from './foreign.ts';

/** Returns what is kept of an event beside the parts of its message. */
function lineOf(record: JsonObject, data: JsonObject, ...keys: string[]): JsonObject {
  return { ...without(record, 'id', 'parentId', 'data'), item: without(data, ...keys) };
}

/** Returns the events of a user's message. Words of a skill or of the program in the user's name are no prompt. */
export function userEvents({ record, memory }: RecordContext, data: JsonObject): RecordEvent[] {
  const text = textOf(data['content']) ?? '';
  const line = lineOf(record, data, 'content');
  const parts: Part[] = text === '' ? [] : [{ type: 'text', text }];
  const source = textOf(data['source']) ?? 'user';
  const prompt = source === 'user' ? ownWords(text, COPILOT_FOREIGN) : null;
  if (prompt === null) return [{ what: 'message', role: 'user', parts, line, metadata: { is_meta: true } }];
  return [{ what: 'message', role: 'user', parts, line, prompt, cutsIn: memory['is_working'] === true }];
}

function callsOf(data: JsonObject, id: string): ToolPart[] {
  const requests = Array.isArray(data['toolRequests']) ? data['toolRequests'] : [];
  return requests.flatMap((request, index) => {
    const fields = objectOf(request);
    const name = textOf(fields?.['name']);
    if (!fields || name === undefined) return [];
    const call = callPart(idOf(fields['toolCallId']) ?? `${id}:${index}`, name, fields['arguments']);
    return [{ ...without(fields, 'toolCallId', 'name', 'arguments', 'type'), ...call }];
  });
}

/** Returns a question of a tool, as text. */
function questionOf(part: ToolPart): string {
  const input = objectOf(part.input);
  const choices = (Array.isArray(input?.['choices']) ? input['choices'] : []).filter(
    (choice) => typeof choice === 'string',
  );
  const question = textOf(input?.['question']) ?? 'The agent asks a question.';
  return [question, ...choices.map((choice) => `- ${choice}`)].join('\n');
}

/** Returns the events of the model's words, thoughts and calls. A sub-agent's words are no part of the conversation itself. */
export function assistantEvents({ record, id, memory }: RecordContext, data: JsonObject): RecordEvent[] {
  const reasoning = textOf(data['reasoningText']);
  const text = textOf(data['content']);
  const calls = callsOf(data, id);
  const parts: (Part | ToolPart)[] = [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...calls,
  ];
  const output = numberOf(data['outputTokens']);
  const tokens = output === undefined ? undefined : { output };
  const parent = idOf(data['parentToolCallId']);
  const side = parent === undefined ? {} : { is_sidechain: true, parent_tool_call_id: parent };
  const model = idOf(data['model']);
  const metadata = { ...(model === undefined ? {} : { model }), ...side };
  const line = lineOf(record, data, 'content', 'reasoningText', 'toolRequests', 'outputTokens', 'model');
  const question = parent === undefined ? calls.find(({ toolName }) => toolName === 'ask_user') : undefined;
  const asking = question ? { asking: question.toolCallId } : {};
  const counted = (numberOf(memory['output']) ?? 0) + (output ?? 0);
  const isWorking = parent === undefined ? calls.length > 0 : memory['is_working'] === true;
  return [
    { what: 'message', role: 'assistant', parts, line, metadata, tokens, isOver: calls.length === 0 },
    ...(question ? [{ what: 'asks', callId: question.toolCallId, text: questionOf(question) } as const] : []),
    { what: 'remembers', memory: { output: counted, is_working: isWorking, ...asking } },
  ];
}

/** Returns the fields of a result, or of an error, beside its text at `key`; undefined if there are none. */
function besideWords(value: JsonValue | undefined, content: JsonValue, key: string): JsonValue | undefined {
  const fields = objectOf(value);
  if (value === null || value === content) return undefined;
  if (!fields) return value;
  const copies = [key, 'detailedContent'].filter((name) => (fields[name] ?? content) === content);
  const rest = without(fields, ...copies);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Returns the structured outcome of a call beside its content, whole, since only so is the file known that it is about. */
function structuredIn(data: JsonObject, content: JsonValue): JsonValue | undefined {
  const result = besideWords(data['result'], content, 'content');
  const error = besideWords(data['error'], content, 'message');
  const { detailedContent: detailed, ...others } = objectOf(result) ?? {};
  if (error === undefined && detailed !== undefined && Object.keys(others).length === 0) return detailed;
  return result === undefined && error === undefined ? undefined : without({ result, error });
}

/** Returns the events of a call's result; of a question's, also the answer. */
export function resultEvents({ record, memory }: RecordContext, data: JsonObject): RecordEvent[] {
  const callId = idOf(data['toolCallId']);
  if (callId === undefined) return [];
  const { result, error } = data;
  const failed = data['success'] === false;
  const said = textOf(result) ?? objectOf(result)?.['content'] ?? textOf(error) ?? objectOf(error)?.['message'];
  const content: JsonValue = said ?? result ?? error ?? null;
  const text = textOf(content) ?? '';
  const structured = structuredIn(data, content);
  const line = lineOf(record, data, 'toolCallId', 'result', 'error', 'success');
  const answered: RecordEvent = { what: 'result', result: { callId, content, text, failed, structured }, line };
  const model: RecordEvent = { what: 'session', about: { model: idOf(data['model']) } };
  if (memory['asking'] !== callId) return [answered, model];
  const answer = failed ? null : text.replace(/^User (?:responded|selected|answered)(?: with)?:\s*/i, '');
  return [answered, model, { what: 'answers', text: answer }, { what: 'remembers', memory: { asking: null } }];
}

/** Returns the event of the tokens that Copilot sums up at the end of a session, without those that its messages contained. */
export function shutdownEvents({ memory }: RecordContext, data: JsonObject): RecordEvent[] {
  let all: Tokens = {};
  for (const metrics of Object.values(objectOf(data['modelMetrics']) ?? {})) {
    const usage = objectOf(objectOf(metrics)?.['usage']) ?? {};
    const count = (key: string): number => Math.max(0, numberOf(usage[key]) ?? 0);
    const cached = count('cacheReadTokens') + count('cacheWriteTokens');
    all = addTokens(all, {
      // Copilot's count of input includes what came from the cache and what went into it.
      input: Math.max(0, count('inputTokens') - cached),
      output: count('outputTokens'),
      cache_read: count('cacheReadTokens'),
      cache_write: count('cacheWriteTokens'),
    });
  }
  if (all.output === undefined) return [];
  const tokens = { ...all, output: Math.max(0, all.output - (numberOf(memory['output']) ?? 0)) };
  return [
    { what: 'usage', tokens, calls: 0 },
    { what: 'remembers', memory: { output: 0 } },
  ];
}

/** Returns the events of a session that begins or continues. */
export function startEvents(data: JsonObject): RecordEvent[] {
  const context = objectOf(data['context']);
  const about = {
    agent_session_id: idOf(data['sessionId']),
    agent_version: idOf(data['copilotVersion']),
    cwd: textOf(context?.['cwd']),
    git_branch: idOf(context?.['branch']),
    model: idOf(data['selectedModel']),
  };
  return [
    { what: 'session', about },
    { what: 'remembers', memory: { output: 0 } },
  ];
}

/** Returns the event of the summary that replaces everything before a compaction. */
export function summaryEvents({ record }: RecordContext, data: JsonObject): RecordEvent[] {
  const text = textOf(data['summaryContent']);
  if (text === undefined) return [];
  const parts: Part[] = [{ type: 'text', text }];
  const line = lineOf(record, data, 'summaryContent');
  return [{ what: 'message', role: 'user', parts, line, metadata: { is_compact_summary: true } }];
}

/** Returns the event of the program's instructions for the model. */
export function systemEvents({ record }: RecordContext, data: JsonObject): RecordEvent[] {
  const text = textOf(data['content']);
  if (text === undefined) return [];
  return [{ what: 'message', role: 'system', parts: [{ type: 'text', text }], line: lineOf(record, data, 'content') }];
}
