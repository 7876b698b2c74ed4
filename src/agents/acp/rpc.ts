/** A message of JSON-RPC on its line: bare, or wrapped by a recorder with its direction and its time. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine, readValue } from '../shared/lines.ts';

/** The sender of a message; null if the recording does not name it. */
export type Side = 'client' | 'agent' | null;

/** A message of JSON-RPC. */
export interface Rpc {
  from: Side;
  message: JsonObject;
  method: string | undefined;
  params: JsonObject;
}

/** Returns the key at which a recorder puts the message. */
const placeOf = (record: JsonObject): 'raw' | 'message' => ((record['raw'] ?? null) === null ? 'message' : 'raw');

/** Returns whether a text was meant as a message; an agent may write other words in place of one. */
const isMessageText = (text: string): boolean => /^\s*\{\s*"/.test(text);

function inner(record: JsonObject): JsonObject | undefined {
  if (record['jsonrpc'] === '2.0') return record;
  const raw = record[placeOf(record)];
  return objectOf(typeof raw === 'string' && isMessageText(raw) ? readValue(raw) : raw);
}

/** Reads a recorded text that is no single message: several, or one that is cut off. */
function insideOf(record: JsonObject): LineRead | null {
  const place = placeOf(record);
  const text = record[place];
  if (record['jsonrpc'] === '2.0' || typeof text !== 'string' || !isMessageText(text)) return null;
  const { records, problem, rest } = readLine(text, bareShape);
  if (problem === null) return null;
  return {
    records: records.map((message) => ({ ...record, [place]: JSON.stringify(message) })),
    problem: `its ${place} ${problem}`,
    rest: rest === null ? null : JSON.stringify({ ...record, [place]: rest }),
  };
}

function sideOf(record: JsonObject): Side {
  const direction = textOf(record['dir']) ?? textOf(record['direction']) ?? '';
  return /^client\b/.test(direction) ? 'client' : /^agent\b/.test(direction) ? 'agent' : null;
}

/** Returns the message in a record; null if there is none. */
export function rpcOf(record: JsonObject): Rpc | null {
  const message = inner(record);
  if (message?.['jsonrpc'] !== '2.0') return null;
  return {
    from: sideOf(record),
    message,
    method: textOf(message['method']),
    params: objectOf(message['params']) ?? {},
  };
}

const isWhole = (record: JsonObject): boolean => rpcOf(record) !== null;

/** The shape of a message without anything around it. */
const bareShape: RecordShape = { beginnings: /\{"jsonrpc":/g, isWhole };

/** The shape of a line of a recording. */
export const acpShape: RecordShape = {
  beginnings: /\{"(?:dir|direction|ts|jsonrpc)":/g,
  isWhole,
  inside: insideOf,
};

/** Returns whether a message can only be one of the Agent Client Protocol: other protocols use JSON-RPC, too. */
export function isOurs(record: JsonObject): boolean {
  const rpc = rpcOf(record);
  if (rpc?.method === 'initialize') return numberOf(rpc.params['protocolVersion']) !== undefined;
  return /^session\/(new|load|prompt|update|request_permission)$/.test(rpc?.method ?? '') && rpc !== null;
}

/** Returns the type by which a raw message is counted, such as `session/update/plan`. */
export function typeOf(record: JsonObject): string {
  const rpc = rpcOf(record);
  if (!rpc) return 'unknown';
  if (rpc.method === undefined) return isObject(rpc.message['error']) ? 'error' : 'result';
  const update = textOf(objectOf(rpc.params['update'])?.['sessionUpdate']);
  return update === undefined ? rpc.method : `${rpc.method}/${update}`;
}

/** A request that waits for its answer, with what to remember until then. */
export type Pending = { id: string; from: Side; method: string; [key: string]: JsonValue };

/** The number of requests that are remembered; a prompt waits the longest, and with its answer the turn ends. */
const LIMIT = 64;
const isPrompt = ({ method }: Pending): boolean => method === 'session/prompt';

/** Returns the requests that wait, from the memory. */
function pendingOf(memory: JsonObject): Pending[] {
  const list = Array.isArray(memory['pending']) ? memory['pending'] : [];
  return list.flatMap((item) => {
    const isWhole = isObject(item) && typeof item['id'] === 'string' && typeof item['method'] === 'string';
    return isWhole ? [item as Pending] : [];
  });
}

/** Returns the memory with another request that waits; a notification has no answer. */
export function withPending(memory: JsonObject, rpc: Rpc, fields: JsonObject = {}): JsonObject {
  const id = rpc.message['id'];
  if (id === undefined || id === null || rpc.method === undefined) return {};
  const one = { ...fields, id: String(id), from: rpc.from, method: rpc.method } as Pending;
  const all = [...pendingOf(memory), one];
  const others = new Set(all.filter((each) => !isPrompt(each)).slice(-LIMIT));
  const prompts = new Set(all.filter(isPrompt).slice(-LIMIT));
  return { pending: all.filter((each) => others.has(each) || prompts.has(each)) };
}

/** Returns the request that a message answers, and the memory without it; null if there is none. */
export function answered(memory: JsonObject, rpc: Rpc): { request: Pending; memory: JsonObject } | null {
  const all = pendingOf(memory);
  const id = String(rpc.message['id']);
  // Both sides number their requests from 0.
  const request = all.findLast((one) => one.id === id && (rpc.from === null || one.from !== rpc.from));
  return request ? { request, memory: { pending: all.filter((one) => one !== request) } } : null;
}
