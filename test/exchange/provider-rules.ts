// Checks a written transcript by the rules of its agent and of providers. Written from the rules, without the code that writes.
import type { JsonObject } from '../../src/core/json.ts';

type Records = readonly JsonObject[];

/** Elements to which every request of a provider is reduced. */
type Turn =
  | { type: 'text'; role: string; text: string }
  | { type: 'call'; id: unknown; input: unknown; name: unknown }
  | { type: 'result'; id: unknown };

/** A group of turns that one party sends together. */
interface Group {
  role: 'user' | 'assistant';
  turns: Turn[];
}

const object = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};
const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(object) : []);
const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks if pi can show the usage of a message on a terminal: it ends if a number is absent. */
const isWholeUsage = (usage: JsonObject): boolean =>
  ['input', 'output', 'cacheRead', 'cacheWrite', 'totalTokens'].every((name) => typeof usage[name] === 'number') &&
  typeof object(usage['cost'])['total'] === 'number';

/** The rules that every provider has. */
function* common(groups: readonly Group[], mayBeginWithAgent: boolean): Generator<string> {
  const ids = new Set<unknown>();
  let open: unknown[] = [];
  if (groups[0]?.role === 'assistant' && !mayBeginWithAgent) yield 'the history begins with the agent';
  for (const { role, turns } of groups) {
    if (turns.length === 0) yield `an empty message of the ${role}`;
    for (const turn of turns) {
      if (turn.type === 'text' && turn.text.trim() === '') yield `an empty text of the ${role}`;
      if (turn.type === 'result') {
        if (!open.includes(turn.id)) yield `a result without its call: ${turn.id}`;
        open = open.filter((id) => id !== turn.id);
      } else if (turn.type === 'call') {
        if (role !== 'assistant') yield `a call of the ${role}`;
        if (typeof turn.id !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(turn.id)) yield `the id of a call: ${turn.id}`;
        if (ids.has(turn.id)) yield `a second call with the id ${turn.id}`;
        if (typeof turn.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(turn.name))
          yield `a tool named ${turn.name}`;
        if (!isPlainObject(turn.input)) yield `the input of ${turn.id} is no object`;
        ids.add(turn.id);
        open.push(turn.id);
      } else if (turn.role === 'user' && open.length > 0) yield `words of the user between ${open} and the result`;
    }
  }
  if (open.length > 0) yield `calls without a result: ${open}`;
  for (const id of ids)
    if (typeof id === 'string' && /_\d+$/.test(id) && ids.has(id.replace(/_\d+$/, '')))
      yield `${id} is another id with a number`;
}

function* claudeCode(records: Records, isOwn: boolean): Generator<string> {
  const chained = records.filter((record) => 'parentUuid' in record);
  const [times, uuids] = [new Set<unknown>(), new Set<unknown>()];
  let last: unknown = null;
  for (const record of chained) {
    if (record['parentUuid'] !== last) yield `${record['uuid']} is not chained to the record before it`;
    if (uuids.has(record['uuid'])) yield `a second record ${record['uuid']}`;
    if (times.has(record['timestamp'])) yield `a second record of ${record['timestamp']}`;
    if (
      !isOwn &&
      Date.parse(String(record['timestamp'])) <
        Math.max(0, ...[...times].slice(-1).map((time) => Date.parse(String(time))))
    )
      yield `${record['timestamp']} is before the record before it`;
    if (record['isSidechain'] !== false) yield 'a side chain';
    for (const key of ['sessionId', 'cwd', 'version']) if (typeof record[key] !== 'string') yield `no ${key}`;
    last = record['uuid'];
    uuids.add(last);
    times.add(record['timestamp']);
  }
  const boundary = chained.findLastIndex(({ subtype }) => subtype === 'compact_boundary');
  if (boundary >= 0 && object(chained[boundary + 1])['isCompactSummary'] !== true)
    yield 'a boundary without its summary';
  const groups: Group[] = [];
  const seen = new Set<unknown>();
  let speaking: unknown = null;
  for (const { type, message: given, isCompactSummary } of chained.slice(boundary + 1)) {
    if (type !== 'user' && type !== 'assistant') continue;
    const message = object(given);
    const blocks =
      typeof message['content'] === 'string' ? [{ type: 'text', text: message['content'] }] : list(message['content']);
    const turns = blocks.flatMap((block): Turn[] => {
      if (block['type'] === 'text') return [{ type: 'text', role: type, text: String(block['text']) }];
      if (block['type'] === 'tool_use')
        return [{ type: 'call', id: block['id'], name: block['name'], input: block['input'] }];
      return block['type'] === 'tool_result'
        ? [{ type: 'result', id: block['tool_use_id'] }]
        : [{ type: 'text', role: type, text: String(block['type']) }];
    });
    if (!isOwn && blocks.some((block) => /thinking/.test(String(block['type'])))) yield 'thoughts of another agent';
    if (isCompactSummary === true && type !== 'user') yield 'a summary of the assistant';
    if (type === 'assistant') {
      if (message['id'] !== speaking && seen.has(message['id'])) yield `the message ${message['id']} begins again`;
      if (typeof message['model'] !== 'string') yield 'no model';
      if (!isOwn && /claude|sonnet|opus|haiku/i.test(String(message['model'])))
        yield `the model ${message['model']} overrides the choice`;
      speaking = message['id'];
      seen.add(speaking);
    }
    groups.push({ role: type, turns });
  }
  yield* common(groups, false);
}

