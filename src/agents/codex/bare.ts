/** Rollouts from before September 2025: a header, then items of the API as they are, and a state between them; no times. */
import { isObject, type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { DocumentBytes, Unfolded } from '../contract/agent.ts';
import {
  documentOf,
  elementsOf,
  fieldOf,
  fieldsOf,
  isLines,
  readDocument,
  unfolded,
} from '../shared/document/document.ts';
import { textIn } from './items.ts';

/** Items that name their call. */
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

/** The type that a record without an envelope has within one; null where it is no such record. */
export function bareTypeOf(record: JsonObject): 'session_meta' | 'response_item' | 'state' | null {
  if ('payload' in record) return null;
  if (isHeader(record)) return 'session_meta';
  if (isItem(record)) return 'response_item';
  return record['record_type'] === 'state' ? 'state' : null;
}

const FOLDER = /^\s*<environment_context>[\s\S]*?(?:<cwd>([^<\n]+)<\/cwd>|\nCurrent working directory: ([^\n]+))/;

/** The folder that Codex tells the model it works in, where an item tells that. */
export function folderIn(item: JsonObject): string | undefined {
  const [, tagged, named] = FOLDER.exec(item['role'] === 'user' ? textIn(item['content']) : '') ?? [];
  return (tagged ?? named)?.trim();
}

/** The lines of a rollout that is one document, `{session, items}`; null where it is made of lines. */
export function unfoldRollout(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'items');
  if (!document?.hasList || isLines(document)) return null;
  const head = Object.entries(fieldsOf(document)).map(([name, value]) =>
    JSON.stringify(name === 'session' && isObject(value) ? value : { [name]: value }),
  );
  return unfolded(document, head, () => elementsOf(document));
}

/** Whether a text begins a rollout that is one document. */
export function isRolloutDocument(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'items');
  return document?.hasList === true && isHeader(objectOf(fieldOf(document, 'session')) ?? {});
}
