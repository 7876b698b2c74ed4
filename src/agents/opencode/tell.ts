/** What a line of an export of opencode tells. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';
import { without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import type { Dialect, Telling, ToldMessage } from '../shared/versions/dialect.ts';
import { derive } from './derive.ts';
import { OPENCODE_FOREIGN } from './foreign.ts';
import { AGENT_NAME } from './name.ts';
import { compactParts, partsOf } from './parts.ts';
import { answerOf, questionOf } from './questions.ts';
import { isCompact, isMessage, isRevert, isSession, readRecords } from './record.ts';
import { isSecond, secondTelling } from './second-message.ts';
import { isFirstByKeys } from './second-parts.ts';
import { tokensOf } from './usage.ts';

/** A title that says nothing. */
const UNTITLED = /^(New|Child) session - \d{4}-\d{2}-\d{2}T/;

function aboutOf(info: JsonObject): About {
  const about: About = {};
  const set = (key: keyof About, value: JsonValue | undefined): void => {
    if (typeof value === 'string' && value !== '') about[key] = value;
  };
  const title = textOf(info['title']) ?? '';
  set('agent_session_id', info['id']);
  set('cwd', info['directory'] ?? objectOf(info['location'])?.['directory']);
  set('title', UNTITLED.test(title) ? undefined : title);
  set('agent_version', info['version']);
  set('parent_agent_session_id', info['parentID']);
  if (about.parent_agent_session_id !== undefined) set('sub_agent_type', info['agent']);
  return about;
}

/** The user's words in the parts of a message; null where there are none: then the program wrote it. */
function promptOf(parts: readonly JsonValue[]): string | null {
  const words = parts.flatMap((part) => {
    if (!isObject(part) || part['synthetic'] === true || part['ignored'] === true) return [];
    if (part['type'] === 'file') return textOf(part['mime'])?.startsWith('image/') ? ['[image]'] : [];
    if (part['type'] === 'subtask') return textOf(part['prompt']) ?? [];
    return part['type'] === 'text' ? (textOf(part['text']) ?? []) : [];
  });
  return ownWordsIn(words, OPENCODE_FOREIGN);
}

/** What a message of the agent tells beside its parts. */
function answerMetadata(info: JsonObject): JsonObject {
  const model = idOf(info['modelID']);
  const provider = idOf(info['providerID']);
  return {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(info['summary'] === true ? { is_compact_summary: true } : {}),
  };
}

/** Why a message came to its end; older versions tell it of its steps alone. */
function finishOf(info: JsonObject, parts: readonly JsonValue[]): JsonValue | undefined {
  const steps = parts.filter((part) => isObject(part) && part['type'] === 'step-finish');
  return info['finish'] ?? objectOf(steps.at(-1))?.['reason'];
}

function messageOf(info: JsonObject, parts: readonly JsonValue[], id: string): ToldMessage {
  const isAgents = info['role'] === 'assistant';
  const prompt = isAgents ? null : promptOf(parts);
  const time = objectOf(info['time']);
  const isDone = time?.['completed'] !== undefined && finishOf(info, parts) !== 'tool-calls';
  return {
    id,
    role: isAgents ? 'assistant' : 'user',
    at: secondsOf(time?.['created']),
    parts: partsOf(parts),
    prompt,
    metadata: isAgents ? answerMetadata(info) : prompt === null ? { is_meta: true } : {},
    usage: isAgents ? tokensOf(info, parts) : undefined,
    isStopped: isObject(info['error']),
    goesOn: !isDone,
  };
}

function messageTelling(record: JsonObject, key: string): Telling {
  const info = objectOf(record['info']) ?? {};
  const parts = Array.isArray(record['parts']) ? record['parts'] : [];
  const time = objectOf(info['time']);
  const whole = messageOf(info, parts, idOf(info['id']) ?? key);
  // What a copy used, its own session has counted.
  const told = record['copied'] === true ? { ...whole, usage: undefined } : whole;
  const model = idOf(info['modelID']);
  const line = {
    ...without(record, 'info', 'parts'),
    info: without(info, 'id', 'role', 'sessionID', 'modelID', 'providerID'),
  };
  // What is not finished sums nothing up.
  const isSummary = info['summary'] === true && told.role === 'assistant' && !told.goesOn && !told.isStopped;
  const from = isSummary ? (idOf(record['tail_start_id']) ?? idOf(info['parentID'])) : undefined;
  return {
    at: secondsOf(time?.['completed']) ?? told.at,
    about: model === undefined ? {} : { model },
    message: told,
    line,
    type: 'message',
    ...(from === undefined ? {} : { view: { type: 'compact', from } }),
  };
}

function compactTelling(record: JsonObject, key: string): Telling {
  const content = Array.isArray(record['content']) ? record['content'] : [];
  const isAgents = record['type'] === 'assistant';
  const at = secondsOf(record['ts']);
  const parts = compactParts(content);
  const words = parts.flatMap(({ part }) => (part.type === 'text' ? String(part['text']) : []));
  const prompt = isAgents ? null : ownWordsIn(words, OPENCODE_FOREIGN);
  const [first] = content;
  const message: ToldMessage = {
    // The user's have no id of their own: that of what they say is theirs.
    id: idOf(record['id']) ?? idOf(objectOf(first)?.['id']) ?? key,
    role: isAgents ? 'assistant' : 'user',
    at,
    parts: parts.map((part) => (part.part.type === 'dynamic-tool' && at !== undefined ? timed(part, at) : part)),
    prompt,
    metadata: isAgents || prompt !== null ? {} : { is_meta: true },
    isStopped: false,
    goesOn: parts.some(({ part }) => part.type === 'dynamic-tool'),
  };
  return { at, message, line: without(record, 'content', 'id'), type: textOf(record['type']) };
}

/** A call whose result tells no time of its own. */
function timed(part: ToldMessage['parts'][number], at: number): ToldMessage['parts'][number] {
  const hasResult = 'completed_at' in part.part;
  return hasResult ? { ...part, part: { ...part.part, completed_at: at } } : part;
}

/** What a line tells. */
export function tell(record: JsonObject, key: string): Telling {
  if (isMessage(record)) return messageTelling(record, key);
  if (isCompact(record)) return compactTelling(record, key);
  if (isSecond(record)) return secondTelling(record, key);
  if (isSession(record)) {
    const info = objectOf(record['info']) ?? {};
    return { at: secondsOf(objectOf(info['time'])?.['created']), about: aboutOf(info), line: record, type: 'session' };
  }
  if (!isRevert(record)) return { line: record, type: 'todos' in record ? 'todos' : 'unknown' };
  const { messageID, partID } = objectOf(record['revert']) ?? {};
  // Of one that was taken back in part, the rest stays.
  if (typeof messageID !== 'string' || partID !== undefined) return { line: record, type: 'revert' };
  return { line: record, type: 'revert', view: { type: 'rewind', to: messageID } };
}

export const opencodeDialect: Dialect = {
  agent: AGENT_NAME,
  read: readRecords,
  tell,
  derive,
  comesBack: true,
  retells: ({ parts }, known) => {
    const [now, before] = [isFirstByKeys(parts.map((part) => part.key)), isFirstByKeys(known)];
    return now !== undefined && before !== undefined && now !== before;
  },
  question: ({ toolName, input }) => questionOf(toolName, input),
  answer: answerOf,
};
