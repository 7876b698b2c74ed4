/** The session of Droid: its records, what each says, and what its own tools did. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { blockParts, textIn, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import type { Result, ToolPart } from '../shared/parts.ts';
import { patchedFiles } from '../shared/patch.ts';
import type { PlainAgent, RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { planRecord, recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';
import { DROID_FOREIGN } from './foreign.ts';

const BLOCKS = { call: 'tool_use', input: 'input' };

/** Returns whether a record is the first one of a session. */
function isHeader(record: JsonObject): boolean {
  const isNamed = typeof record['id'] === 'string' && typeof record['cwd'] === 'string';
  return record['type'] === 'session_start' && isNamed && ('owner' in record || 'version' in record);
}

/** Returns whether only Droid writes such a record: its messages look like those of other agents. */
export function isOurs(record: JsonObject): boolean {
  const isSummary = record['type'] === 'compaction_state' && typeof record['summaryText'] === 'string';
  const isOutcome = record['type'] === 'agent_turn_outcome' && typeof record['turnId'] === 'string';
  const isTodo = record['type'] === 'todo_state' && 'todos' in record && typeof record['id'] === 'string';
  return isHeader(record) || isSummary || isOutcome || isTodo;
}

const isWhole = (record: JsonObject): boolean =>
  isOurs(record) ||
  (record['type'] === 'message' && isObject(record['message']) && typeof record['timestamp'] === 'string');

/** Returns what is kept of a record beside the parts of its message. */
function lineOf(record: JsonObject, ...keys: string[]): JsonObject {
  const message = objectOf(record['message']);
  const around = without(record, 'type', 'id', 'message', ...keys);
  return { ...around, ...(message ? { item: without(message, 'role', 'content', ...keys) } : {}) };
}

function startEvents(record: JsonObject): RecordEvent[] {
  const parent = idOf(record['callingSessionId']) ?? idOf(record['parent']);
  const about = {
    agent_session_id: idOf(record['id']),
    cwd: textOf(record['cwd']),
    title: textOf(record['title']),
    parent_agent_session_id: parent,
    parent_tool_call_id: idOf(record['callingToolUseId']),
  };
  return [{ what: 'session', about }];
}

/** Returns whether a message in the user's name is a notice, a hook's output, or sent by a program. */
function isPrograms(message: JsonObject): boolean {
  const source = message['userMessageSource'] ?? 'user';
  return 'visibility' in message || 'hookEventName' in message || !['user', 'human', 'cli'].includes(String(source));
}

/** Returns the results among the blocks of a message, and the other blocks. */
function resultsIn(content: JsonValue | undefined): { results: JsonObject[]; others: JsonValue[] } {
  const blocks = Array.isArray(content) ? content : [];
  const isResult = (block: JsonValue): block is JsonObject =>
    isObject(block) && block['type'] === 'tool_result' && idOf(block['tool_use_id']) !== undefined;
  return { results: blocks.filter(isResult), others: blocks.filter((block) => !isResult(block)) };
}

const resultEvent = (block: JsonObject, line: JsonObject): RecordEvent => {
  const content = block['content'];
  const text = textOf(content) ?? textIn(content);
  const failed = block['is_error'] === true || FAILED.test(text);
  const rest = without(block, 'type', 'tool_use_id', 'content', 'is_error');
  const kept = Object.keys(rest).length > 0 ? { ...line, result: rest } : line;
  return {
    what: 'result',
    result: { callId: idOf(block['tool_use_id']) ?? '', content, text, failed, structured: undefined },
    line: kept,
  };
};

function userEvents({ record, id, memory }: RecordContext, message: JsonObject): RecordEvent[] {
  const { results, others } = resultsIn(message['content']);
  const line = lineOf(record);
  const events = results.map((block) => resultEvent(block, line));
  if (results.length > 0 && others.length === 0) return events;
  const parts = blockParts(results.length > 0 ? others : message['content'], BLOCKS, id);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [String(part['text'])] : []));
  const hasPicture = parts.some(({ type }) => type === 'data-image' || type === 'data-document');
  const prompt = isPrograms(message) ? null : (ownWordsIn(texts, DROID_FOREIGN) ?? (hasPicture ? '[image]' : null));
  const said = { what: 'message', role: 'user', parts, line } as const;
  if (prompt === null) return [...events, { ...said, metadata: { is_meta: true } }];
  return [...events, { ...said, prompt, cutsIn: memory['is_working'] === true }];
}

