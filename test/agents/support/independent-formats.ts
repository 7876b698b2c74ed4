// Reads and counts each format without any of our readers: sets and sums over its records.
import { opinionOf } from './independent.ts';
import { rolloutOpinion } from './rollout-opinion.ts';

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
export type Loose = any;

export interface Told {
  messages: number;
  /** Tool calls, each once; results without a call are none. */
  calls: number;
  tokens: Record<string, number>;
}

export interface Format {
  name: string;
  /** Checks if a record is one that only this format has. */
  is: (record: Loose) => boolean;
  count: (records: Loose[], lines: string[]) => Told;
}

const total = (records: readonly Loose[], of: (record: Loose) => number | undefined): number =>
  records.reduce((sum, record) => sum + (of(record) ?? 0), 0);
const blocksOf = (record: Loose): Loose[] => (Array.isArray(record.message?.content) ? record.message.content : []);
const callsIn = (blocks: Loose[], type: string): number => blocks.filter((block) => block.type === type).length;

/** Checks if a file is a sub-agent's own: its first message is. */
function isSubAgents(records: Loose[]): boolean {
  const first = records.find(({ type, message }) => message && (type === 'user' || type === 'assistant'));
  return first?.isSidechain === true && first.agentId !== undefined;
}

const codex: Format = {
  name: 'codex',
  is: (record) => record.type === 'session_meta' && record.payload !== undefined,
  count: (_records, lines) => {
    const { messages, calls, usage } = rolloutOpinion(lines);
    return { messages, calls, tokens: usage };
  },
};

const claudeCode: Format = {
  name: 'claude-code',
  is: (record) => record.sessionId !== undefined && record.uuid !== undefined && record.type !== undefined,
  count: (records, lines) => {
    const { messages, calls, usage } = opinionOf(lines, isSubAgents(records));
    return { messages: messages.size, calls: calls.size, tokens: usage };
  },
};

const cursor: Format = {
  name: 'cursor',
  is: (record) => record.role !== undefined && record.message !== undefined && record.type === undefined,
  count: (records) => ({
    messages: records.filter(({ role, message }) => role && message).length,
    calls: callsIn(records.flatMap(blocksOf), 'tool_use'),
    tokens: {},
  }),
};

const SPOKEN_IN_PI = ['message', 'custom_message', 'compaction', 'branch_summary'];

const pi: Format = {
  name: 'pi',
  is: (record) => record.type === 'session' && record.cwd !== undefined,
  count: (records) => {
    const spoken = records.filter(({ type }) => SPOKEN_IN_PI.includes(type));
    const results = spoken.filter(({ message }) => message?.role === 'toolResult');
    // Usage before the day on which a branch was made belongs to the session that it is a branch of.
    const [first] = records;
    const isBranch = (first?.parentSession ?? first?.branchedFrom) !== undefined;
    const own = records.filter(({ timestamp }) => !isBranch || timestamp >= first?.timestamp);
    const used = own.flatMap((record) => record.message?.usage ?? record.usage ?? []);
    return {
      messages: spoken.length - results.length,
      calls: callsIn(records.flatMap(blocksOf), 'toolCall'),
      tokens: {
        input: total(used, ({ input }) => input),
        output: total(used, ({ output }) => output),
        cache_read: total(used, ({ cacheRead }) => cacheRead),
        cache_write: total(used, ({ cacheWrite }) => cacheWrite),
      },
    };
  },
};

const copilot: Format = {
  name: 'copilot',
  is: (record) => record.type === 'session.start' && record.data?.sessionId !== undefined,
  count: (records) => {
    const of = (type: string): Loose[] => records.filter((record) => record.type === type).map(({ data }) => data);
    const models = of('session.shutdown').flatMap(({ modelMetrics }) => Object.values(modelMetrics) as Loose[]);
    const used = models.map(({ usage }) => usage);
    return {
      messages: of('user.message').length + of('assistant.message').length,
      calls: of('assistant.message').flatMap(({ toolRequests }) => toolRequests).length,
      tokens: {
        input: total(used, (usage) => usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens),
        output: total(used, ({ outputTokens }) => outputTokens),
        cache_read: total(used, ({ cacheReadTokens }) => cacheReadTokens),
      },
    };
  },
};

/** The sessions of Droid have no tokens. */
const droid: Format = {
  name: 'droid',
  is: (record) => record.type === 'session_start' && record.cwd !== undefined,
  count: (records) => {
    const spoken = records.filter(({ type }) => type === 'message');
    const isAnswer = (record: Loose): boolean => {
      const blocks = blocksOf(record);
      return blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result');
    };
    return {
      messages: spoken.filter((record) => !isAnswer(record)).length,
      calls: callsIn(spoken.flatMap(blocksOf), 'tool_use'),
      tokens: {},
    };
  },
};

/** Checks if a message is nothing but results of calls, which are no words of the user's. */
const isResults = (content: Loose): boolean =>
  Array.isArray(content) && content.length > 0 && content.every(({ functionResponse }) => functionResponse);

const gemini: Format = {
  name: 'gemini',
  is: (record) => record.sessionId !== undefined && record.projectHash !== undefined,
  count: (records) => {
    const told: Loose[] = records.flatMap((record) => record.$set?.messages ?? [record]);
    const spoken = told.filter(
      ({ id, type, content }) => id && ['user', 'gemini'].includes(type) && !isResults(content),
    );
    // One that is told again is the same message: the last word counts.
    const latest = [...new Map(spoken.map((message) => [message.id, message])).values()];
    const used = [...new Map(told.flatMap(({ id, tokens }) => (id && tokens ? [[id, tokens] as const] : []))).values()];
    return {
      messages: latest.length,
      calls: new Set(spoken.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ id }: Loose) => id)).size,
      tokens: {
        input: total(used, ({ input, cached, tool }) => input - cached + tool),
        output: total(used, ({ output, thoughts }) => output + thoughts),
        cache_read: total(used, ({ cached }) => cached),
      },
    };
  },
};

const acp: Format = {
  name: 'acp',
  is: (record) => record.dir !== undefined && record.raw !== undefined,
  count: (records) => {
    const sent = records.map(({ raw }) => JSON.parse(raw));
    const updates: Loose[] = sent.flatMap(({ params }) => params?.update ?? []);
    const of = (type: string): Loose[] => updates.filter(({ sessionUpdate }) => sessionUpdate === type);
    const over = of('tool_call_update').filter(({ status }) => status === 'completed').length;
    const refused = sent.filter(({ result }) => result?.outcome?.optionId === 'reject').length;
    // A message ends where a call comes back, or is refused: those, the one after the last, and the prompt.
    return { messages: over + refused + 2, calls: of('tool_call').length, tokens: {} };
  },
};

/** Of opencode there is but a transcript that a keeper has made compact: no tokens, and results inside the calls. */
const opencode: Format = {
  name: 'opencode',
  is: (record) => record.agent === 'opencode' && record.v !== undefined,
  count: (records) => ({
    messages: records.length,
    calls: callsIn(
      records.flatMap(({ content }) => content),
      'tool_use',
    ),
    tokens: {},
  }),
};

export const FORMATS: readonly Format[] = [codex, claudeCode, pi, copilot, gemini, opencode, acp, cursor, droid];
