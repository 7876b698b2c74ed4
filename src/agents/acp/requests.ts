/** What requests and their answers say: sessions, prompts, permissions, files and terminals. */
import { type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import { isSecretFile } from '../../secrets/index.ts';
import { readDeed, writeDeed } from '../shared/deeds.ts';
import { idOf } from '../shared/fields.ts';
import type { Heard, Saying } from '../shared/plain-agent.ts';
import type { Tokens } from '../shared/usage.ts';
import { closeTerminals, commandOf, hearTerminal, openTerminal } from './deeds.ts';
import { modelIn } from './model.ts';
import { type Pending, type Rpc, withPending } from './rpc.ts';
import { printOf, withTouched } from './touched.ts';
import { lineOf, partsOf, sideOf } from './updates.ts';

const remembers = (memory: JsonObject): Saying => ({ what: 'remembers', memory });

/** Longest content of a file that is remembered until it is known to be written; of one that holds secrets none is. */
const CONTENT_LIMIT = 2048;

function prompt({ record, id, memory }: Heard, rpc: Rpc): Saying[] {
  const parts = partsOf(rpc.params['prompt'], id);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [String(part['text'])] : []));
  const words = texts.join('\n').trim() || (parts.some(({ type }) => type === 'file') ? '[image]' : '[resource]');
  const side = sideOf(memory, rpc.params);
  const isSide = isAside(memory, rpc.params);
  const line = lineOf(record, {}, rpc.params);
  return [
    { what: 'message', role: 'user', parts, line, metadata: side, ...(isSide ? {} : { prompt: words }) },
    remembers({
      ...withPending(memory, rpc, { is_side: isSide }),
      is_prompted: true,
      touched: [],
      echo: null,
      asides: {},
    }),
  ];
}

/** Whether a request is about another session than the first of a recording. */
const isAside = (memory: JsonObject, params: JsonObject): boolean => 'is_sidechain' in sideOf(memory, params);

function permission({ memory }: Heard, rpc: Rpc): Saying[] {
  if (isAside(memory, rpc.params)) return [remembers(withPending(memory, rpc, { is_side: true }))];
  const call = objectOf(rpc.params['toolCall']);
  const callId = idOf(call?.['toolCallId']) ?? 'permission';
  const options = (Array.isArray(rpc.params['options']) ? rpc.params['options'] : []).flatMap((option) => {
    const fields = objectOf(option);
    const name = textOf(fields?.['name']);
    const id = textOf(fields?.['optionId']);
    return name === undefined || id === undefined ? [] : [{ id, name, kind: textOf(fields?.['kind']) ?? id }];
  });
  const title = textOf(call?.['title']) ?? 'The agent asks for a permission.';
  const text = [title, ...options.map(({ name }) => `- ${name}`)].join('\n');
  return [{ what: 'asks', callId, text }, remembers(withPending(memory, rpc, { call: callId, options }))];
}

/** What a request or a notification says. */
export function saysRequest(heard: Heard, rpc: Rpc): Saying[] {
  const { memory } = heard;
  const { params } = rpc;
  const path = textOf(params['path']) ?? null;
  switch (rpc.method) {
    case 'session/new': {
      const isFirst = memory['session'] === undefined;
      const about: Saying[] = isFirst ? [{ what: 'session', about: { cwd: textOf(params['cwd']) } }] : [];
      return [...about, remembers(withPending(memory, rpc))];
    }
    case 'session/load':
      return loads(memory, rpc);
    case 'session/resume':
      return [...begins(memory, params), remembers(withPending(memory, rpc, aboutModel(memory, params)))];
    case 'session/set_model':
    case 'session/set_config_option':
      return [remembers(withPending(memory, rpc, aboutModel(memory, params)))];
    case 'session/prompt':
      return prompt(heard, rpc);
    case 'session/cancel':
      return isAside(memory, params) ? [] : [{ what: 'stops' }];
    case 'session/request_permission':
      return permission(heard, rpc);
    case 'fs/read_text_file': {
      const isWhole = (params['line'] ?? null) === null && (params['limit'] ?? null) === null;
      return [remembers(withPending(memory, rpc, { path, is_whole: isWhole }))];
    }
    case 'fs/write_text_file': {
      const content = textOf(params['content']) ?? '';
      const isSecret = path !== null && isSecretFile(path);
      const told = content.length <= CONTENT_LIMIT && !isSecret ? { content } : {};
      return [remembers(withPending(memory, rpc, { path, ...told, text: isSecret ? null : printOf(content) }))];
    }
    case 'terminal/create':
      return [remembers(withPending(memory, rpc, { command: commandOf(params) }))];
    case 'terminal/output':
    case 'terminal/wait_for_exit':
      return [remembers(withPending(memory, rpc, { terminal: textOf(params['terminalId']) ?? null }))];
    case 'terminal/release':
      return closes(memory, textOf(params['terminalId']) ?? '');
    default:
      return [remembers(withPending(memory, rpc))];
  }
}

function closes(memory: JsonObject, terminal: string | null): Saying[] {
  const { told, memory: after } = closeTerminals(memory, terminal);
  return [...told.map((one): Saying => ({ what: 'deeds', ...one })), remembers(after)];
}

/** What must be known of a request when its answer tells a model, or agrees to the one that was asked for. */
const aboutModel = (memory: JsonObject, params: JsonObject): JsonObject => ({
  is_side: isAside(memory, params),
  model: textOf(params['modelId']) ?? null,
});

