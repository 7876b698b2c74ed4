/** The events of the agent's updates while it works on a prompt: pieces of words, thoughts, calls of tools and their results. */

import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { secretFileIn } from '../../secrets/index.ts';
import { blockParts, callPart, textIn, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import type { RecordContext, RecordEvent, RecordMessage } from '../shared/plain-agent.ts';
import { planRecord } from '../shared/tool-records.ts';
import { showTerminals } from './call-records.ts';
import { compactionEvents, summaryPiece } from './compactions.ts';
import { windowEvents } from './usage.ts';

/** Returns the current model; undefined if there is none. */
export function modelIn(fields: JsonObject | undefined): string | undefined {
  const options = Array.isArray(fields?.['configOptions']) ? fields['configOptions'].map(objectOf) : [];
  const chosen = options.find((option) => option?.['category'] === 'model');
  return idOf(chosen?.['currentValue']) ?? idOf(objectOf(fields?.['models'])?.['currentModelId']);
}

const BLOCKS = { call: 'tool_use', input: 'input' };

/** Returns what is kept of a message's line: its time, and its fields beside the parts. */
export function lineOf(record: JsonObject, rest: JsonObject, params: JsonObject = {}): JsonObject {
  const line = without(record, 'raw', 'message', 'jsonrpc', 'method', 'params');
  const around = without(params, 'sessionId', 'update', 'prompt');
  const item = Object.keys(around).length > 0 ? { ...rest, params: around } : rest;
  return Object.keys(item).length > 0 ? { ...line, item } : line;
}

/** Returns the parts of a prompt, or of one piece of a message. */
export function partsOf(content: JsonValue | undefined, id: string): RecordMessage['parts'] {
  return blockParts(isObject(content) ? [content] : content, BLOCKS, id);
}

/** Returns the metadata of messages of another session than the first of a recording. */
export function sideOf(memory: JsonObject, params: JsonObject): JsonObject {
  const session = idOf(params['sessionId']);
  const isOther = session !== undefined && memory['session'] !== undefined && memory['session'] !== session;
  return isOther ? { is_sidechain: true, agent_id: session } : {};
}

/** Returns the parts of a piece and its other fields: of a text all but its words, which may continue in another piece. */
function pieceOf(update: JsonObject, id: string): { parts: RecordMessage['parts']; rest: JsonObject } {
  const rest = without(update, 'sessionUpdate', 'content');
  const content = objectOf(update['content']);
  const text = content?.['type'] === 'text' ? textOf(content['text']) : undefined;
  if (!content || text === undefined) return { parts: partsOf(update['content'], id), rest };
  const beside = without(content, 'type', 'text');
  const parts = [{ type: 'text', text } as const];
  return { parts, rest: Object.keys(beside).length > 0 ? { ...rest, content: beside } : rest };
}

/** Returns the events of a piece of the agent's words or thoughts. */
function pieceEvents(
  { record, id, memory }: RecordContext,
  update: JsonObject,
  params: JsonObject,
  isThought: boolean,
): RecordEvent[] {
  const message = idOf(update['messageId']);
  const { parts: pieces, rest } = pieceOf(update, id);
  const parts = pieces.map((part) =>
    isThought && part.type === 'text' ? { ...part, type: 'reasoning' as const, text: String(part['text']) } : part,
  );
  const line = lineOf(record, rest, params);
  const said: RecordEvent = {
    ...{ what: 'message', role: 'assistant', parts, line, metadata: sideOf(memory, params) },
    ...{ joins: true, glued: true, isOver: false },
  } as const;
  if (message === undefined || memory['message'] === message) return [said];
  return [{ what: 'closes' }, said, { what: 'remembers', memory: { message } }];
}

/** Returns the events of a piece of the user's words, from a session that is loaded; during a prompt, it only repeats the prompt. */
function userPieceEvents({ record, id, memory }: RecordContext, update: JsonObject, params: JsonObject): RecordEvent[] {
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
  // In a session that is loaded, the user's next words show that the turn was over.
  const ends: RecordEvent[] = memory['user'] === null ? [{ what: 'ends' }] : [];
  return [...ends, { ...base, id, prompt: text }, { what: 'remembers', memory: { user: id } }];
}

function textsIn(content: JsonValue | undefined): string {
  const items = Array.isArray(content) ? content : [];
  return items.flatMap((item) => textOf(objectOf(objectOf(item)?.['content'])?.['text']) ?? []).join('\n');
}

/** Returns whether a call is over, by its state. */
const isOver = (update: JsonObject): boolean => update['status'] === 'completed' || update['status'] === 'failed';

/** Returns a record of an interim result with its message parsed, so that texts that continue can be found in it. */
export function openedInterim(record: JsonObject, message: JsonObject, params: JsonObject): JsonObject {
  const update = objectOf(params['update']);
  const isInterim = update?.['sessionUpdate'] === 'tool_call_update' && !isOver(update);
  return isInterim && typeof record['raw'] === 'string' ? { ...without(record, 'raw'), message } : record;
}

/** Returns the output of a call, each item with the path if the update names a file known to hold secrets as its location. */
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

function resultEvents(record: JsonObject, update: JsonObject, params: JsonObject): RecordEvent[] {
  const callId = idOf(update['toolCallId']);
  if (callId === undefined || !isOver(update)) return [];
  const { raw, content } = given(update);
  const words = textsIn(content) || (typeof raw === 'string' ? raw : textOf(objectOf(raw)?.['output']));
  const text = words ?? (raw === undefined ? '' : JSON.stringify(raw));
  const failed = update['status'] === 'failed';
  const structured = content === undefined ? undefined : raw;
  const rest = without(update, 'sessionUpdate', 'toolCallId', 'status', 'content', 'rawOutput');
  const line = lineOf(record, rest, params);
  return [
    { what: 'result', result: { callId, content: content ?? raw, text, failed, structured }, line },
    { what: 'closes' },
  ];
}

/** The number of calls that are remembered as named. */
const NAMED_LIMIT = 64;

const namedCalls = (memory: JsonObject): string[] =>
  (Array.isArray(memory['named']) ? memory['named'] : []).flatMap((id) => idOf(id) ?? []);

/** Returns the events of a call that a permission, or an update of it, names before any update has announced it; none for another one. */
export function announcedCall(context: RecordContext, call: JsonObject, params: JsonObject): RecordEvent[] {
  const id = idOf(call['toolCallId']);
  const isNamed = id === undefined || namedCalls(context.memory).includes(id);
  const isDescribed = textOf(call['title']) !== undefined || textOf(call['kind']) !== undefined;
  if (isNamed || !isDescribed || 'is_sidechain' in sideOf(context.memory, params)) return [];
  const { status: _, content: _content, rawOutput: _output, sessionUpdate: _kind, ...begun } = call;
  return callEvents(context, begun, params);
}

function callEvents({ record, memory }: RecordContext, update: JsonObject, params: JsonObject): RecordEvent[] {
  const callId = idOf(update['toolCallId']);
  if (callId === undefined) return [];
  const named = [...namedCalls(memory).filter((id) => id !== callId), callId].slice(-NAMED_LIMIT);
  const kind = textOf(update['kind']) ?? 'other';
  const rest = without(update, 'sessionUpdate', 'toolCallId', 'kind', 'rawInput', 'status', 'rawOutput');
  const parts = [{ ...rest, ...callPart(callId, kind, update['rawInput']) }];
  const line = lineOf(record, {}, params);
  const metadata = sideOf(memory, params);
  return [
    { what: 'message', role: 'assistant', parts, line, metadata, joins: true },
    { what: 'remembers', memory: { named } },
    ...resultEvents(record, update, params),
  ];
}

/** Returns the event for the terminals that a call shows, by its content. */
function terminalEvents({ memory }: RecordContext, update: JsonObject): RecordEvent[] {
  const callId = idOf(update['toolCallId']);
  return callId === undefined ? [] : [{ what: 'remembers', memory: showTerminals(memory, callId, update['content']) }];
}

function planEvents(update: JsonObject): RecordEvent[] {
  const entries = (Array.isArray(update['entries']) ? update['entries'] : []).flatMap((entry) => {
    const text = textOf(objectOf(entry)?.['content']);
    return text === undefined ? [] : [{ text, status: objectOf(entry)?.['status'] }];
  });
  return [{ what: 'records', records: planRecord(entries) }];
}

/** Returns the events of a `session/update`. One of a session that nobody has opened leaves the state of the recording's own unchanged. */
export function updateEvents(context: RecordContext, params: JsonObject): RecordEvent[] {
  const events = ownUpdateEvents(context, params);
  const session = idOf(sideOf(context.memory, params)['agent_id']);
  if (session === undefined) return events;
  const said = events.filter(({ what }) => what !== 'closes' && what !== 'remembers');
  return said.some(({ what }) => what === 'message' || what === 'result')
    ? sideEvents(context, session, params, said)
    : said;
}

/** The number of other sessions whose current message is remembered. */
const ASIDES_LIMIT = 8;

/** Returns the events of another session: its pieces are one message until something is done between them. */
function sideEvents(
  { id: own, memory }: RecordContext,
  session: string,
  params: JsonObject,
  said: RecordEvent[],
): RecordEvent[] {
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
    ...said.map((event) => (isPiece && event.what === 'message' ? { ...event, id } : event)),
    { what: 'remembers', memory: { asides } },
  ];
}