function* codex(records: Records, isOwn: boolean): Generator<string> {
  const meta = object(records[0]?.['payload']);
  if (records[0]?.['type'] !== 'session_meta') yield 'no session_meta';
  for (const key of ['id', 'timestamp', 'cwd', 'originator', 'cli_version'])
    if (typeof meta[key] !== 'string') yield `session_meta without ${key}`;
  for (const key of ['model_provider', 'base_instructions', 'history_mode'])
    if (key in meta) yield `session_meta with ${key}`;
  const groups: Group[] = [];
  for (const [index, { timestamp, type, payload: given, ctx_message: of }] of records.entries()) {
    if (typeof timestamp !== 'string') yield `line ${index + 1} has no time`;
    if (type !== 'response_item') continue;
    const item = object(given);
    if ('id' in item) yield `line ${index + 1} has an id`;
    if (item['type'] === 'message') {
      if (!['user', 'assistant', 'developer'].includes(String(item['role']))) yield `the role ${item['role']}`;
      if (item['role'] === 'developer' && !isOwn) yield 'instructions of another agent';
      const role = item['role'] === 'assistant' ? 'assistant' : 'user';
      if (!Array.isArray(item['content'])) yield `line ${index + 1}: the content is no list`;
      const turns = list(item['content']).map(({ type: kind, text, image_url: url }): Turn => {
        const isText = kind === (role === 'assistant' ? 'output_text' : 'input_text');
        const isImage = kind === 'input_image' && typeof url === 'string' && url.startsWith('data:');
        return { type: 'text', role, text: isText ? String(text) : isImage ? 'image' : isOwn ? String(kind) : '' };
      });
      const next = object(records[index + 1]?.['payload']);
      const shows = { user: 'user_message', assistant: 'agent_message' }[role];
      if (item['role'] === 'assistant' && next['type'] !== shows && !isOwn)
        yield `line ${index + 1}: people do not see it`;
      groups.push({ role, turns });
    } else if (item['type'] === 'reasoning') {
      if (!isOwn) yield 'thoughts of another agent';
      if (!Array.isArray(item['summary'])) yield 'thoughts without a summary';
    } else if (/_call$/.test(String(item['type']))) {
      const { call_id: id, name, arguments: text } = item;
      if (item['type'] === 'function_call' && typeof text !== 'string') yield `the arguments of ${id} are no text`;
      if (item['type'] === 'function_call')
        groups.push({ role: 'assistant', turns: [{ type: 'call', id, name, input: JSON.parse(String(text)) }] });
      if (item['type'] === 'custom_tool_call')
        groups.push({ role: 'assistant', turns: [{ type: 'call', id, name, input: {} }] });
    } else if (/_call_output$/.test(String(item['type']))) {
      const { output, call_id: id } = item;
      const isList =
        Array.isArray(output) &&
        list(output).every(({ type: kind }) => kind === 'input_text' || kind === 'input_image');
      if (typeof output !== 'string' && !isList) yield `the output of ${id}`;
      groups.push({ role: 'user', turns: [{ type: 'result', id }] });
    } else yield `an item of the type ${item['type']}`;
    if (typeof of === 'object') yield 'a mark that is no text';
  }
  yield* common(groups, true);
}

