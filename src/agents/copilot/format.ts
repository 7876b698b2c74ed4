/** The log of events of Copilot CLI: its records, and what each says. */

import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { idOf } from '../shared/fields.ts';
import type { Result } from '../shared/parts.ts';
import type { PlainAgent, RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';
import {
  assistantEvents,
  resultEvents,
  shutdownEvents,
  startEvents,
  summaryEvents,
  systemEvents,
  userEvents,
} from './events.ts';

/** Names of events, by the part before the dot. */
const EVENT = /^(session|user|assistant|tool|hook|subagent|skill|system)\.[a-z_]+$/;

/** Returns whether a record is an event, by its envelope. */
export function isOurs(record: JsonObject): boolean {
  const isEvent = EVENT.test(textOf(record['type']) ?? '') && isObject(record['data']) && 'parentId' in record;
  return isEvent && typeof record['id'] === 'string' && typeof record['timestamp'] === 'string';
}

/** Returns whether an event replaces everything before it by a summary. */
function isCompaction(record: JsonObject): boolean {
  const isDone = record['type'] === 'session.compaction_complete' && objectOf(record['data'])?.['success'] !== false;
  return isDone && typeof objectOf(record['data'])?.['summaryContent'] === 'string';
}

function eventsOf(context: RecordContext): RecordEvent[] {
  const { record } = context;
  const data = objectOf(record['data']);
  if (!data) return [];
  switch (record['type']) {
    case 'session.start':
    case 'session.resume':
      return startEvents(data);
    case 'session.model_change':
      return [{ what: 'session', about: { model: idOf(data['newModel']) } }];
    case 'session.title_changed':
      return [{ what: 'session', about: { title: textOf(data['title']) } }];
    case 'session.compaction_complete':
      return isCompaction(record) ? summaryEvents(context, data) : [];
    case 'session.shutdown':
      return shutdownEvents(context, data);
    case 'session.error':
    case 'abort':
      return [{ what: 'stops' }, { what: 'remembers', memory: { is_working: false } }];
    case 'user.message':
      return userEvents(context, data);
    case 'assistant.message':
      return assistantEvents(context, data);
    case 'tool.execution_complete':
      return resultEvents(context, data);
    case 'system.message':
      return systemEvents(context, data);
    default:
      return [];
  }
}

/** The end of the output of a command that has ended. */
const EXIT = /\n?<(?:exited with exit code|command exited with code) (-?\d{1,9})>\s*$/;

/** Returns the record of an editor's action, by its command and input. */
function edited(command: string | undefined, input: JsonObject, cwd: string | undefined): ToolRecord[] {
  const path = textOf(input['path']);
  if (command === 'view') return recordRead(path, cwd);
  if (command === 'create') return recordWrite(path, cwd, textOf(input['file_text']));
  return ['edit', 'str_replace', 'insert'].includes(command ?? '') ? recordWrite(path, cwd) : [];
}

/** Returns the records of a call with its result. `cwd` is the folder that the agent worked in. */
export function derive(name: string, given: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(given) ?? {};
  if (name === 'bash' || name === 'powershell') {
    const exit = EXIT.exec(result.text);
    // Without an exit code, a failed call may not have run at all.
    if (result.failed && !exit) return [];
    const output = result.text.slice(0, exit?.index);
    return recordCommand(textOf(input['command']), exit ? Number(exit[1]) : null, output);
  }
  if (result.failed) return [];
  if (name === 'update_todo') {
    const content = textOf(input['todos']);
    return content ? [{ body: { kind: 'plan', content } }] : [];
  }
  return edited(name === 'str_replace_editor' ? textOf(input['command']) : name, input, cwd);
}

export const copilotFormat: PlainAgent = {
  name: 'copilot',
  shape: { beginnings: /\{"type":\s?"/g, isWhole: isOurs },
  typeOf: (record) => textOf(record['type']) ?? 'unknown',
  timeOf: (record) => record['timestamp'],
  ownId: (record) => (isObject(record['data']) ? idOf(record['id']) : undefined),
  positionOf: ({ record }) => {
    const id = idOf(record['id']);
    const parent = record['parentId'] === null ? null : idOf(record['parentId']);
    // A record that is no event has no position of its own.
    if (id === undefined || !isObject(record['data'])) return {};
    return { id, parent, ...(isCompaction(record) ? { keeps: null } : {}) };
  },
  eventsOf,
  derive,
};
