/** The events of requests and their answers: sessions, prompts, permissions, files and terminals. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { isSecretFile } from '../../secrets/index.ts';
import { idOf } from '../shared/fields.ts';
import type { RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { recordRead, recordWrite } from '../shared/tool-records.ts';
import { closeTerminals, commandOf, openTerminal, updateTerminal } from './call-records.ts';
import { printOf, withGiven } from './request-records.ts';
import { type Pending, type Rpc, withPending } from './rpc.ts';
import { announcedCall, lineOf, modelIn, partsOf, sideOf } from './updates.ts';
import { tokensOf } from './usage.ts';

const remembers = (memory: JsonObject): RecordEvent => ({ what: 'remembers', memory });

/** The longest content of a file that is remembered until it is known to be written; one that holds secrets is not remembered. */
const CONTENT_LIMIT = 2048;

function promptEvents({ record, id, memory }: RecordContext, rpc: Rpc): RecordEvent[] {
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
      ...(isSide ? {} : { retold: null }),
    }),
  ];
}

/** Returns whether a request is about another session than the first of a recording. */
const isAside = (memory: JsonObject, params: JsonObject): boolean => 'is_sidechain' in sideOf(memory, params);

function permissionEvents(context: RecordContext, rpc: Rpc): RecordEvent[] {
  const { memory } = context;
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
  return [
    // Gemini CLI names a call here for the first time.
    ...(call ? announcedCall(context, call, rpc.params) : []),
    { what: 'asks', callId, text },
    remembers(withPending(memory, rpc, { call: callId, options })),
  ];
}

/** Returns the events of a request or a notification. */
export function requestEvents(context: RecordContext, rpc: Rpc): RecordEvent[] {
  const { memory } = context;
  const { params } = rpc;
  const path = textOf(params['path']) ?? null;
  switch (rpc.method) {
    case 'session/new': {
      const isFirst = memory['session'] === undefined;
      const about: RecordEvent[] = isFirst ? [{ what: 'session', about: { cwd: textOf(params['cwd']) } }] : [];
      return [...about, remembers(withPending(memory, rpc))];
    }
    case 'session/load':
      return loadEvents(memory, rpc);
    case 'session/resume':
      return [...beginEvents(memory, params), remembers(withPending(memory, rpc, aboutModel(memory, params)))];
    case 'session/set_model':
    case 'session/set_config_option':
      return [remembers(withPending(memory, rpc, aboutModel(memory, params)))];
    case 'session/prompt':
      return promptEvents(context, rpc);
    case 'session/cancel':
      return isAside(memory, params) ? [] : [{ what: 'stops' }];
    case 'session/request_permission':
      return permissionEvents(context, rpc);
    case 'fs/read_text_file': {
      const isWhole = (params['line'] ?? null) === null && (params['limit'] ?? null) === null;
      return [remembers(withPending(memory, rpc, { path, is_whole: isWhole }))];
    }
    case 'fs/write_text_file': {
      const content = textOf(params['content']) ?? '';
      const isSecret = path !== null && isSecretFile(path);
      const kept = content.length <= CONTENT_LIMIT && !isSecret ? { content } : {};
      return [remembers(withPending(memory, rpc, { path, ...kept, text: isSecret ? null : printOf(content) }))];
    }
    case 'terminal/create':
      return [remembers(withPending(memory, rpc, { command: commandOf(params) }))];
    case 'terminal/output':
    case 'terminal/wait_for_exit':
      return [remembers(withPending(memory, rpc, { terminal: textOf(params['terminalId']) ?? null }))];
    case 'terminal/release':
      return terminalEvents(memory, textOf(params['terminalId']) ?? '');
    default:
      return [remembers(withPending(memory, rpc))];
  }
}

function terminalEvents(memory: JsonObject, terminal: string | null): RecordEvent[] {
  const { records, memory: after } = closeTerminals(memory, terminal);
  return [...records.map((one): RecordEvent => ({ what: 'records', ...one })), remembers(after)];
}

/** Returns what to remember of a request whose answer may contain a model, or confirm the one that was asked for. */
const aboutModel = (memory: JsonObject, params: JsonObject): JsonObject => ({
  is_side: isAside(memory, params),
  model: textOf(params['modelId']) ?? null,
});

/** Returns the event of a session's new model. */
function modelEvents(request: Pending, { message }: Rpc): RecordEvent[] {
  if (request['is_side'] === true || message['error'] !== undefined) return [];
  const model = modelIn(objectOf(message['result'])) ?? idOf(request['model']);
  return [{ what: 'session', about: { model } }];
}

/**
 * A session that is loaded is repeated up to the answer, by Gemini CLI beyond it: what comes before the next prompt is skipped if the
 * recording holds the session already.
 */
