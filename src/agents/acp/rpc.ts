/** A message of JSON-RPC on its line: bare, or as a recorder wrapped it with its direction and its time. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine, readValue } from '../shared/lines.ts';

/** Who sent a message; null where the recording does not tell. */
export type Side = 'client' | 'agent' | null;

export interface Rpc {
  from: Side;
  message: JsonObject;
  method: string | undefined;
  params: JsonObject;
}

/** Where a recorder puts the message. */
const placeOf = (record: JsonObject): 'raw' | 'message' => ((record['raw'] ?? null) === null ? 'message' : 'raw');

/** Whether a text was to be a message; an agent may write other words where a message is awaited. */
const isMessageText = (text: string): boolean => /^\s*\{\s*"/.test(text);

function inner(record: JsonObject): JsonObject | undefined {
  if (record['jsonrpc'] === '2.0') return record;
  const raw = record[placeOf(record)];
  return objectOf(typeof raw === 'string' && isMessageText(raw) ? readValue(raw) : raw);
}

/** Reads what a recorder took down in one go where that is no single message: several, or one that is cut off. */
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

/** The message on a record; null where there is none. */
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

/** What a message without anything around it looks like. */
const bareShape: RecordShape = { beginnings: /\{"jsonrpc":/g, isWhole };

/** What a line of a recording looks like. */
export const acpShape: RecordShape = {
  beginnings: /\{"(?:dir|direction|ts|jsonrpc)":/g,
  isWhole,
  inside: insideOf,
};

/** Whether a message can only be one of the Agent Client Protocol: others speak JSON-RPC too. */
export function isOurs(record: JsonObject): boolean {
  const rpc = rpcOf(record);
  if (rpc?.method === 'initialize') return numberOf(rpc.params['protocolVersion']) !== undefined;
  return /^session\/(new|load|prompt|update|request_permission)$/.test(rpc?.method ?? '') && rpc !== null;
}

/** `session/update/plan`: what a message is counted by where it is kept as it is. */
export function typeOf(record: JsonObject): string {
  const rpc = rpcOf(record);
  if (!rpc) return 'unknown';
  if (rpc.method === undefined) return isObject(rpc.message['error']) ? 'error' : 'result';
  const update = textOf(objectOf(rpc.params['update'])?.['sessionUpdate']);
  return update === undefined ? rpc.method : `${rpc.method}/${update}`;
}

/** A request that waits for its answer, with what must be known then. */
export type Pending = { id: string; from: Side; method: string; [key: string]: JsonValue };

/** Requests that are remembered, the latest; a prompt waits the longest, and with its answer the turn ends. */
const LIMIT = 64;
const isPrompt = ({ method }: Pending): boolean => method === 'session/prompt';

/** The requests that wait, as they were remembered. */
function pendingOf(memory: JsonObject): Pending[] {
  const list = Array.isArray(memory['pending']) ? memory['pending'] : [];
  return list.flatMap((item) => {
    const isWhole = isObject(item) && typeof item['id'] === 'string' && typeof item['method'] === 'string';
    return isWhole ? [item as Pending] : [];
  });
}

/** The requests that wait once this one does too; a notification has no answer. */
export function withPending(memory: JsonObject, rpc: Rpc, told: JsonObject = {}): JsonObject {
  const id = rpc.message['id'];
  if (id === undefined || id === null || rpc.method === undefined) return {};
  const one = { ...told, id: String(id), from: rpc.from, method: rpc.method } as Pending;
  const all = [...pendingOf(memory), one];
  const others = new Set(all.filter((each) => !isPrompt(each)).slice(-LIMIT));
  const prompts = new Set(all.filter(isPrompt).slice(-LIMIT));
  return { pending: all.filter((each) => others.has(each) || prompts.has(each)) };
}

/** The request that a message answers, and those that wait still; null where none is known. */
export function answered(memory: JsonObject, rpc: Rpc): { request: Pending; memory: JsonObject } | null {
  const all = pendingOf(memory);
  const id = String(rpc.message['id']);
  // Both sides count their requests from 0 on.
  const request = all.findLast((one) => one.id === id && (rpc.from === null || one.from !== rpc.from));
  return request ? { request, memory: { pending: all.filter((one) => one !== request) } } : null;
}
