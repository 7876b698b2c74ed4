/** Rollouts from before September 2025: a header, then bare items of the API, and states between them; no times. */
import { isObject, type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { DocumentBytes, Unfolded } from '../contract/agent.ts';
import { textIn } from '../shared/blocks.ts';
import {
  documentOf,
  elementsOf,
  fieldOf,
  fieldsOf,
  isLines,
  readDocument,
  unfolded,
} from '../shared/document/document.ts';

/** Items that contain the id of their call. */
const OF_CALLS: readonly unknown[] = [
  'function_call',
  'function_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
];

function isItem(record: JsonObject): boolean {
  const { type, role, content, summary, call_id } = record;
  if (type === 'reasoning') return Array.isArray(summary);
  if (type !== 'message') return OF_CALLS.includes(type) && typeof call_id === 'string';
  const blocks = Array.isArray(content) ? content.map(objectOf) : [];
  return typeof role === 'string' && blocks.some((block) => /^(in|out)put_/.test(textOf(block?.['type']) ?? ''));
}

function isHeader(record: JsonObject): boolean {
  const isDated = typeof record['id'] === 'string' && typeof record['timestamp'] === 'string';
  return isDated && !('type' in record) && ('instructions' in record || 'git' in record);
}

/** Returns the type of a record without an envelope; null if it is no such record. */
export function typeWithoutEnvelope(record: JsonObject): 'session_meta' | 'response_item' | 'state' | null {
  if ('payload' in record) return null;
  if (isHeader(record)) return 'session_meta';
  if (isItem(record)) return 'response_item';
  return record['record_type'] === 'state' ? 'state' : null;
}

const FOLDER = /^\s*<environment_context>[\s\S]*?(?:<cwd>([^<\n]+)<\/cwd>|\nCurrent working directory: ([^\n]+))/;

/** Returns the folder that Codex works in, from an item with its text for the model. */
export function folderIn(item: JsonObject): string | undefined {
  const [, tagged, named] = FOLDER.exec(item['role'] === 'user' ? textIn(item['content']) : '') ?? [];
  return (tagged ?? named)?.trim();
}

/** Returns the lines of a rollout that is one document, `{session, items}`; null if it is made of lines. */
export function unfoldRollout(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'items');
  if (!document?.hasList || isLines(document)) return null;
  const head = Object.entries(fieldsOf(document)).map(([name, value]) =>
    JSON.stringify(name === 'session' && isObject(value) ? value : { [name]: value }),
  );
  return unfolded(document, head, () => elementsOf(document));
}

/** Returns whether a text is the beginning of a rollout that is one document. */
export function isRolloutDocument(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'items');
  return document?.hasList === true && isHeader(objectOf(fieldOf(document, 'session')) ?? {});
}
