/** What the agent tells while it works on a prompt: words in pieces, thoughts, calls of tools and what became of them. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { secretFileIn } from '../../secrets/index.ts';
import { blockParts, callPart, textIn, without } from '../shared/blocks.ts';
import { planDeed } from '../shared/deeds.ts';
import { idOf } from '../shared/fields.ts';
import type { Heard, Saying, Words } from '../shared/plain-agent.ts';
import { showTerminals } from './deeds.ts';
import { modelIn } from './model.ts';

const BLOCKS = { call: 'tool_use', input: 'input' };

/** What is kept of a message's line: its time, and what its parts do not tell of what it is about, and of what is around that. */
export function lineOf(record: JsonObject, rest: JsonObject, params: JsonObject = {}): JsonObject {
  const line = without(record, 'raw', 'message', 'jsonrpc', 'method', 'params');
  const around = without(params, 'sessionId', 'update', 'prompt');
  const item = Object.keys(around).length > 0 ? { ...rest, params: around } : rest;
  return Object.keys(item).length > 0 ? { ...line, item } : line;
}

/** The parts of a prompt, or of one piece of a message. */
export function partsOf(content: JsonValue | undefined, id: string): Words['parts'] {
  return blockParts(isObject(content) ? [content] : content, BLOCKS, id);
}

/** What marks the messages of another session than the first of a recording. */
export function sideOf(memory: JsonObject, params: JsonObject): JsonObject {
  const session = idOf(params['sessionId']);
  const isOther = session !== undefined && memory['session'] !== undefined && memory['session'] !== session;
  return isOther ? { is_sidechain: true, agent_id: session } : {};
}

/** What a piece of a message tells beside its parts: of a text all but its words, which may go on in the part of another piece. */
function pieceOf(update: JsonObject, id: string): { parts: Words['parts']; rest: JsonObject } {
  const rest = without(update, 'sessionUpdate', 'content');
  const content = objectOf(update['content']);
  const text = content?.['type'] === 'text' ? textOf(content['text']) : undefined;
  if (!content || text === undefined) return { parts: partsOf(update['content'], id), rest };
  const beside = without(content, 'type', 'text');
  const parts = [{ type: 'text', text } as const];
  return { parts, rest: Object.keys(beside).length > 0 ? { ...rest, content: beside } : rest };
}

/** A piece of what the agent says or thinks. */
function piece({ record, id, memory }: Heard, update: JsonObject, params: JsonObject, isThought: boolean): Saying[] {
  const message = idOf(update['messageId']);
  const { parts: told, rest } = pieceOf(update, id);
  const parts = told.map((part) =>
    isThought && part.type === 'text' ? { ...part, type: 'reasoning' as const, text: String(part['text']) } : part,
  );
  const line = lineOf(record, rest, params);
  const said: Saying = {
    ...{ what: 'message', role: 'assistant', parts, line, metadata: sideOf(memory, params) },
    ...{ joins: true, glued: true, isOver: false },
  } as const;
  if (message === undefined || memory['message'] === message) return [said];
  return [{ what: 'closes' }, said, { what: 'remembers', memory: { message } }];
}

/** A piece of what the user said, as a session that is loaded tells it; while a prompt is worked on, it only repeats that. */
function userPiece({ record, id, memory }: Heard, update: JsonObject, params: JsonObject): Saying[] {
  const { parts, rest } = pieceOf(update, id);
  const line = lineOf(record, rest, params);
  const side = sideOf(memory, params);
  const base = { what: 'message', role: 'user', parts, line, glued: true } as const;
  const text = textIn(isObject(update['content']) ? [update['content']] : update['content']);
  if (memory['is_prompted'] === true || text === '' || 'is_sidechain' in side) {
    const own = idOf(memory['echo']) ?? id;
    return [
      { ...base, id: own, metadata: { is_meta: true, ...side } },
      { what: 'remembers', memory: { echo: own } },
    ];
  }
  const before = idOf(memory['user']);
  if (before !== undefined) return [{ ...base, id: before }];
  // In a session that is loaded, what the user said next tells that the agent had come to its end.
  const ends: Saying[] = memory['user'] === null ? [{ what: 'ends' }] : [];
  return [...ends, { ...base, id, prompt: text }, { what: 'remembers', memory: { user: id } }];
}

function textsIn(content: JsonValue | undefined): string {
  const items = Array.isArray(content) ? content : [];
  return items.flatMap((item) => textOf(objectOf(objectOf(item)?.['content'])?.['text']) ?? []).join('\n');
}

/** Whether a call has come to its end, by its state. */
const isOver = (update: JsonObject): boolean => update['status'] === 'completed' || update['status'] === 'failed';

/** A record of what a call has given so far with its message opened: only so can be seen which of its texts go on. */
export function openedInterim(record: JsonObject, message: JsonObject, params: JsonObject): JsonObject {
  const update = objectOf(params['update']);
  const isInterim = update?.['sessionUpdate'] === 'tool_call_update' && !isOver(update);
  return isInterim && typeof record['raw'] === 'string' ? { ...without(record, 'raw'), message } : record;
}