function loadEvents(memory: JsonObject, rpc: Rpc): RecordEvent[] {
  const session = idOf(rpc.params['sessionId']);
  const isTold = session !== undefined && session === memory['session'];
  const model = aboutModel(memory, rpc.params);
  if (!isTold) return [...beginEvents(memory, rpc.params), remembers(withPending(memory, rpc, model))];
  return [remembers({ ...withPending(memory, rpc, { ...model, is_told: true }), retold: session })];
}

/** Returns the events after a loaded session was repeated. */
function loadedEvents(memory: JsonObject, request: Pending): RecordEvent[] {
  if (request['is_told'] === true) return [];
  return memory['user'] === null ? [{ what: 'ends' }, remembers({ user: undefined })] : [];
}

/** Returns the event of the session that a recording belongs to, which is the first one in it. */
function beginEvents(memory: JsonObject, fields: JsonObject): RecordEvent[] {
  const session = idOf(fields['sessionId']);
  if (session === undefined || memory['session'] !== undefined) return [];
  const about = { agent_session_id: session, cwd: textOf(fields['cwd']), model: modelIn(fields) };
  return [{ what: 'session', about }, remembers({ session })];
}

/** Returns the events of an answered prompt: the outcome of the turn, and its tokens. */
function turnEvents(memory: JsonObject, request: Pending, rpc: Rpc): RecordEvent[] {
  if (request['is_side'] === true) return [];
  const result = objectOf(rpc.message['result']);
  const isStopped = result === undefined || result['stopReason'] === 'cancelled';
  const tokens = tokensOf(objectOf(result?.['usage']));
  return [
    ...terminalEvents(memory, null),
    ...(tokens ? [{ what: 'usage', tokens, calls: 1 } as const] : []),
    isStopped ? { what: 'stops' } : { what: 'ends' },
    remembers({ is_prompted: false, user: null, echo: null }),
  ];
}

/** Returns the events of the user's answer to a permission; a call that they refused has that as its result. */
function permissionAnswerEvents(context: RecordContext, request: Pending, rpc: Rpc): RecordEvent[] {
  if (request['is_side'] === true) return [];
  const answer = objectOf(rpc.message['result']) ?? {};
  const outcome = objectOf(answer['outcome']);
  const options = Array.isArray(request['options']) ? request['options'] : [];
  const option = options.map(objectOf).find((one) => one?.['id'] === outcome?.['optionId']);
  if (outcome?.['outcome'] !== 'selected' || !option) return [{ what: 'answers', text: null }];
  const name = textOf(option['name']) ?? '';
  const answers: RecordEvent = { what: 'answers', text: name };
  if (!/^(reject|deny)/.test(textOf(option['kind']) ?? '')) return [answers];
  const callId = idOf(request['call']) ?? '';
  const text = `The user refused: ${name}`;
  const line = lineOf(context.record, answer);
  const result = { callId, content: text, text, failed: true, structured: undefined };
  return [answers, { what: 'result', result, line }, { what: 'closes' }];
}

/** Returns the events of the answer to a request. */
export function answerEvents(context: RecordContext, request: Pending, rpc: Rpc, memory: JsonObject): RecordEvent[] {
  const result = objectOf(rpc.message['result']);
  const path = textOf(request['path']);
  switch (request.method) {
    case 'initialize':
      return [{ what: 'session', about: { agent_version: idOf(objectOf(result?.['agentInfo'])?.['version']) } }];
    case 'session/new':
      return result ? beginEvents(memory, result) : [];
    case 'session/load':
      return [...modelEvents(request, rpc), ...loadedEvents(memory, request)];
    case 'session/resume':
    case 'session/set_model':
    case 'session/set_config_option':
      return modelEvents(request, rpc);
    case 'session/prompt':
      return turnEvents(memory, request, rpc);
    case 'session/request_permission':
      return permissionAnswerEvents(context, request, rpc);
    case 'terminal/create': {
      const id = textOf(result?.['terminalId']);
      return id === undefined ? [] : [remembers(openTerminal(memory, id, textOf(request['command']) ?? ''))];
    }
    case 'terminal/output':
    case 'terminal/wait_for_exit':
      return result ? [remembers(updateTerminal(memory, textOf(request['terminal']) ?? '', result))] : [];
  }
  // A file that could not be read or written has an error instead.
  if (rpc.message['error'] !== undefined) return [];
  const text = request['is_whole'] === true ? textOf(result?.['content']) : undefined;
  const reads = request.method === 'fs/read_text_file' ? recordRead(path, context.cwd, text) : [];
  const writes =
    request.method === 'fs/write_text_file' ? recordWrite(path, context.cwd, textOf(request['content'])) : [];
  const records = [...reads, ...writes];
  return records.length > 0
    ? [{ what: 'records', records }, remembers(withGiven(memory, records, { text: request['text'] }))]
    : [];
}