function* gemini(records: Records, isOwn: boolean): Generator<string> {
  const [header = {}, ...messages] = records;
  for (const key of ['sessionId', 'projectHash', 'startTime', 'lastUpdated', 'summary'])
    if (!header[key]) yield `a header without ${key}`;
  if ('id' in header) yield 'a header with an id';
  const ids = new Set<unknown>();
  const groups: Group[] = [];
  for (const record of messages) {
    if (ids.has(record['id']) || typeof record['id'] !== 'string') yield `the id ${record['id']}`;
    ids.add(record['id']);
    if (record['type'] !== 'user' && record['type'] !== 'gemini') yield `the type ${record['type']}`;
    if ('toolCalls' in record) yield 'calls that Gemini CLI sends twice';
    if (!isOwn && 'thoughts' in record) yield 'thoughts of another agent';
    const role = record['type'] === 'gemini' ? 'assistant' : 'user';
    const parts = list(record['content']);
    const turns = parts.flatMap((part): Turn[] => {
      const [call, response] = [object(part['functionCall']), object(part['functionResponse'])];
      if ('functionCall' in part) return [{ type: 'call', id: call['id'], name: call['name'], input: call['args'] }];
      if ('functionResponse' in part) return [{ type: 'result', id: response['id'] }];
      return [
        { type: 'text', role, text: 'inlineData' in part ? 'file' : String(part['text'] ?? JSON.stringify(part)) },
      ];
    });
    const results = turns.filter(({ type }) => type === 'result').length;
    const before = groups.at(-1)?.turns.filter(({ type }) => type === 'call').length ?? 0;
    if (results !== (role === 'user' ? before : 0)) yield `${results} results behind ${before} calls`;
    for (const { text } of parts)
      if (role === 'user' && !isOwn && typeof text === 'string' && /^\s*(?:[/?]|<(?:hook|session)_context>)/.test(text))
        yield `Gemini CLI drops “${text.slice(0, 40)}”`;
    const words = turns.filter((turn) => !(results > 0 && turn.type === 'text'));
    if (turns.length > 0 || !isOwn) groups.push({ role, turns: words });
  }
  yield* common(groups, isOwn);
}

const OF_SESSION = ['id', 'slug', 'title', 'version'];
const OF_ASSISTANT = ['parentID', 'modelID', 'providerID', 'mode', 'agent', 'path', 'cost', 'tokens'];

function* opencode(records: Records, isOwn: boolean): Generator<string> {
  const [document = {}] = records;
  const about = object(document['info']);
  for (const key of OF_SESSION) if (typeof about[key] !== 'string') yield `a session without ${key}`;
  if (records.length !== 1 || !String(about['id']).startsWith('ses_')) yield 'no document of a session';
  let last = 0;
  let lastPart = '';
  const groups: Group[] = [];
  for (const { info: given, parts } of list(document['messages'])) {
    const info = object(given);
    const created = Number(object(info['time'])['created']);
    if (!(created > last)) yield `${info['id']} is not later than the message before it`;
    last = created;
    if (!String(info['id']).startsWith('msg_')) yield `the id ${info['id']}`;
    const role = info['role'] === 'assistant' ? 'assistant' : 'user';
    for (const key of role === 'assistant' ? OF_ASSISTANT : ['agent', 'model'])
      if (info[key] === undefined) yield `a message without ${key}`;
    const turns: Turn[] = [];
    for (const part of list(parts)) {
      const id = String(part['id']);
      if (!id.startsWith('prt_') || id <= lastPart) yield `the id ${id}`;
      lastPart = id;
      const state = object(part['state']);
      if (part['type'] === 'text') turns.push({ type: 'text', role, text: String(part['text']) });
      if (part['type'] === 'reasoning' && !isOwn) yield 'thoughts of another agent';
      if (part['type'] === 'file' && !/^(?:data:|https?:|file:)/.test(String(part['url'])))
        yield `the file ${part['url']}`;
      if (part['type'] !== 'tool') continue;
      if (state['status'] === 'completed' ? typeof state['output'] !== 'string' : typeof state['error'] !== 'string')
        yield `the state of ${part['callID']}`;
      if (state['time'] === undefined || (state['status'] === 'completed' && typeof state['title'] !== 'string'))
        yield `no time or title of ${part['callID']}`;
      turns.push({ type: 'call', id: part['callID'], name: part['tool'], input: state['input'] });
      turns.push({ type: 'result', id: part['callID'] });
    }
    const first = list(parts)[0]?.['type'];
    if (role === 'assistant' && !isOwn && first !== 'step-start') yield 'a message of the agent that begins no step';
    groups.push({ role, turns: turns.length > 0 ? turns : [{ type: 'text', role, text: String(first ?? '') }] });
  }
  yield* common(groups, false);
}