/** The model that a session has from now on. */
function modelTold(request: Pending, { message }: Rpc): Saying[] {
  if (request['is_side'] === true || message['error'] !== undefined) return [];
  const model = modelIn(objectOf(message['result'])) ?? idOf(request['model']);
  return [{ what: 'session', about: { model } }];
}

/** A session that is loaded is told once more, up to the answer: what the recording holds of it already is passed over. */
function loads(memory: JsonObject, rpc: Rpc): Saying[] {
  const session = idOf(rpc.params['sessionId']);
  const isTold = session !== undefined && session === memory['session'];
  const model = aboutModel(memory, rpc.params);
  if (!isTold) return [...begins(memory, rpc.params), remembers(withPending(memory, rpc, model))];
  return [remembers({ ...withPending(memory, rpc, { ...model, is_told: true }), retold: session })];
}

/** A session that was loaded has been told. */
function loaded(memory: JsonObject, request: Pending): Saying[] {
  if (request['is_told'] === true) return [remembers({ retold: undefined })];
  return memory['user'] === null ? [{ what: 'ends' }, remembers({ user: undefined })] : [];
}

/** The first session of a recording is the one that it is of. */
function begins(memory: JsonObject, told: JsonObject): Saying[] {
  const session = idOf(told['sessionId']);
  if (session === undefined || memory['session'] !== undefined) return [];
  const about = { agent_session_id: session, cwd: textOf(told['cwd']), model: modelIn(told) };
  return [{ what: 'session', about }, remembers({ session })];
}

function tokensOf(usage: JsonObject | undefined): Tokens | undefined {
  if (!usage) return undefined;
  const told: [keyof Tokens, number | undefined][] = [
    ['input', numberOf(usage['inputTokens'])],
    ['output', numberOf(usage['outputTokens'])],
    ['reasoning', numberOf(usage['thoughtTokens'])],
    ['cache_read', numberOf(usage['cachedReadTokens'])],
    ['cache_write', numberOf(usage['cachedWriteTokens'])],
  ];
  return Object.fromEntries(told.filter(([, count]) => count !== undefined && count >= 0));
}

/** A prompt is done: what it ended in, and what it used. */
function turnOver(memory: JsonObject, request: Pending, rpc: Rpc): Saying[] {
  if (request['is_side'] === true) return [];
  const result = objectOf(rpc.message['result']);
  const isStopped = result === undefined || result['stopReason'] === 'cancelled';
  const tokens = tokensOf(objectOf(result?.['usage']));
  return [
    ...closes(memory, null),
    ...(tokens ? [{ what: 'usage', tokens, calls: 1 } as const] : []),
    isStopped ? { what: 'stops' } : { what: 'ends' },
    remembers({ is_prompted: false, user: null, echo: null }),
  ];
}

/** What the user said to a permission that the agent wanted; what they refused is never done. */
function permitted(heard: Heard, request: Pending, rpc: Rpc): Saying[] {
  if (request['is_side'] === true) return [];
  const told = objectOf(rpc.message['result']) ?? {};
  const outcome = objectOf(told['outcome']);
  const options = Array.isArray(request['options']) ? request['options'] : [];
  const option = options.map(objectOf).find((one) => one?.['id'] === outcome?.['optionId']);
  if (outcome?.['outcome'] !== 'selected' || !option) return [{ what: 'answers', text: null }];
  const name = textOf(option['name']) ?? '';
  const answers: Saying = { what: 'answers', text: name };
  if (!/^(reject|deny)/.test(textOf(option['kind']) ?? '')) return [answers];
  const callId = idOf(request['call']) ?? '';
  const text = `The user refused: ${name}`;
  const line = lineOf(heard.record, told);
  const result = { callId, content: text, text, failed: true, told: undefined };
  return [answers, { what: 'result', result, line }, { what: 'closes' }];
}

/** What the answer to a request says. */
export function saysAnswer(heard: Heard, request: Pending, rpc: Rpc, memory: JsonObject): Saying[] {
  const result = objectOf(rpc.message['result']);
  const path = textOf(request['path']);
  switch (request.method) {
    case 'initialize':
      return [{ what: 'session', about: { agent_version: idOf(objectOf(result?.['agentInfo'])?.['version']) } }];
    case 'session/new':
      return result ? begins(memory, result) : [];
    case 'session/load':
      return [...modelTold(request, rpc), ...loaded(memory, request)];
    case 'session/resume':
    case 'session/set_model':
    case 'session/set_config_option':
      return modelTold(request, rpc);
    case 'session/prompt':
      return turnOver(memory, request, rpc);
    case 'session/request_permission':
      return permitted(heard, request, rpc);
    case 'terminal/create': {
      const id = textOf(result?.['terminalId']);
      return id === undefined ? [] : [remembers(openTerminal(memory, id, textOf(request['command']) ?? ''))];
    }
    case 'terminal/output':
    case 'terminal/wait_for_exit':
      return result ? [remembers(hearTerminal(memory, textOf(request['terminal']) ?? '', result))] : [];
  }
  // A file that could not be read or written tells an error instead.
  if (rpc.message['error'] !== undefined) return [];
  const text = request['is_whole'] === true ? textOf(result?.['content']) : undefined;
  const reads = request.method === 'fs/read_text_file' ? readDeed(path, heard.cwd, text) : [];
  const writes = request.method === 'fs/write_text_file' ? writeDeed(path, heard.cwd, textOf(request['content'])) : [];
  const deeds = [...reads, ...writes];
  return deeds.length > 0
    ? [{ what: 'deeds', deeds }, remembers(withTouched(memory, deeds, { text: request['text'] }))]
    : [];
}
