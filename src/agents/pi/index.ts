/** pi: how its session is recognised, where a record stands in its tree, and what it says. */
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Agent } from '../contract/agent.ts';
import { without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import { readLine } from '../shared/lines.ts';
import type { Hanging, Heard, PlainAgent, Saying } from '../shared/plain-agent.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { derive } from './derive.ts';
import { lineOf, put, saysMessage, tokensOf } from './message.ts';

/** Types of records that stand in the tree; older files have some of them without ids. */
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

/** Whether a record is the first one of a session. */
function isHeader(record: JsonObject): boolean {
  const isPlain = record['type'] === 'session' && typeof record['id'] === 'string' && typeof record['cwd'] === 'string';
  return isPlain && typeof record['timestamp'] === 'string' && !('payload' in record);
}

function isWhole(record: JsonObject): boolean {
  return isHeader(record) || (ENTRIES.includes(record['type']) && typeof record['timestamp'] === 'string');
}

/** Whether only pi writes such a record: others, too, call one `message` and give it a parent. */
function isOurs(record: JsonObject): boolean {
  const isChange = typeof record['modelId'] === 'string' || typeof record['thinkingLevel'] === 'string';
  const isResult = objectOf(record['message'])?.['role'] === 'toolResult';
  return isHeader(record) || (isWhole(record) && (isChange || isResult));
}

/** The file of the session that this one is a copy of. */
const parentFile = (header: JsonObject): string | undefined =>
  textOf(header['parentSession']) ?? textOf(header['branchedFrom']);

/** The session that this one is a copy of, by the name of its file. */
function parentOf(header: JsonObject): string | undefined {
  const file = parentFile(header);
  return file === undefined ? undefined : /_([0-9a-f-]{36})\.jsonl$/.exec(file)?.[1];
}

/** How many records came before: older files name a record by that. */
const countOf = (memory: JsonObject): number => numberOf(memory['count']) ?? 0;

function hangs({ record, memory }: Heard): Hanging | null {
  if (record['type'] === 'session') return null;
  const own = idOf(record['id']);
  const id = own ?? `#${countOf(memory)}`;
  const parent =
    own === undefined ? undefined : (idOf(record['parentId']) ?? (record['parentId'] === null ? null : undefined));
  if (record['type'] !== 'compaction') return { id, parent };
  const index = numberOf(record['firstKeptEntryIndex']);
  return { id, parent, keeps: idOf(record['firstKeptEntryId']) ?? (index === undefined ? null : `#${index}`) };
}

/** A record as it was before pi wrote an older file anew: without a version, or without ids and with another role. */
function formers(record: JsonObject): JsonObject[] {
  const isTold = record['type'] === 'session' ? 'version' in record : 'parentId' in record;
  if (!isTold) return [];
  const former = record['type'] === 'session' ? without(record, 'version') : without(record, 'id', 'parentId');
  const message = objectOf(former['message']);
  if (message?.['role'] !== 'custom') return [former];
  return [former, { ...former, message: { ...message, role: 'hookMessage' } }];
}

function meaning(heard: Heard): Saying[] {
  const { record } = heard;
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
      return saysMessage(heard);
    case 'model_change':
      return [{ what: 'session', about: { model: idOf(record['modelId']) } }];
    case 'session_info':
      return [{ what: 'session', about: { title: textOf(record['name']) } }];
    case 'custom_message':
      return put(heard, record['content'], { is_meta: true }, lineOf(record, 'content'));
    case 'branch_summary':
      return put(heard, record['summary'], { is_meta: true, is_branch_summary: true }, lineOf(record, 'summary'));
    case 'compaction': {
      const tokens = tokensOf(objectOf(record['usage']));
      const used: Saying[] = tokens ? [{ what: 'usage', tokens, calls: 1 }] : [];
      return [...put(heard, record['summary'], { is_compact_summary: true }, lineOf(record, 'summary')), ...used];
    }
    default:
      return [];
  }
}

/** Whether a record was there before its session: a copy keeps its time, and what it used its own session has counted. */
function isCopied({ record, memory }: Heard): boolean {
  const [time, begun] = [textOf(record['timestamp']), textOf(memory['copied_before'])];
  // Both are of one form, in which they sort.
  return time !== undefined && begun !== undefined && time < begun;
}

/** What a record says, without what it used. */
const withoutTokens = (sayings: readonly Saying[]): Saying[] =>
  sayings.flatMap((saying): Saying[] => {
    if (saying.what === 'usage') return [];
    return [saying.what === 'message' ? { ...saying, tokens: undefined } : saying];
  });

/** What a record says of itself. */
const said = (heard: Heard): Saying[] => (isCopied(heard) ? withoutTokens(meaning(heard)) : meaning(heard));

const plain: PlainAgent = {
  name: 'pi',
  shape: { beginnings: /\{"type":\s?"/g, isWhole },
  typeOf: (record) => {
    const role = isObject(record['message']) ? textOf(record['message']['role']) : undefined;
    const type = textOf(record['type']) ?? 'unknown';
    return role === undefined ? type : `${type}/${role}`;
  },
  timeOf: (record) => record['timestamp'],
  ownId: (record) => (record['type'] === 'session' ? undefined : idOf(record['id'])),
  formers,
  hangs,
  says: (heard) => [...said(heard), { what: 'remembers', memory: { count: countOf(heard.memory) + 1 } }],
  derive,
};

export const pi: Agent = {
  name: plain.name,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    return lines.some((line) => readLine(line, plain.shape).records.some(isOurs));
  },
  sessionIds: { file: /_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/ },
  isOurs,
  reader: (resume) => new PlainReader(plain, resume),
};