function* pi(records: Records, isOwn: boolean): Generator<string> {
  const [header = {}, ...entries] = records;
  if (header['type'] !== 'session' || header['version'] !== 3 || typeof header['cwd'] !== 'string') yield 'no header';
  const ids = new Set<unknown>();
  let last: unknown = null;
  const groups: Group[] = [];
  for (const entry of entries) {
    if (entry['parentId'] !== last) yield `${entry['id']} is not chained to the entry before it`;
    if (typeof entry['id'] !== 'string' || ids.has(entry['id'])) yield `the id ${entry['id']}`;
    last = entry['id'];
    ids.add(last);
    const user = (texts: readonly unknown[]): void => {
      const turns = texts.map((text): Turn => ({ type: 'text', role: 'user', text: String(text) }));
      groups.push({ role: 'user', turns });
    };
    // pi sends these in the name of the user.
    if (entry['type'] === 'compaction' || entry['type'] === 'branch_summary') user([entry['summary']]);
    if (entry['type'] === 'custom_message')
      user(list(entry['content']).map(({ type, text }) => (type === 'text' ? text : type)));
    if (entry['type'] !== 'message') continue;
    const message = object(entry['message']);
    const [role, content] = [String(message['role']), message['content']];
    if (role === 'bashExecution' && isOwn) {
      user([message['command']]);
      continue;
    }
    if (!['user', 'assistant', 'toolResult'].includes(role)) yield `the role ${role}`;
    if (!Array.isArray(content)) yield `the content of ${entry['id']} is no list`;
    if (role === 'assistant' && !isWholeUsage(object(message['usage']))) yield 'no usage that pi can add up';
    if (role === 'assistant' && !isOwn && ['api', 'provider', 'model'].some((key) => key in message))
      yield 'a model that overrides the choice';
    if (role === 'toolResult') {
      if (typeof message['isError'] !== 'boolean') yield 'a result that does not say whether it failed';
      groups.push({ role: 'user', turns: [{ type: 'result', id: message['toolCallId'] }] });
      continue;
    }
    if (!isOwn && list(content).some(({ type }) => type === 'thinking')) yield 'thoughts of another agent';
    const turns = list(content).map((block): Turn => {
      if (block['type'] === 'toolCall')
        return { type: 'call', id: block['id'], name: block['name'], input: block['arguments'] };
      return { type: 'text', role, text: String(block['type'] === 'text' ? block['text'] : block['type']) };
    });
    groups.push({ role: role === 'assistant' ? 'assistant' : 'user', turns });
  }
  yield* common(groups, false);
}

const RULES: Readonly<Record<string, (records: Records, isOwn: boolean) => Generator<string>>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  pi,
};

/** Returns how a transcript violates the rules of its agent and of providers. */
export function violations(agent: string, text: string, isOwn: boolean): string[] {
  const records = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
  return [...(RULES[agent]?.(records, isOwn) ?? ['no rules'])];
}
