/** The events of a message of pi: the user's words, the model's, results of tools, and texts of pi and its extensions. */
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { blockParts, textIn, without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import { ownWords } from '../shared/own-words.ts';
import type { RecordContext, RecordEvent } from '../shared/plain-agent.ts';
import { recordCommand } from '../shared/tool-records.ts';
import { knownTokens, type Tokens } from '../shared/usage.ts';
import { PI_FOREIGN } from './foreign.ts';

const BLOCKS = { call: 'toolCall', input: 'arguments' };

/** Returns the tokens of a call of the model; undefined if there are none. */
export function tokensOf(usage: JsonObject | undefined): Tokens | undefined {
  if (!usage) return undefined;
  return knownTokens({
    input: numberOf(usage['input']),
    output: numberOf(usage['output']),
    reasoning: numberOf(usage['reasoning']),
    cache_read: numberOf(usage['cacheRead']),
    cache_write: numberOf(usage['cacheWrite']),
  });
}

/** Returns what is kept of a record beside the parts of its message. */
export function lineOf(record: JsonObject, ...keys: string[]): JsonObject {
  const message = objectOf(record['message']);
  const around = without(record, 'type', 'id', 'parentId', 'message', ...keys);
  return { ...around, ...(message ? { item: without(message, 'content', ...keys) } : {}) };
}

function user({ record, id }: RecordContext, message: JsonObject, isWorking: boolean): RecordEvent[] {
  const parts = blockParts(message['content'], BLOCKS, id);
  const picture = parts.some(({ type }) => type === 'file') ? '[image]' : '';
  const said = textIn(message['content']).trim();
  const prompt = said === '' ? picture : (ownWords(said, PI_FOREIGN) ?? '');
  const line = lineOf(record, 'role');
  if (prompt === '') return [{ what: 'message', role: 'user', parts, line, metadata: { is_meta: true } }];
  return [{ what: 'message', role: 'user', parts, line, prompt, cutsIn: isWorking }];
}

function assistant({ record, id }: RecordContext, message: JsonObject): RecordEvent[] {
  const stop = textOf(message['stopReason']);
  const model = idOf(message['model']);
  const isWorking = stop === 'toolUse';
  const metadata: JsonObject = {
    ...(model === undefined ? {} : { model }),
    ...(stop === undefined ? {} : { stop_reason: stop }),
  };
  const said: RecordEvent = {
    what: 'message',
    role: 'assistant',
    parts: blockParts(message['content'], BLOCKS, id),
    isOver: !isWorking,
    metadata,
    tokens: tokensOf(objectOf(message['usage'])),
    line: lineOf(record, 'role', 'model', 'stopReason'),
  };
  const isStopped = stop === 'aborted' || stop === 'error';
  return [
    { what: 'session', about: { model } },
    said,
    ...(isStopped ? [{ what: 'stops' } as const] : []),
    { what: 'remembers', memory: { is_working: isWorking } },
  ];
}

function toolResult({ record }: RecordContext, message: JsonObject): RecordEvent[] {
  const callId = idOf(message['toolCallId']);
  if (callId === undefined) return [];
  const content = message['content'];
  const details = message['details'];
  const structured = isObject(details) && Object.keys(details).length > 0 ? details : undefined;
  const failed = message['isError'] === true;
  const line = lineOf(record, 'role', 'toolCallId', 'toolName', 'isError', 'details');
  return [{ what: 'result', result: { callId, content, text: textIn(content), failed, structured }, line }];
}

/** Returns the events of a command that the user ran, which the model sees, but which is no prompt. */
function bashExecution({ record }: RecordContext, message: JsonObject): RecordEvent[] {
  const data = without(message, 'role', 'timestamp');
  const parts: Part[] = [{ type: 'data-bash-execution', data }];
  const code = message['cancelled'] === true ? null : numberOf(message['exitCode']);
  const records = recordCommand(textOf(message['command']), code, textOf(message['output']) ?? '');
  const around = without(record, 'type', 'id', 'parentId', 'message');
  return [
    { what: 'message', role: 'user', parts, metadata: { is_meta: true }, line: around },
    { what: 'records', records },
  ];
}

/** Returns the event of the system prompt, whose sections are texts. */
function system({ record, id }: RecordContext, message: JsonObject): RecordEvent[] {
  const sections = Object.entries(objectOf(message['sections']) ?? {});
  const texts = sections.flatMap(([section, text]): Part[] =>
    typeof text === 'string'
      ? [{ type: 'text', text, section }]
      : [{ type: 'data-section', data: text ?? null, section }],
  );
  const parts = [...blockParts(message['content'], BLOCKS, id), ...texts];
  return [{ what: 'message', role: 'system', parts, line: lineOf(record, 'role', 'sections') }];
}

/** Returns the event of a text that a program wrote in the user's name. */
export function programEvents(
  context: RecordContext,
  content: JsonObject[string],
  metadata: JsonObject,
  line: JsonObject,
): RecordEvent[] {
  const parts = blockParts(content, BLOCKS, context.id);
  return [{ what: 'message', role: 'user', parts, metadata, line }];
}

/** Returns the events of a record with a message. */
export function messageEvents(context: RecordContext): RecordEvent[] {
  const { record, memory } = context;
  const message = objectOf(record['message']);
  if (!message) return [];
  switch (message['role']) {
    case 'user':
      return user(context, message, memory['is_working'] === true);
    case 'assistant':
      return assistant(context, message);
    case 'toolResult':
      return toolResult(context, message);
    case 'bashExecution':
      return bashExecution(context, message);
    case 'system':
      return system(context, message);
    case 'custom':
    case 'hookMessage':
      return programEvents(context, message['content'], { is_meta: true }, lineOf(record));
    case 'branchSummary':
    case 'compactionSummary':
      return programEvents(context, message['summary'], { is_meta: true }, lineOf(record, 'summary'));
    default:
      return [];
  }
}
