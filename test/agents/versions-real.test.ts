// Real chats and exports, where they lie beside the project, against a count that is made in another way: JSON.parse and sums.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { recogniseAgent } from '../../src/agents/index.ts';
import { expectConformance, someCuts, unfolded } from './support/conformance.ts';
import { linesKept, type Replay, replay } from './support/replay.ts';

const root = new URL('../../../shared/transcripts/', import.meta.url);
const isThere = existsSync(root);

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
type Loose = any;

interface Count {
  /** Lines of a file; of a document its messages and, before them, what is said of all. */
  records: number;
  messages: string[];
  calls: string[];
  tokens: number;
  cached: number;
}

/** Counts the contents of a text: the last version of each message counts. */
function countOf(text: string): Count {
  const isDocument = !text.trimEnd().includes('\n{');
  const document = isDocument ? JSON.parse(text) : null;
  const records: Loose[] = document
    ? [{}, ...document.messages]
    : text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
  const listed = records.flatMap((record) => record.$set?.messages ?? []);
  const last = new Map<string, Loose>();
  for (const record of records) if (record.id ?? record.content) last.set(record.id ?? record.content[0].id, record);
  for (const record of listed) if (!last.has(record.id)) last.set(record.id, { ...record, tokens: null });
  const says = ({ type, content }: Loose): boolean =>
    type === 'assistant' ||
    type === 'gemini' ||
    (type === 'user' && (typeof content === 'string' || content.some((part: Loose) => !part.functionResponse)));
  const messages = [...last.values()].filter(says);
  const calls = messages.flatMap(({ toolCalls, content }) => [
    ...(toolCalls ?? []),
    ...(Array.isArray(content) ? content.filter((part: Loose) => part.type === 'tool_use') : []),
  ]);
  const used = messages.flatMap(({ tokens }) => tokens ?? []);
  return {
    records: records.length,
    messages: [...last].flatMap(([id, record]) => (says(record) ? [id] : [])).sort(),
    calls: calls.map(({ id }) => id).sort(),
    tokens: used.reduce((sum, { total }) => sum + total, 0),
    cached: used.reduce((sum, { cached }) => sum + cached, 0),
  };
}

/** The same of what the reader told. */
function toldIn(result: Replay): Count {
  const { input = 0, output = 0, cache_read = 0 } = result.usage;
  const parts = [...result.messages.values()].flatMap((message) => message.parts);
  return {
    records: linesKept(result),
    messages: [...result.messages.keys()].sort(),
    calls: parts.flatMap((part) => (part['toolCallId'] ? [String(part['toolCallId'])] : [])).sort(),
    tokens: input + output + cache_read,
    cached: cache_read,
  };
}

const folders = ['gemini', 'gemini-current', 'opencode'];
const files = isThere
  ? folders.flatMap((folder) => readdirSync(new URL(`${folder}/`, root)).map((name) => `${folder}/${name}`))
  : [];

describe.skipIf(!isThere)(`real transcripts${isThere ? '' : ' (skipped: there are none beside the project)'}`, () => {
  test.each(files)('%s', (file) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    // Not by the folder: one of a Gemini CLI lies in that of opencode.
    const agent = recogniseAgent(text);
    expect(agent?.name).toBe(text.includes('"agent":"opencode"') ? 'opencode' : 'gemini');
    if (!agent) return;
    const lines = unfolded(agent, text);
    const whole = replay(lines, [], false, agent);
    expect(toldIn(whole)).toEqual(countOf(text));
    expect(whole.problems).toEqual([]);
    expectConformance(agent, lines, someCuts(lines.length));
  });

  test('there is something to count', () => {
    const counts = files.map((file) => countOf(readFileSync(new URL(file, root), 'utf8')));
    expect(counts.flatMap(({ messages }) => messages).length).toBeGreaterThan(80);
    expect(counts.flatMap(({ calls }) => calls).length).toBeGreaterThan(40);
    expect(counts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(100_000);
  });
});
