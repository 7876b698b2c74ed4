/** The meaning of a line of an export of opencode. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { About } from '../contract/agent.ts';
import { without } from '../shared/blocks.ts';
import { idOf, secondsOf } from '../shared/fields.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import type { Dialect, Meaning, VersionMessage } from '../shared/versions/dialect.ts';
import { derive } from './derive.ts';
import { OPENCODE_FOREIGN } from './foreign.ts';
import { compactParts, partsOf } from './parts.ts';
import { answerOf, questionOf } from './questions.ts';
import { isCompact, isMessage, isRevert, isSession, readRecords } from './record.ts';
import { isSecond, secondMeaning } from './second-message.ts';
import { isFirstByKeys } from './second-parts.ts';
import { tokensOf } from './usage.ts';

/** A title without information. */
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

/** Returns the user's words in the parts of a message; null if there are none: then the program wrote it. */
function promptOf(parts: readonly JsonValue[]): string | null {
  const words = parts.flatMap((part) => {
    if (!isObject(part) || part['synthetic'] === true || part['ignored'] === true) return [];
    if (part['type'] === 'file') return textOf(part['mime'])?.startsWith('image/') ? ['[image]'] : [];
    if (part['type'] === 'subtask') return textOf(part['prompt']) ?? [];
    return part['type'] === 'text' ? (textOf(part['text']) ?? []) : [];
  });
  return ownWordsIn(words, OPENCODE_FOREIGN);
}

/** Returns the metadata of a message of the agent. */
function answerMetadata(info: JsonObject): JsonObject {
  const model = idOf(info['modelID']);
  const provider = idOf(info['providerID']);
  return {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(info['summary'] === true ? { is_compact_summary: true } : {}),
  };
}

/** Returns why a message ended; older versions write it only in its steps. */
function finishOf(info: JsonObject, parts: readonly JsonValue[]): JsonValue | undefined {
  const steps = parts.filter((part) => isObject(part) && part['type'] === 'step-finish');
  return info['finish'] ?? objectOf(steps.at(-1))?.['reason'];
}

function messageOf(info: JsonObject, parts: readonly JsonValue[], id: string): VersionMessage {
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
    continues: !isDone,
  };
}

function messageMeaning(record: JsonObject, key: string): Meaning {
  const info = objectOf(record['info']) ?? {};
  const parts = Array.isArray(record['parts']) ? record['parts'] : [];
  const time = objectOf(info['time']);
  const whole = messageOf(info, parts, idOf(info['id']) ?? key);
  // The tokens of a copied message are counted in its own session.
  const told = record['copied'] === true ? { ...whole, usage: undefined } : whole;
  const model = idOf(info['modelID']);
  const line = {
    ...without(record, 'info', 'parts'),
    info: without(info, 'id', 'role', 'sessionID', 'modelID', 'providerID'),
  };
  // An incomplete message sums nothing up.
  const isSummary = info['summary'] === true && told.role === 'assistant' && !told.continues && !told.isStopped;
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

function compactMeaning(record: JsonObject, key: string): Meaning {
  const content = Array.isArray(record['content']) ? record['content'] : [];
  const isAgents = record['type'] === 'assistant';
  const at = secondsOf(record['ts']);
  const parts = compactParts(content);
  const words = parts.flatMap(({ part }) => (part.type === 'text' ? String(part['text']) : []));
  const prompt = isAgents ? null : ownWordsIn(words, OPENCODE_FOREIGN);
  const [first] = content;
  const message: VersionMessage = {
    // A message of the user has no id of its own: that of its first part is used.
    id: idOf(record['id']) ?? idOf(objectOf(first)?.['id']) ?? key,
    role: isAgents ? 'assistant' : 'user',
    at,
    parts: parts.map((part) => (part.part.type === 'dynamic-tool' && at !== undefined ? timed(part, at) : part)),
    prompt,
    metadata: isAgents || prompt !== null ? {} : { is_meta: true },
    isStopped: false,
    continues: parts.some(({ part }) => part.type === 'dynamic-tool'),
  };
  return { at, message, line: without(record, 'content', 'id'), type: textOf(record['type']) };
}

/** Returns a call with the time of its message as that of its result, which has none. */
function timed(part: VersionMessage['parts'][number], at: number): VersionMessage['parts'][number] {
  const hasResult = 'completed_at' in part.part;
  return hasResult ? { ...part, part: { ...part.part, completed_at: at } } : part;
}

/** Returns the meaning of a line. */
function meaningOf(record: JsonObject, key: string): Meaning {
  if (isMessage(record)) return messageMeaning(record, key);
  if (isCompact(record)) return compactMeaning(record, key);
  if (isSecond(record)) return secondMeaning(record, key);
  if (isSession(record)) {
    const info = objectOf(record['info']) ?? {};
    return { at: secondsOf(objectOf(info['time'])?.['created']), about: aboutOf(info), line: record, type: 'session' };
  }
  if (!isRevert(record)) return { line: record, type: 'todos' in record ? 'todos' : 'unknown' };
  const { messageID, partID } = objectOf(record['revert']) ?? {};
  // If only a part of a message was reverted, the message stays.
  if (typeof messageID !== 'string' || partID !== undefined) return { line: record, type: 'revert' };
  return { line: record, type: 'revert', view: { type: 'rewind', to: messageID } };
}

export const opencodeDialect: Dialect = {
  agent: 'opencode',
  read: readRecords,
  meaningOf,
  derive,
  restoresRewound: true,
  repeatsInOtherForm: ({ parts }, known) => {
    const [now, before] = [isFirstByKeys(parts.map((part) => part.key)), isFirstByKeys(known)];
    return now !== undefined && before !== undefined && now !== before;
  },
  question: ({ toolName, input }) => questionOf(toolName, input),
  answer: answerOf,
};