/** What a call gave, each with the path beside it of a file known to hold secrets that the update tells as its place. */
function given(update: JsonObject): { raw: JsonValue | undefined; content: JsonValue[] | undefined } {
  const path = secretFileIn(update['locations'], 'locations');
  const placed = (value: JsonValue): JsonValue => {
    if (path === undefined) return value;
    return isObject(value) ? { ...value, path } : { path, output: value };
  };
  const { rawOutput: raw, content } = update;
  const isTold = Array.isArray(content) && content.length > 0;
  return { raw: raw === undefined ? raw : placed(raw), content: isTold ? content.map(placed) : undefined };
}

function result(record: JsonObject, update: JsonObject, params: JsonObject): Saying[] {
  const callId = idOf(update['toolCallId']);
  if (callId === undefined || !isOver(update)) return [];
  const { raw, content } = given(update);
  const words = textsIn(content) || (typeof raw === 'string' ? raw : textOf(objectOf(raw)?.['output']));
  const text = words ?? (raw === undefined ? '' : JSON.stringify(raw));
  const failed = update['status'] === 'failed';
  const told = content === undefined ? undefined : raw;
  const rest = without(update, 'sessionUpdate', 'toolCallId', 'status', 'content', 'rawOutput');
  const line = lineOf(record, rest, params);
  return [
    { what: 'result', result: { callId, content: content ?? raw, text, failed, told }, line },
    { what: 'closes' },
  ];
}

function call({ record, memory }: Heard, update: JsonObject, params: JsonObject): Saying[] {
  const callId = idOf(update['toolCallId']);
  if (callId === undefined) return [];
  const kind = textOf(update['kind']) ?? 'other';
  const rest = without(update, 'sessionUpdate', 'toolCallId', 'kind', 'rawInput', 'status', 'rawOutput');
  const parts = [{ ...rest, ...callPart(callId, kind, update['rawInput']) }];
  const line = lineOf(record, {}, params);
  const metadata = sideOf(memory, params);
  return [
    { what: 'message', role: 'assistant', parts, line, metadata, joins: true },
    ...result(record, update, params),
  ];
}

/** The terminals that a call shows, by its content. */
function shows({ memory }: Heard, update: JsonObject): Saying[] {
  const callId = idOf(update['toolCallId']);
  return callId === undefined ? [] : [{ what: 'remembers', memory: showTerminals(memory, callId, update['content']) }];
}

function plan(update: JsonObject): Saying[] {
  const entries = (Array.isArray(update['entries']) ? update['entries'] : []).flatMap((entry) => {
    const text = textOf(objectOf(entry)?.['content']);
    return text === undefined ? [] : [{ text, status: objectOf(entry)?.['status'] }];
  });
  return [{ what: 'deeds', deeds: planDeed(entries) }];
}

/** What a `session/update` says. One of a session that nobody has opened leaves the one that is told of as it was. */
export function saysUpdate(heard: Heard, params: JsonObject): Saying[] {
  const sayings = saysOwn(heard, params);
  const session = idOf(sideOf(heard.memory, params)['agent_id']);
  if (session === undefined) return sayings;
  const said = sayings.filter(({ what }) => what !== 'closes' && what !== 'remembers');
  return said.some(({ what }) => what === 'message' || what === 'result') ? aside(heard, session, params, said) : said;
}

/** Sessions beside the recording's own whose message under way is remembered. */
const ASIDES_LIMIT = 8;

/** What is said aside: its pieces are one message up to what is done between them. */
function aside({ id: own, memory }: Heard, session: string, params: JsonObject, said: Saying[]): Saying[] {
  const update = objectOf(params['update']);
  const { [session]: place, ...others } = objectOf(memory['asides']) ?? {};
  const told = idOf(update?.['messageId']) ?? null;
  const before = objectOf(place);
  const isPiece = /^agent_(message|thought)_chunk$/.test(textOf(update?.['sessionUpdate']) ?? '');
  const goesOn = isPiece && (told === null || before?.['told'] === told);
  const id = (goesOn ? idOf(before?.['id']) : undefined) ?? own;
  const kept = Object.entries(others).slice(1 - ASIDES_LIMIT);
  const asides = Object.fromEntries(isPiece ? [...kept, [session, { id, told }]] : kept);
  return [
    ...said.map((saying) => (isPiece && saying.what === 'message' ? { ...saying, id } : saying)),
    { what: 'remembers', memory: { asides } },
  ];
}

function saysOwn(heard: Heard, params: JsonObject): Saying[] {
  const update = objectOf(params['update']);
  const session = idOf(params['sessionId']);
  if (!update || (session !== undefined && session === heard.memory['retold'])) return [];
  // What the agent does ends what the user said.
  const spoke: Saying = { what: 'remembers', memory: { user: null, echo: null } };
  switch (update['sessionUpdate']) {
    case 'user_message_chunk':
      return userPiece(heard, update, params);
    case 'agent_message_chunk':
      return [...piece(heard, update, params, false), spoke];
    case 'agent_thought_chunk':
      return [...piece(heard, update, params, true), spoke];
    case 'tool_call':
      return [...call(heard, update, params), ...shows(heard, update), spoke];
    case 'tool_call_update':
      return [...shows(heard, update), ...result(heard.record, update, params)];
    case 'plan':
      return plan(update);
    case 'session_info_update':
    case 'config_option_update':
      return 'is_sidechain' in sideOf(heard.memory, params)
        ? []
        : [{ what: 'session', about: { title: textOf(update['title']), model: modelIn(update) } }];
    default:
      return [];
  }
}
