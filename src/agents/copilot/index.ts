/** Copilot CLI: how its log of events is recognised, and what an event of it means. */
import { isObject, type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { Agent } from '../agent.ts';
import { idOf } from '../shared/fields.ts';
import { readLine } from '../shared/lines.ts';
import type { Heard, PlainAgent, Saying } from '../shared/plain-agent.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { derive } from './derive.ts';
import { saysAssistant, saysResult, saysShutdown, saysStart, saysSummary, saysSystem, saysUser } from './events.ts';

/** Names of events, by what stands before the dot. */
const EVENT = /^(session|user|assistant|tool|hook|subagent|skill|system)\.[a-z_]+$/;

/** Whether a record is an event, by what is around it. */
function isOurs(record: JsonObject): boolean {
  const isEvent = EVENT.test(textOf(record['type']) ?? '') && isObject(record['data']) && 'parentId' in record;
  return isEvent && typeof record['id'] === 'string' && typeof record['timestamp'] === 'string';
}

/** Whether an event puts a summary in the place of all that came before it. */
function isCompaction(record: JsonObject): boolean {
  const isDone = record['type'] === 'session.compaction_complete' && objectOf(record['data'])?.['success'] !== false;
  return isDone && typeof objectOf(record['data'])?.['summaryContent'] === 'string';
}

function says(heard: Heard): Saying[] {
  const { record } = heard;
  const data = objectOf(record['data']);
  if (!data) return [];
  switch (record['type']) {
    case 'session.start':
    case 'session.resume':
      return saysStart(data);
    case 'session.model_change':
      return [{ what: 'session', about: { model: idOf(data['newModel']) } }];
    case 'session.title_changed':
      return [{ what: 'session', about: { title: textOf(data['title']) } }];
    case 'session.compaction_complete':
      return isCompaction(record) ? saysSummary(heard, data) : [];
    case 'session.shutdown':
      return saysShutdown(heard, data);
    case 'session.error':
    case 'abort':
      return [{ what: 'stops' }, { what: 'remembers', memory: { is_working: false } }];
    case 'user.message':
      return saysUser(heard, data);
    case 'assistant.message':
      return saysAssistant(heard, data);
    case 'tool.execution_complete':
      return saysResult(heard, data);
    case 'system.message':
      return saysSystem(heard, data);
    default:
      return [];
  }
}

const plain: PlainAgent = {
  name: 'copilot',
  shape: { beginnings: /\{"type":\s?"/g, isWhole: isOurs },
  typeOf: (record) => textOf(record['type']) ?? 'unknown',
  timeOf: (record) => record['timestamp'],
  ownId: (record) => (isObject(record['data']) ? idOf(record['id']) : undefined),
  hangs: ({ record }) => {
    const id = idOf(record['id']);
    const parent = record['parentId'] === null ? null : idOf(record['parentId']);
    // What is no event has no place of its own.
    if (id === undefined || !isObject(record['data'])) return {};
    return { id, parent, ...(isCompaction(record) ? { keeps: null } : {}) };
  },
  says,
  derive,
};

export const copilot: Agent = {
  name: plain.name,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    if (lines.some((line) => readLine(line, plain.shape).records.some(isOurs))) return true;
    // A first line that is longer than the text given.
    return /^\ufeff?\s*\{"type":\s*"session\.start",\s*"data":\s*\{"sessionId":/.test(beginning);
  },
  sessionIds: { file: /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/events)?\.jsonl$/ },
  isOurs,
  reader: (resume) => new PlainReader(plain, resume),
};
