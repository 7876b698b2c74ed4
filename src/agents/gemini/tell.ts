/** What a record of a chat of Gemini CLI tells. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readTime } from '../../core/time.ts';
import type { About } from '../contract/agent.ts';
import { without } from '../shared/blocks.ts';
import { idOf, timeOf } from '../shared/fields.ts';
import type { Tokens } from '../shared/usage.ts';
import type { Dialect, Telling, ToldMessage } from '../shared/versions/dialect.ts';
import { derive } from './derive.ts';
import { AGENT_NAME } from './name.ts';
import { callsOf, partsOf, resultsIn } from './parts.ts';
import { answerOf, questionOf } from './questions.ts';
import { isChange, isHeader, isMessage, isRewind, readRecords } from './record.ts';
import { contentOf, folderIn, isSummary, promptOf, withoutContext } from './user-words.ts';

/** Tokens of a message. Of the prompt, what came from the cache is told once more; thoughts are not part of the output. */
export function tokensOf(record: JsonObject): Tokens | undefined {
  const told = objectOf(record['tokens']);
  if (!told) return undefined;
  const count = (key: string): number => Math.max(0, numberOf(told[key]) ?? 0);
  return {
    input: Math.max(0, count('input') - count('cached')) + count('tool'),
    output: count('output') + count('thoughts'),
    reasoning: count('thoughts'),
    cache_read: count('cached'),
  };
}

/** Whether a content says no more than its parts do. */
function isPlain(content: JsonValue | undefined): boolean {
  return contentOf(content).every((element) => {
    const fields = objectOf(element);
    const text = textOf(fields?.['text']);
    return text !== undefined && Object.keys(fields ?? {}).length === 1 && withoutContext(text) === text;
  });
}

/** What a message says beside its parts. */
function lineOf(record: JsonObject): JsonObject {
  const content = isPlain(record['content']) ? {} : { content: record['content'] };
  const calls = callsOf(record).map(([id, call]) => ({
    id,
    ...without(call, 'id', 'name', 'args', 'result', 'resultDisplay'),
  }));
  const thoughts = Array.isArray(record['thoughts']) ? record['thoughts'].filter(isObject) : [];
  const times = thoughts.map((thought) => thought['timestamp'] ?? null);
  return {
    ...without(record, 'content', 'thoughts', 'toolCalls', 'model'),
    ...content,
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(times.length > 0 ? { thoughts: times } : {}),
  };
}

function messageOf(record: JsonObject, id: string): ToldMessage {
  const isAgents = record['type'] === 'gemini';
  const prompt = isAgents ? null : promptOf(record);
  const model = idOf(record['model']);
  const calls = callsOf(record);
  return {
    id,
    role: isAgents ? 'assistant' : 'user',
    at: timeOf(record),
    parts: partsOf(record),
    prompt,
    metadata: {
      ...(model === undefined ? {} : { model }),
      ...(isAgents || prompt !== null ? {} : { is_meta: true }),
    },
    usage: isAgents ? tokensOf(record) : undefined,
    // Where the user refuses every call, the agent does not go on.
    isStopped: calls.length > 0 && calls.every(([, call]) => call['status'] === 'cancelled'),
    goesOn: calls.length > 0,
  };
}

function aboutOf(fields: JsonObject): About {
  const about: About = {};
  const id = idOf(fields['sessionId']);
  const title = textOf(fields['summary']);
  const [folder] = Array.isArray(fields['directories']) ? fields['directories'] : [];
  if (id !== undefined) about.agent_session_id = id;
  if (title) about.title = title;
  if (typeof folder === 'string') about.cwd = folder;
  const hash = textOf(fields['projectHash']) ?? '';
  if (/^[0-9a-f]{64}$/.test(hash)) about.cwd_hash = hash;
  // Which session started it, the folder of the file tells (`parentAbove`).
  if (fields['kind'] === 'subagent') about.sub_agent_type = 'subagent';
  return about;
}

/**
 * What the header of a chat tells that is not in a folder of its caller's: versions of early 2026 gave a sub-agent the id of its
 * caller. When it was started tells it from others.
 */
function aboutAmongOthers(fields: JsonObject): About {
  const { agent_session_id: caller, ...about } = aboutOf(fields);
  if (caller === undefined || about.sub_agent_type === undefined) return aboutOf(fields);
  const start = idOf(fields['startTime']) ?? 'sub-agent';
  return { ...about, agent_session_id: `${caller}/${start}`, parent_agent_session_id: caller };
}

