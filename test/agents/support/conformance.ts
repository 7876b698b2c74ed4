// Checks every transcript of every agent, however it is cut, written again or read again.
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Agent } from '../../../src/agents/contract/agent.ts';
import { AGENTS } from '../../../src/agents/index.ts';
import { assemble, linesKept, linesOf, type Replay, replay, replayRewritten } from './replay.ts';
import { unfoldText } from './unfold.ts';

const fixtures = new URL('../../../fixtures/', import.meta.url);

/** The names of an agent's fixtures. */
export function fixturesOf(agent: Agent): string[] {
  return readdirSync(new URL(`${agent.name}/`, fixtures)).filter(
    (name) => /\.jsonl?$/.test(name) && !/^(expected|abilities)\.json$/.test(name),
  );
}

/** The lines of a text as the agent's reader gets them. */
export function unfolded(agent: Agent, text: string): string[] {
  return unfoldText(agent, text) ?? linesOf(text);
}

export function fixture(agent: Agent, name: string): string[] {
  return unfolded(agent, readFileSync(new URL(`${agent.name}/${name}`, fixtures), 'utf8'));
}

export const read = (agent: Agent, name: string): Replay => replay(fixture(agent, name), [], false, agent);

/** The texts of the messages that the model still sees, with their roles. */
export function seen(result: Replay): string[] {
  return result.visible.map((id) => {
    const message = result.messages.get(id);
    const texts = (message?.parts ?? []).flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
    return `${message?.role}: ${texts.join(' | ').split('\n')[0]}`;
  });
}

/** Lists the reads, writes and runs, one line each, with the call behind it. */
export function did(result: Replay): string[] {
  return result.derived.map(({ kind, path, content, command, exit_code, tool_call_id }) => {
    const by = tool_call_id === undefined ? '' : `${tool_call_id}: `;
    if (kind === 'command') return `${by}run ${command} → ${exit_code}`;
    if (kind === 'plan') return `${by}plan ${String(content).split('\n').join(' ')}`;
    return `${by}${kind} ${path}${content === undefined ? '' : `, ${String(content).length} characters`}`;
  });
}

/** Selects the results that must not depend on how often the file was read. A text that came in pieces is put together again. */
export function outcome(result: Replay) {
  const { visible, hidden, usage, apiMessages, derived, about } = result;
  const parts = [...result.messages.values()].map(({ id, role, parts, metadata }) => {
    const texts = parts.flatMap(({ type, text }) => (type === 'text' || type === 'reasoning' ? [text] : [])).join('');
    const others = parts.filter(({ type }) => type !== 'text' && type !== 'reasoning');
    const told = others.map((part) => JSON.stringify(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))));
    return [id, role, metadata['parent_id'] ?? null, metadata['is_meta'] ?? false, texts, told.sort()];
  });
  const { state } = result.cursor as { state?: unknown };
  const views = { visible: [...visible].sort(), hidden: [...hidden].sort() };
  return { ...views, usage, apiMessages, derived, about, parts, lines: linesKept(result), state };
}

/** Every agent that takes a text for one of its own: never more than one. */
export function takers(lines: readonly string[]): string[] {
  return AGENTS.filter((agent) => agent.recognises(lines.join('\n'))).map(({ name }) => name);
}

/** Counts the JSON objects and unreadable texts on lines: one, and more if a problem says so. */
function piecesOn(lines: readonly string[], result: Replay): number {
  const more = result.problems.map(({ message }) => {
    const [, glued] = /^holds (\d+) JSON objects/.exec(message) ?? [];
    const [, whole] = /(\d+) whole objects? on it, and the rest as text/.exec(message) ?? [];
    return Number(glued ?? 1) - 1 + Number(whole ?? 0);
  });
  return lines.filter(isFilled).length + more.reduce((sum, count) => sum + count, 0);
}

/** Checks if something stands on a line; a byte order mark is nothing. */
const isFilled = (line: string): boolean => line.replace(/^\ufeff/, '').trim() !== '';

/** The tokens of all messages; null where the agent does not tell them message by message. */
function usageOfMessages({ messages }: Replay): Record<string, number> | null {
  // A message that the program made up itself cost nothing, whatever it says.
  const real = [...messages.values()].filter(({ metadata }) => metadata['model'] !== '<synthetic>');
  const told = real.flatMap(({ metadata }) => (metadata['usage'] ? [metadata['usage']] : []));
  if (told.length === 0) return null;
  const sum: Record<string, number> = {};
  for (const usage of told) for (const [kind, tokens] of Object.entries(usage)) sum[kind] = (sum[kind] ?? 0) + tokens;
  return sum;
}

/** Agents that also tell of tokens beside their messages: of a compaction, or of the whole session at its end. */
const BESIDE_MESSAGES = ['copilot', 'pi'];

/** The tokens of the session are those of its messages: none is counted twice, and none is left out. */
function expectUsage(agent: Agent, whole: Replay): void {
  const usage = usageOfMessages(whole);
  if (!usage) return;
  if (!BESIDE_MESSAGES.includes(agent.name)) expect(withoutZeros(usage)).toEqual(withoutZeros(whole.usage));
  else for (const [kind, tokens] of Object.entries(usage)) expect(whole.usage[kind]).toBeGreaterThanOrEqual(tokens);
}

const withoutZeros = (usage: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== 0));

/** Holds of every file, read as a whole, in parts, and again. `starts`: where to cut it. */
export function expectConformance(
  agent: Agent,
  lines: readonly string[],
  starts: readonly (readonly number[])[],
): void {
  const whole = replay(lines, [], false, agent);
  const tools = [...whole.messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
  expect(tools.filter((part) => part['state'] === 'input-available')).toEqual([]);
  expect(linesKept(whole)).toBe(piecesOn(lines, whole));
  expectUsage(agent, whole);
  for (const cuts of starts) {
    const parts = replay(lines, cuts, false, agent);
    expect(outcome(parts)).toEqual(outcome(whole));
    expect(JSON.stringify(parts.cursor).length).toBeLessThan(20_000);
  }
  expectNothingNew(agent, whole, lines);
}

/** The same lines in a file that was written anew, fewer of them, and more of them. */
function expectNothingNew(agent: Agent, whole: Replay, lines: readonly string[]): void {
  const again = (before: Replay, those: readonly string[]) =>
    replayRewritten(before, those, agent).filter(({ type }) => type !== 'problem');
  expect(again(whole, lines)).toEqual([]);
  expect(again(whole, lines.slice(0, lines.length >> 1))).toEqual([]);
  const half = replay(lines.slice(0, lines.length >> 1), [], false, agent);
  const grown = assemble([...half.events, ...replayRewritten(half, lines, agent)]);
  expect(new Set(grown.visible)).toEqual(new Set(whole.visible));
  expect(grown.usage).toEqual(whole.usage);
  expect(grown.derived).toEqual(whole.derived);
  expect(linesKept(grown)).toBe(linesKept(whole));
}

/** Every line by itself, and a cut at each line. */
export function everyCut(lines: readonly string[]): number[][] {
  const everywhere = lines.map((_, index) => index).filter((index) => index > 0);
  return [everywhere, ...everywhere.map((start) => [start])];
}

/** A few places to cut a long file at, the same every time. */
export function someCuts(length: number): number[][] {
  return [1, 4, 9].map((count) =>
    Array.from({ length: count }, (_, index) => 1 + ((index * 7919 + length * 31) % Math.max(1, length - 1))),
  );
}
