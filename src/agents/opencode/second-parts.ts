/** Converts the parts of a message of opencode 2 to parts of ctx: words, files and mentions, and the content of an answer. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callPart, textIn, without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import { type ToolPart, withResult } from '../shared/parts.ts';
import type { VersionPart } from '../shared/versions/dialect.ts';
import { distinctKeys } from '../shared/versions/distinct.ts';
import { incompleteInput } from './incomplete-input.ts';

/** Returns whether a message was written by opencode 1, which gives each part an id, by the keys of its parts; undefined without parts. */
export function isFirstByKeys(keys: Iterable<string>): boolean | undefined {
  const all = [...keys];
  return all.length === 0 ? undefined : all.some((key) => key.startsWith('prt_'));
}

/** Returns a part whose position is its id, so that a later version of it replaces it. */
const placed = (key: string, part: Part): VersionPart => ({ key, part: { ...part, id: key } });

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** Returns a file of a prompt, or of a tool's output: by its address, or with its content. */
function filePart(value: JsonValue): Part {
  const file = objectOf(value) ?? {};
  const mediaType = textOf(file['mime']) ?? 'application/octet-stream';
  const data = textOf(file['data']);
  const inline = data === undefined || data === '' ? undefined : `data:${mediaType};base64,${data}`;
  const url = textOf(file['uri']) ?? textOf(file['url']) ?? (data?.startsWith('data:') ? data : inline);
  if (url === undefined) return { type: 'data-file', data: value };
  const rest = without(file, 'type', 'mime', 'uri', 'url', 'data', 'name');
  const filename = textOf(file['name']);
  return { ...rest, type: 'file', mediaType, url, ...(filename === undefined ? {} : { filename }) };
}

/** Returns the parts of a prompt: its words, and the files, agents and skills that it names. */
export function promptParts(message: JsonObject): VersionPart[] {
  const text = textOf(message['text']) ?? '';
  const words = text === '' ? [] : [wordsPart(text)];
  const files = listOf(message['files']).map((file, index) => placed(`file/${index}`, filePart(file)));
  const named = (list: string, type: string): VersionPart[] =>
    listOf(message[list]).map((data, index) => placed(`${type}/${index}`, { type: `data-${type}`, data }));
  return [...words, ...files, ...named('agents', 'agent'), ...named('skills', 'skill')];
}

/** Returns the output of a tool: a single text as a text, everything else as its blocks. */
function givenIn(content: JsonValue | undefined): JsonValue | undefined {
  const [only, ...others] = listOf(content);
  const text =
    others.length === 0 && objectOf(only)?.['type'] === 'text' ? textOf(objectOf(only)?.['text']) : undefined;
  return text ?? content;
}

const textOfGiven = (content: JsonValue | undefined): string =>
  typeof content === 'string' ? content : Array.isArray(content) ? textIn(content) : JSON.stringify(content ?? null);

/** Returns a call and its result. The first versions write `structured` for `metadata`. */
function secondCall(call: JsonObject, key: string): VersionPart {
  const state = objectOf(call['state']) ?? {};
  const id = idOf(call['id']) ?? key;
  const status = textOf(state['status']) ?? '';
  const written = typeof state['input'] === 'string' ? state['input'] : undefined;
  const structured = state['metadata'] ?? state['structured'];
  const part: ToolPart = {
    ...without(call, 'type', 'id', 'name', 'state'),
    ...without(state, 'status', 'input', 'content', 'metadata', 'structured', 'error', 'result'),
    ...callPart(id, textOf(call['name']) ?? 'unknown', written === undefined ? state['input'] : {}),
  };
  const at = secondsOf(objectOf(call['time'])?.['completed']);
  const given = givenIn(state['content']) ?? state['result'];
  if (status === 'completed') {
    const result = {
      callId: id,
      content: given,
      text: textOfGiven(given),
      failed: false,
      structured: plain(structured),
    };
    return { key, part: withResult(part, result, at ?? 0), at };
  }
  if (status === 'error') {
    const error = state['error'];
    const text =
      textOf(objectOf(error)?.['message']) ?? (typeof error === 'string' ? error : JSON.stringify(error ?? null));
    const shown = given === undefined ? {} : { output: textOfGiven(given) };
    const account = { ...objectOf(structured), ...shown, ...(objectOf(error) ? { error } : {}) };
    const result = { callId: id, content: text, text, failed: true, structured: plain(account) };
    return { key, part: withResult(part, result, at ?? 0), at };
  }
  const output = given === undefined ? '' : textOfGiven(given);
  const soFar = without({ output: output || undefined, result: plain(structured), ...incompleteInput(written ?? '') });
  return { key, part: Object.keys(soFar).length === 0 ? part : { ...part, ...soFar, preliminary: true } };
}

/** Returns the structured result of a tool; undefined if it is empty. */
const plain = (structured: JsonValue | undefined): JsonValue | undefined =>
  Object.keys(objectOf(structured) ?? {}).length === 0 ? undefined : structured;

function contentPart(value: JsonValue, key: string): VersionPart {
  const item = objectOf(value);
  const type = textOf(item?.['type']) ?? 'unknown';
  if (!item) return placed(key, { type: 'data-unknown', data: value });
  if (type === 'tool') return secondCall(item, idOf(item['id']) ?? key);
  const text = textOf(item['text']);
  if (text !== undefined && (type === 'text' || type === 'reasoning')) return placed(key, { ...item, type, text });
  if (type === 'file') return placed(key, filePart(item));
  return placed(key, { type: `data-${type}`, data: without(item, 'type') });
}

/** Returns the parts of an answer. New parts are added at its end, so that a position identifies a part without an id. */
export function answerParts(content: JsonValue | undefined): VersionPart[] {
  return distinctKeys(listOf(content).map((item, index) => contentPart(item, `content/${index}`)));
}

/** Returns a text as a part. */
export const wordsPart = (text: string): VersionPart => placed('text', { type: 'text', text });

/** Returns a command that the user has run, as the call of a tool. */
export function shellPart(message: JsonObject, key: string): VersionPart {
  const output = message['output'];
  const shown = textOf(objectOf(output)?.['output']) ?? textOf(output) ?? '';
  const exit = message['exit'] === undefined ? {} : { exit: message['exit'] };
  const isRunning = objectOf(message['time'])?.['completed'] === undefined && message['status'] !== 'completed';
  const state: JsonObject = isRunning
    ? { status: 'running', input: { command: message['command'] ?? null }, ...(shown === '' ? {} : { content: shown }) }
    : { status: 'completed', input: { command: message['command'] ?? null }, content: shown, metadata: exit };
  const id = idOf(message['shellID']) ?? idOf(message['callID']) ?? key;
  return secondCall({ type: 'tool', id, name: 'shell', state, time: message['time'] ?? {} }, id);
}