function ownUpdateEvents(context: RecordContext, params: JsonObject): RecordEvent[] {
  const update = objectOf(params['update']);
  const session = idOf(params['sessionId']);
  if (!update || (session !== undefined && session === context.memory['retold'])) return [];
  // The agent's update ends the user's message.
  const spoke: RecordEvent = { what: 'remembers', memory: { user: null, echo: null } };
  switch (update['sessionUpdate']) {
    case 'user_message_chunk':
      return userPieceEvents(context, update, params);
    case 'agent_message_chunk':
      return [...pieceEvents(context, update, params, false), spoke];
    case 'agent_thought_chunk':
      return [...pieceEvents(context, update, params, true), spoke];
    case 'tool_call':
      return [...callEvents(context, update, params), ...terminalEvents(context, update), spoke];
    case 'tool_call_update':
      return [
        ...announcedCall(context, update, params),
        ...terminalEvents(context, update),
        ...resultEvents(context.record, update, params),
      ];
    case 'plan':
      return planEvents(update);
    case 'compaction_summary_chunk':
      return summaryPiece(context, update);
    case 'compaction_update':
      return compactionEvents(context, update, lineOf(context.record, {}, params));
    case 'usage_update':
      return 'is_sidechain' in sideOf(context.memory, params) ? [] : windowEvents(context.memory, update);
    case 'session_info_update':
    case 'config_option_update':
      return 'is_sidechain' in sideOf(context.memory, params)
        ? []
        : [{ what: 'session', about: { title: textOf(update['title']), model: modelIn(update) } }];
    default:
      return [];
  }
}
