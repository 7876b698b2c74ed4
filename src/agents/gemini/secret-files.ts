/** Calls about files that are known to hold secrets: what tells of one apart from what it took, such as its result, gets the path put beside it. */
import { isObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { secretFileIn } from '../../core/redaction/named.ts';
import { idOf } from '../shared/fields.ts';
import { callsOf } from './parts.ts';
import { contentOf } from './said.ts';

/** The messages in a record: itself, or those that it lists. */
function messagesIn(record: JsonObject): JsonObject[] {
  const listed = objectOf(record['$set'])?.['messages'];
  return Array.isArray(listed) ? listed.filter(isObject) : [record];
}

/** The calls of a message, those that stand in its content too. */
function allCallsOf(message: JsonObject): [string, JsonObject][] {
  const said = contentOf(message['content']).flatMap((element): [string, JsonObject][] => {
    const call = objectOf(objectOf(element)?.['functionCall']);
    const id = idOf(call?.['id']);
    return call && id !== undefined ? [[id, call]] : [];
  });
  return [...callsOf(message), ...said];
}

function withFile(element: JsonValue, files: ReadonlyMap<string, string>): JsonValue {
  if (!isObject(element)) return element;
  const response = objectOf(element['functionResponse']);
  const path = files.get(idOf(response?.['id'] ?? element['id']) ?? '');
  if (path === undefined) return element;
  return response ? { ...element, functionResponse: { ...response, path } } : { ...element, path };
}

function messageWith(message: JsonObject, files: ReadonlyMap<string, string>): JsonObject {
  const changed = { ...message };
  for (const key of ['content', 'toolCalls']) {
    const told = message[key];
    if (Array.isArray(told)) changed[key] = told.map((element) => withFile(element, files));
    else if (isObject(told)) changed[key] = withFile(told, files);
  }
  return changed;
}

/** A record with the paths of such files; its own calls about them are added to `files`, which has the path for the id of each. */
export function withFiles(record: JsonObject, files: Map<string, string>): JsonObject {
  for (const [id, call] of messagesIn(record).flatMap(allCallsOf)) {
    const path = secretFileIn(call['args']);
    if (path !== undefined) files.set(id, path);
  }
  if (files.size === 0) return record;
  const change = objectOf(record['$set']);
  const listed = change?.['messages'];
  if (!Array.isArray(listed)) return messageWith(record, files);
  const messages = listed.map((message) => (isObject(message) ? messageWith(message, files) : message));
  return { ...record, $set: { ...change, messages } };
}
