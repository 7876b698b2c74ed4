/** Converts contents, thoughts and calls of a message of Gemini CLI to parts. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callPart, without } from '../shared/blocks.ts';
import { idOf, timeOf } from '../shared/fields.ts';
import { type Result, type ToolPart, withResult } from '../shared/parts.ts';
import type { VersionPart } from '../shared/versions/dialect.ts';
import { distinctKeys } from '../shared/versions/distinct.ts';
import { withoutGuard } from './guard.ts';
import { contentOf, withoutContext } from './user-words.ts';

function filePart(element: JsonObject): Part | null {
  const inline = objectOf(element['inlineData']);
  const file = objectOf(element['fileData']);
  const mediaType = textOf(inline?.['mimeType']) ?? textOf(file?.['mimeType']) ?? 'application/octet-stream';
  const data = textOf(inline?.['data']);
  const url = data === undefined ? textOf(file?.['fileUri']) : `data:${mediaType};base64,${data}`;
  return url === undefined ? null : { type: 'file', mediaType, url };
}

function openCall(call: JsonObject, id: string): ToolPart {
  const agent = idOf(call['agentId']);
  const part = callPart(id, textOf(call['name']) ?? 'unknown', call['args']);
  return agent === undefined ? part : { ...part, agent_id: agent };
}

/** Returns the words of a text: of a user's without the guard, or without the texts of hooks before it. */
function wordsOf(text: string, isUsers: boolean): string {
  if (!isUsers) return text;
  const unguarded = withoutGuard(text);
  // A guarded text begins with the user's words, whatever they look like.
  return unguarded === text ? withoutContext(text) : unguarded;
}

/** Returns an element of a content as a part; null if it is empty, or contained elsewhere. */
function contentPart(element: JsonValue, calls: ReadonlySet<string>, isUsers: boolean): Part | ToolPart | null {
  if (!isObject(element)) return { type: 'data-unknown', data: element };
  const text = textOf(element['text']);
  if (text !== undefined) {
    const said = wordsOf(text, isUsers);
    if (said === '') return null;
    return element['thought'] === true ? { type: 'reasoning', text: said } : { type: 'text', text: said };
  }
  if (isObject(element['functionResponse'])) return null;
  const call = objectOf(element['functionCall']);
  const id = idOf(call?.['id']);
  if (call && id !== undefined) return calls.has(id) ? null : openCall(call, id);
  return filePart(element) ?? { type: 'data-unknown', data: element };
}

function thoughtPart(thought: JsonValue): Part {
  const fields = objectOf(thought);
  const subject = textOf(fields?.['subject']) ?? '';
  const description = textOf(fields?.['description']) ?? '';
  if (!fields || (subject === '' && description === '')) return { type: 'data-thought', data: thought };
  return {
    // The time of a thought is kept with the line.
    ...without(fields, 'subject', 'description', 'timestamp'),
    type: 'reasoning',
    text: [subject && `**${subject}**`, description].filter((text) => text !== '').join('\n\n'),
  };
}

/** The states of a call that is over; a call with another state still waits. */
const DONE: readonly unknown[] = ['success', 'error', 'cancelled'];

/** Returns the text of a result that is a single response and nothing else. */
function plainResponse(result: JsonValue | undefined): string | undefined {
  const [only, ...others] = Array.isArray(result) ? result : [result];
  const response = objectOf(objectOf(objectOf(only)?.['functionResponse'])?.['response']);
  const [[key, value] = [], ...more] = Object.entries(response ?? {});
  const isPlain = others.length === 0 && more.length === 0 && (key === 'output' || key === 'error');
  return isPlain ? textOf(value) : undefined;
}

/** Returns the texts of responses. */
export function responseTexts(result: JsonValue | undefined): string[] {
  return (Array.isArray(result) ? result : [result]).flatMap((part) => {
    const response = objectOf(objectOf(objectOf(part)?.['functionResponse'])?.['response']);
    return textOf(response?.['output']) ?? textOf(response?.['error']) ?? textOf(objectOf(part)?.['text']) ?? [];
  });
}

function resultOf(result: JsonValue | undefined, callId: string, failed: boolean, display?: JsonValue): Result {
  const plain = plainResponse(result);
  const structured = display === '' ? undefined : display;
  return { callId, content: plain ?? result, text: plain ?? responseTexts(result).join('\n'), failed, structured };
}

function toolPart(call: JsonObject, id: string): VersionPart {
  const part = openCall(call, id);
  if (!DONE.includes(call['status'])) return { key: id, part };
  const at = timeOf(call);
  const result = resultOf(call['result'], id, call['status'] !== 'success', call['resultDisplay']);
  return { key: id, part: withResult(part, result, at ?? 0), at };
}

/** Returns the calls of a message with their ids; a call without an id gets one made of its index. */
export function callsOf(record: JsonObject): [string, JsonObject][] {
  const calls = Array.isArray(record['toolCalls']) ? record['toolCalls'].filter(isObject) : [];
  return calls.map((call, index) => [idOf(call['id']) ?? `${String(record['id'])}/${index}`, call]);
}

/** Returns the parts of a message: thoughts, texts and calls. */
export function partsOf(record: JsonObject): VersionPart[] {
  const calls = callsOf(record);
  const ids = new Set(calls.map(([id]) => id));
  const thoughts = Array.isArray(record['thoughts']) ? record['thoughts'] : [];
  const isUsers = record['type'] === 'user';
  const said = groupsIn(record).map(([element = null]) => contentPart(element, ids, isUsers));
  return distinctKeys([
    ...thoughts.map((thought, index) => ({ key: `thought/${index}`, part: thoughtPart(thought) })),
    ...said.flatMap((part, index): VersionPart[] => {
      if (part === null) return [];
      return [{ key: part.type === 'dynamic-tool' ? String(part['toolCallId']) : `content/${index}`, part }];
    }),
    ...calls.map(([id, call]) => toolPart(call, id)),
  ]);
}

const isFile = (element: JsonValue): boolean =>
  isObject(element) && (isObject(element['inlineData']) || isObject(element['fileData']));

/** Returns the elements of a content; the files of a result are in one group with its response. */
function groupsIn(record: JsonObject): JsonValue[][] {
  const groups: JsonValue[][] = [];
  for (const element of contentOf(record['content'])) {
    const last = groups.at(-1);
    if (last && isFile(element) && isObject(objectOf(last[0])?.['functionResponse'])) last.push(element);
    else groups.push([element]);
  }
  return groups;
}

/** Returns the results in a message of their own. */
export function resultsIn(record: JsonObject): Result[] {
  return groupsIn(record).flatMap((group) => {
    const [element] = group;
    const response = objectOf(objectOf(element)?.['functionResponse']);
    const id = idOf(response?.['id']);
    if (!response || id === undefined) return [];
    const failed = isObject(response['response']) && 'error' in response['response'];
    // Gemini CLI keeps what it showed of a result with the call, ctx with the response.
    return [resultOf(group, id, failed, objectOf(record['displays'])?.[id])];
  });
}
