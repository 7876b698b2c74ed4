/** The meaning of a record of a chat of Gemini CLI. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readTime } from '../../core/time.ts';
import type { About } from '../contract/agent.ts';
import { without } from '../shared/blocks.ts';
import { idOf, timeOf } from '../shared/fields.ts';
import type { Tokens } from '../shared/usage.ts';
import type { Dialect, Meaning, VersionMessage } from '../shared/versions/dialect.ts';
import { derive } from './derive.ts';
import { callsOf, partsOf, resultsIn } from './parts.ts';
import { answerOf, questionOf } from './questions.ts';
import { isChange, isHeader, isMessage, isRewind, readRecords } from './record.ts';
import { contentOf, folderIn, isSummary, promptOf, withoutContext } from './user-words.ts';

/** Returns the tokens of a message. Those of the prompt include those from the cache; those of the output exclude thoughts. */
function tokensOf(record: JsonObject): Tokens | undefined {
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

/** Returns whether a content has nothing beside its parts. */
function isPlain(content: JsonValue | undefined): boolean {
  return contentOf(content).every((element) => {
    const fields = objectOf(element);
    const text = textOf(fields?.['text']);
    return text !== undefined && Object.keys(fields ?? {}).length === 1 && withoutContext(text) === text;
  });
}

/** Returns the fields of a message beside its parts. */
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

function messageOf(record: JsonObject, id: string): VersionMessage {
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
    // If the user refuses every call, the agent does not continue.
    isStopped: calls.length > 0 && calls.every(([, call]) => call['status'] === 'cancelled'),
    continues: calls.length > 0,
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
  // The session that started it is in the path of the file (`parentAbove`).
  if (fields['kind'] === 'subagent') about.sub_agent_type = 'subagent';
  return about;
}

/**
 * Returns the information in the header of a chat that is not in a folder of its caller's: versions of early 2026 gave a
 * sub-agent the id of its caller. The time of its start makes the id unique.
 */
function aboutAmongOthers(fields: JsonObject): About {
  const { agent_session_id: caller, ...about } = aboutOf(fields);
  if (caller === undefined || about.sub_agent_type === undefined) return aboutOf(fields);
  const start = idOf(fields['startTime']) ?? 'sub-agent';
  return { ...about, agent_session_id: `${caller}/${start}`, parent_agent_session_id: caller };
}

/** Returns whether a record is part of the conversation, and no message of the program to the user. */
const isTalk = ({ type }: JsonObject): boolean => type === 'user' || type === 'gemini';

function changes(record: JsonObject): Meaning {
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
    return id === undefined ? [] : [{ id, meaning: listedMeaning(message, id, listed[index - 1]), record: message }];
  });
  return { at, about, line: { $set: others }, type: '$set', view: { type: 'list', messages: told } };
}

/** Returns the meaning of a message in the list of those in view. @param before the message before it */
function listedMeaning(record: JsonObject, id: string, before: JsonObject | undefined): Meaning {
  if (!isTalk(record)) return wordMeaning(record);
  const meaning = messageMeaning(record, id);
  const line = without(meaning.line, 'timestamp', 'type');
  const { message } = meaning;
  if (!message) return { ...meaning, line };
  if (isSummary(record)) {
    const metadata = { ...message.metadata, is_meta: true, is_compact_summary: true };
    return { ...meaning, line, message: { ...message, prompt: null, metadata } };
  }
  // The program answers its summary in the agent's name.
  const isPrograms = message.role === 'assistant' && !message.usage && before !== undefined && isSummary(before);
  const metadata = isPrograms ? { ...message.metadata, is_meta: true } : message.metadata;
  return { ...meaning, line, message: { ...message, metadata } };
}

function messageMeaning(record: JsonObject, key: string): Meaning {
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

/** The program's words after the user stopped the agent. */
const CANCELLED = /^Request cancelled\b/;

/** Returns the meaning of the program's words to the user, which are no message. */
function wordMeaning(record: JsonObject): Meaning {
  const isStop = record['type'] === 'error' || CANCELLED.test(textOf(record['content']) ?? '');
  return { at: timeOf(record), line: record, isStop, mark: idOf(record['id']) };
}

/** Returns the meaning of a record. */
function meaningOf(record: JsonObject, key: string): Meaning {
  if (isRewind(record))
    return { line: record, type: '$rewindTo', view: { type: 'rewind', to: String(record['$rewindTo']) } };
  if (isChange(record)) return changes(record);
  if (isHeader(record))
    return { at: readTime(textOf(record['startTime']) ?? ''), about: aboutOf(record), line: record, type: 'header' };
  if (!isMessage(record)) return { at: timeOf(record), line: record };
  return isTalk(record) ? messageMeaning(record, key) : wordMeaning(record);
}

/** Returns the meaning of a record in a chat that is among the user's own. */
function meaningAmongOthers(record: JsonObject, key: string): Meaning {
  const meaning = meaningOf(record, key);
  return meaning.type === 'header' ? { ...meaning, about: aboutAmongOthers(record) } : meaning;
}

export const geminiDialect: Dialect = {
  agent: 'gemini',
  read: readRecords,
  meaningOf,
  derive,
  question: ({ toolName, input }) => questionOf(toolName, input),
  answer: answerOf,
};

export const amongOthers: Dialect = { ...geminiDialect, meaningOf: meaningAmongOthers };
