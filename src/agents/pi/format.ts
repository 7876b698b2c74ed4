/** The session of pi: its records, the position of each in the tree, and what each says. */
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import { without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import type { PlainAgent, RecordContext, RecordEvent, TreePosition } from '../shared/plain-agent.ts';
import { derive } from './derive.ts';
import { lineOf, messageEvents, programEvents, tokensOf } from './message.ts';

/** Types of records in the tree; older files have some of them without ids. */
const ENTRIES: readonly unknown[] = [
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
];

/** Returns whether a record is the first one of a session. */
function isHeader(record: JsonObject): boolean {
  const isPlain = record['type'] === 'session' && typeof record['id'] === 'string' && typeof record['cwd'] === 'string';
  return isPlain && typeof record['timestamp'] === 'string' && !('payload' in record);
}

function isWhole(record: JsonObject): boolean {
  return isHeader(record) || (ENTRIES.includes(record['type']) && typeof record['timestamp'] === 'string');
}

/** Returns whether only pi writes such a record: other agents, too, have the type `message` and a parent. */
export function isOurs(record: JsonObject): boolean {
  const isChange = typeof record['modelId'] === 'string' || typeof record['thinkingLevel'] === 'string';
  const isResult = objectOf(record['message'])?.['role'] === 'toolResult';
  return isHeader(record) || (isWhole(record) && (isChange || isResult));
}

/** Returns the file of the session that this one is a copy of. */
const parentFile = (header: JsonObject): string | undefined =>
  textOf(header['parentSession']) ?? textOf(header['branchedFrom']);

/** Returns the id of the session that this one is a copy of, by the name of its file. */
function parentOf(header: JsonObject): string | undefined {
  const file = parentFile(header);
  return file === undefined ? undefined : /_([0-9a-f-]{36})\.jsonl$/.exec(file)?.[1];
}

/** Returns the number of records before this one: older files name a record by that. */
const countOf = (memory: JsonObject): number => numberOf(memory['count']) ?? 0;

function positionOf({ record, memory }: RecordContext): TreePosition | null {
  if (record['type'] === 'session') return null;
  const own = idOf(record['id']);
  const id = own ?? `#${countOf(memory)}`;
  const parent =
    own === undefined ? undefined : (idOf(record['parentId']) ?? (record['parentId'] === null ? null : undefined));
  if (record['type'] !== 'compaction') return { id, parent };
  const index = numberOf(record['firstKeptEntryIndex']);
  return { id, parent, keeps: idOf(record['firstKeptEntryId']) ?? (index === undefined ? null : `#${index}`) };
}

/** Returns a record as it was before pi rewrote an older file: without a version, or without ids and with another role. */
function formerRecords(record: JsonObject): JsonObject[] {
  const isTold = record['type'] === 'session' ? 'version' in record : 'parentId' in record;
  if (!isTold) return [];
  const former = record['type'] === 'session' ? without(record, 'version') : without(record, 'id', 'parentId');
  const message = objectOf(former['message']);
  if (message?.['role'] !== 'custom') return [former];
  return [former, { ...former, message: { ...message, role: 'hookMessage' } }];
}

function recordEvents(context: RecordContext): RecordEvent[] {
  const { record } = context;
  switch (record['type']) {
    case 'session': {
      const about = {
        agent_session_id: idOf(record['id']),
        cwd: textOf(record['cwd']),
        model: idOf(record['modelId']),
      };
      const copies = parentFile(record) === undefined ? null : (textOf(record['timestamp']) ?? null);
      return [
        { what: 'session', about: { ...about, parent_agent_session_id: parentOf(record) } },
        { what: 'remembers', memory: { copied_before: copies } },
      ];
    }
    case 'message':
      return messageEvents(context);
    case 'model_change':
      return [{ what: 'session', about: { model: idOf(record['modelId']) } }];
    case 'session_info':
      return [{ what: 'session', about: { title: textOf(record['name']) } }];
    case 'custom_message':
      return programEvents(context, record['content'], { is_meta: true }, lineOf(record, 'content'));
    case 'branch_summary':
      return programEvents(
        context,
        record['summary'],
        { is_meta: true, is_branch_summary: true },
        lineOf(record, 'summary'),
      );
    case 'compaction': {
      const tokens = tokensOf(objectOf(record['usage']));
      const used: RecordEvent[] = tokens ? [{ what: 'usage', tokens, calls: 1 }] : [];
      return [
        ...programEvents(context, record['summary'], { is_compact_summary: true }, lineOf(record, 'summary')),
        ...used,
      ];
    }
    default:
      return [];
  }
}

/** Returns whether a record is older than its session: a copy keeps its time, and its tokens are counted in the original. */
function isCopied({ record, memory }: RecordContext): boolean {
  const [time, begun] = [textOf(record['timestamp']), textOf(memory['copied_before'])];
  // Both have one form, in which they sort.
  return time !== undefined && begun !== undefined && time < begun;
}

/** Returns the events of a record without its tokens. */
const withoutTokens = (events: readonly RecordEvent[]): RecordEvent[] =>
  events.flatMap((event): RecordEvent[] => {
    if (event.what === 'usage') return [];
    return [event.what === 'message' ? { ...event, tokens: undefined } : event];
  });

/** Returns the events of a record itself. */
const ownEvents = (context: RecordContext): RecordEvent[] =>
  isCopied(context) ? withoutTokens(recordEvents(context)) : recordEvents(context);

export const piFormat: PlainAgent = {
  name: 'pi',
  shape: { beginnings: /\{"type":\s?"/g, isWhole },
  typeOf: (record) => {
    const role = isObject(record['message']) ? textOf(record['message']['role']) : undefined;
    const type = textOf(record['type']) ?? 'unknown';
    return role === undefined ? type : `${type}/${role}`;
  },
  timeOf: (record) => record['timestamp'],
  ownId: (record) => (record['type'] === 'session' ? undefined : idOf(record['id'])),
  formerRecords,
  positionOf,
  eventsOf: (context) => [...ownEvents(context), { what: 'remembers', memory: { count: countOf(context.memory) + 1 } }],
  derive,
};