/** Whether a record is part of the conversation, and no word of the program to the user. */
const isTalk = ({ type }: JsonObject): boolean => type === 'user' || type === 'gemini';

function changes(record: JsonObject): Telling {
  const change = objectOf(record['$set']) ?? {};
  const { messages, ...others } = change;
  const at = readTime(textOf(change['lastUpdated']) ?? '');
  const about = aboutOf(change);
  if (!Array.isArray(messages)) return { at, about, line: record, type: '$set' };
  const listed = messages.filter(isObject);
  const folder = listed.map(folderIn).find((found) => found !== undefined);
  if (folder !== undefined) about.cwd = folder;
  const told = listed.flatMap((message, index) => {
    const id = idOf(message['id']);
    return id === undefined ? [] : [{ id, telling: listedTelling(message, id, listed[index - 1]), record: message }];
  });
  return { at, about, line: { $set: others }, type: '$set', view: { type: 'list', messages: told } };
}

/** What one in the list of those in view tells. @param before the one before it */
function listedTelling(record: JsonObject, id: string, before: JsonObject | undefined): Telling {
  if (!isTalk(record)) return wordTelling(record);
  const telling = messageTelling(record, id);
  const line = without(telling.line, 'timestamp', 'type');
  const { message } = telling;
  if (!message) return { ...telling, line };
  if (isSummary(record)) {
    const metadata = { ...message.metadata, is_meta: true, is_compact_summary: true };
    return { ...telling, line, message: { ...message, prompt: null, metadata } };
  }
  // The program answers its summary in the agent's name.
  const isPrograms = message.role === 'assistant' && !message.usage && before !== undefined && isSummary(before);
  const metadata = isPrograms ? { ...message.metadata, is_meta: true } : message.metadata;
  return { ...telling, line, message: { ...message, metadata } };
}

function messageTelling(record: JsonObject, key: string): Telling {
  const at = timeOf(record);
  const line = lineOf(record);
  const message = messageOf(record, idOf(record['id']) ?? key);
  const model = idOf(record['model']);
  const folder = record['type'] === 'user' ? folderIn(record) : undefined;
  const about: About = { ...(model === undefined ? {} : { model }), ...(folder === undefined ? {} : { cwd: folder }) };
  const results = record['type'] === 'user' ? resultsIn(record) : [];
  // Results alone are no message.
  const isMessageToo = results.length === 0 || message.parts.length > 0;
  return {
    at,
    about,
    line,
    type: textOf(record['type']),
    ...(isMessageToo ? { message } : {}),
    ...(results.length > 0 ? { results } : {}),
  };
}

/** Words with which the program says that the user stopped the agent. */
const CANCELLED = /^Request cancelled\b/;

/** What the program says to the user: no message. */
function wordTelling(record: JsonObject): Telling {
  const isStop = record['type'] === 'error' || CANCELLED.test(textOf(record['content']) ?? '');
  return { at: timeOf(record), line: record, isStop, mark: idOf(record['id']) };
}

/** What a record tells. */
export function tell(record: JsonObject, key: string): Telling {
  if (isRewind(record))
    return { line: record, type: '$rewindTo', view: { type: 'rewind', to: String(record['$rewindTo']) } };
  if (isChange(record)) return changes(record);
  if (isHeader(record))
    return { at: readTime(textOf(record['startTime']) ?? ''), about: aboutOf(record), line: record, type: 'header' };
  if (!isMessage(record)) return { at: timeOf(record), line: record };
  return isTalk(record) ? messageTelling(record, key) : wordTelling(record);
}

/** The same of a chat that lies among the user's own. */
function tellAmongOthers(record: JsonObject, key: string): Telling {
  const telling = tell(record, key);
  return telling.type === 'header' ? { ...telling, about: aboutAmongOthers(record) } : telling;
}

export const geminiDialect: Dialect = {
  agent: AGENT_NAME,
  read: readRecords,
  tell,
  derive,
  question: ({ toolName, input }) => questionOf(toolName, input),
  answer: answerOf,
};

export const amongOthers: Dialect = { ...geminiDialect, tell: tellAmongOthers };