function assistantEvents({ record, id }: RecordContext, message: JsonObject): RecordEvent[] {
  const parts: (Part | ToolPart)[] = blockParts(message['content'], BLOCKS, id);
  const isWorking = parts.some(({ type }) => type === 'dynamic-tool');
  const model = idOf(message['modelId']);
  const metadata = model === undefined ? {} : { model };
  const line = lineOf(record, 'modelId');
  return [
    { what: 'session', about: { model } },
    { what: 'message', role: 'assistant', parts, line, metadata, isOver: !isWorking },
    { what: 'remembers', memory: { is_working: isWorking } },
  ];
}

function messageEvents(context: RecordContext): RecordEvent[] {
  const message = objectOf(context.record['message']);
  switch (message?.['role']) {
    case 'user':
    case 'tool':
      return userEvents(context, message);
    case 'assistant':
      return assistantEvents(context, message);
    case 'system': {
      const parts = blockParts(message['content'], BLOCKS, context.id);
      return [{ what: 'message', role: 'system', parts, line: lineOf(context.record) }];
    }
    default:
      return [];
  }
}

function eventsOf(context: RecordContext): RecordEvent[] {
  const { record } = context;
  switch (record['type']) {
    case 'session_start':
      return startEvents(record);
    case 'message':
      return messageEvents(context);
    case 'agent_turn_outcome': {
      const isCompleted = record['reason'] === 'completed';
      const rest: RecordEvent = { what: 'remembers', memory: { is_working: false } };
      return isCompleted ? [rest] : [{ what: 'stops' }, rest];
    }
    case 'compaction_state': {
      const text = textOf(record['summaryText']);
      if (text === undefined) return [];
      const parts: Part[] = [{ type: 'text', text }];
      const line = lineOf(record, 'summaryText');
      const summary = { what: 'message', role: 'user', parts, line, metadata: { is_compact_summary: true } } as const;
      return [{ what: 'compacts' }, summary];
    }
    default:
      return [];
  }
}

/** The beginning of the output of a command that failed, and the end of one that has ended. */
const FAILED = /^Error: Command failed \(exit code: (\d{1,9})\)\n?/;
const EXIT = /\n?\[Process exited with code (-?\d{1,9})\]\s*$/;

function commandRecords(input: JsonObject, { text, failed }: Result): ToolRecord[] {
  const code = FAILED.exec(text) ?? EXIT.exec(text);
  // Without an exit code, a failed call may not have run at all.
  if (failed && !code) return [];
  const output = text.replace(FAILED, '').replace(EXIT, '');
  return recordCommand(textOf(input['command']), code ? Number(code[1]) : null, output);
}

/** Returns the records of a call with its result. `cwd` is the folder that the agent worked in. */
export function derive(name: string, given: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(given) ?? {};
  if (name === 'Execute') return commandRecords(input, result);
  if (result.failed) return [];
  const path = textOf(input['file_path']);
  switch (name) {
    case 'Read':
      return recordRead(path, cwd);
    case 'Create':
      return recordWrite(path, cwd, textOf(input['content']));
    case 'Edit':
    case 'MultiEdit':
      return recordWrite(path, cwd);
    case 'ApplyPatch':
      return patchedFiles(textOf(input['input']) ?? '', cwd);
    case 'TodoWrite':
      return todoRecords(input['todos']);
    default:
      return [];
  }
}

/** Returns the plan in a list of things to do, which is a text or a list. */
function todoRecords(todos: JsonValue | undefined): ToolRecord[] {
  if (typeof todos === 'string') return todos.trim() === '' ? [] : [{ body: { kind: 'plan', content: todos } }];
  const steps = (Array.isArray(todos) ? todos : []).flatMap((todo) => {
    const text = textOf(objectOf(todo)?.['content']);
    return text === undefined ? [] : [{ text, status: objectOf(todo)?.['status'] }];
  });
  return planRecord(steps);
}

export const droidFormat: PlainAgent = {
  name: 'droid',
  shape: { beginnings: /\{"type":\s?"/g, isWhole },
  typeOf: (record) => {
    const role = textOf(objectOf(record['message'])?.['role']);
    const type = textOf(record['type']) ?? 'unknown';
    return role === undefined ? type : `${type}/${role}`;
  },
  timeOf: (record) => record['timestamp'],
  ownId: (record) => (record['type'] === 'message' ? idOf(record['id']) : undefined),
  eventsOf,
  derive,
};
