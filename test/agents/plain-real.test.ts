// Real transcripts, where they lie beside the project, against a count that is made in another way: JSON.parse and sums.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { agentNamed } from '../../src/agents/index.ts';
import { linesOf, type Replay, replay } from './support/replay.ts';

const root = new URL('../../../shared/transcripts/', import.meta.url);
const isThere = existsSync(root);

const filesIn = (folder: string): string[] =>
  isThere ? readdirSync(new URL(`${folder}/`, root)).map((name) => `${folder}/${name}`) : [];
const textOf = (name: string): string => readFileSync(new URL(name, root), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
type Loose = any;

interface Count {
  messages: number;
  calls: number;
  answered: number;
  tokens: Record<string, number>;
}

const total = (records: readonly Loose[], of: (record: Loose) => number | undefined): number =>
  records.reduce((sum, record) => sum + (of(record) ?? 0), 0);
const blocks = (records: readonly Loose[]): Loose[] =>
  records.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));

/** Contents of a file, by agent. */
const COUNTS: Record<'acp' | 'cursor' | 'pi' | 'copilot' | 'droid', (records: readonly Loose[]) => Count> = {
  cursor: (records) => ({
    messages: records.length,
    calls: blocks(records).filter(({ type }) => type === 'tool_use').length,
    answered: 0,
    tokens: {},
  }),
  pi: (records) => {
    // The usage of a branch before it was made belongs to its own session.
    const begun = (records[0].branchedFrom ?? records[0].parentSession) ? records[0].timestamp : '';
    const own = records.filter(({ timestamp }) => timestamp >= begun);
    const used = own.flatMap((record) => record.message?.usage ?? record.usage ?? []);
    const others = ['custom_message', 'compaction', 'branch_summary'];
    const results = records.filter(({ message }) => message?.role === 'toolResult').length;
    return {
      messages: records.filter(({ type }) => type === 'message' || others.includes(type)).length - results,
      calls: blocks(records).filter(({ type }) => type === 'toolCall').length,
      answered: results,
      tokens: {
        input: total(used, ({ input }) => input),
        output: total(used, ({ output }) => output),
        cache_read: total(used, ({ cacheRead }) => cacheRead),
        cache_write: total(used, ({ cacheWrite }) => cacheWrite),
      },
    };
  },
  acp: (records) => {
    const sent = records.map(({ raw }) => JSON.parse(raw));
    const updates = sent.flatMap(({ params }) => params?.update ?? []);
    const of = (type: string): Loose[] => updates.filter(({ sessionUpdate }) => sessionUpdate === type);
    const over = of('tool_call_update').filter(({ status }) => status === 'completed').length;
    const refused = sent.filter(({ result }) => result?.outcome?.optionId === 'reject').length;
    // A message ends where a call comes back, or is refused: those, the one after the last, and the prompt.
    return { messages: over + refused + 2, calls: of('tool_call').length, answered: over + refused, tokens: {} };
  },
  droid: (records) => {
    const spoken = records.filter(({ type }) => type === 'message');
    const of = (kind: string): number => blocks(spoken).filter(({ type }) => type === kind).length;
    const results = spoken.filter((record) => blocks([record]).some(({ type }) => type === 'tool_result')).length;
    return { messages: spoken.length - results, calls: of('tool_use'), answered: of('tool_result'), tokens: {} };
  },
  copilot: (records) => {
    const of = (type: string): Loose[] => records.filter((record) => record.type === type);
    const sums = of('session.shutdown').flatMap(({ data }) =>
      Object.values(data.modelMetrics).map((m: Loose) => m.usage),
    );
    const cached = (usage: Loose): number => usage.cacheReadTokens + usage.cacheWriteTokens;
    return {
      messages: of('user.message').length + of('assistant.message').length,
      calls: of('assistant.message').flatMap(({ data }) => data.toolRequests).length,
      answered: of('tool.execution_complete').length,
      tokens: {
        input: total(sums, (usage) => usage.inputTokens - cached(usage)),
        output: total(sums, (usage) => usage.outputTokens),
        cache_read: total(sums, (usage) => usage.cacheReadTokens),
      },
    };
  },
};

function countOf({ messages, usage }: Replay): Count {
  const calls = [...messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
  const answered = calls.filter((part) => part['errorText'] !== 'no result recorded').length;
  return { messages: messages.size, calls: calls.length, answered, tokens: usage };
}

const FOLDERS = [
  ['cursor', 'cursor'],
  ['pi', 'pi'],
  ['pi', 'pi-current'],
  ['copilot', 'copilot'],
  ['acp', 'acp'],
  ['droid', 'droid'],
] as const;
const files = FOLDERS.flatMap(([name, folder]) => filesIn(folder).map((file) => [file, name] as const));

describe.skipIf(!isThere)(`real transcripts${isThere ? '' : ' (skipped: there are none beside the project)'}`, () => {
  test.each(files)('%s', (file, name) => {
    const agent = agentNamed(name) as Agent;
    const lines = linesOf(textOf(file));
    const whole = replay(lines, [], false, agent);
    const { tokens, ...counts } = COUNTS[name](lines.map((line) => JSON.parse(line)));
    expect(countOf(whole)).toMatchObject(counts);
    for (const [key, value] of Object.entries(tokens)) expect([key, whole.usage[key] ?? 0]).toEqual([key, value]);
    expect(whole.problems).toEqual([]);
  });
});
