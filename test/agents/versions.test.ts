// Transcripts that tell a message again and again, of our own writing: what must be true of all of them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { agentNamed, recogniseAgent } from '../../src/agents/index.ts';
import { everyCut, expectConformance, fixture, fixturesOf, outcome, unfolded } from './support/conformance.ts';
import { assemble, linesOf, replay, replayRewritten } from './support/replay.ts';
import { lineInDocument, unfoldText } from './support/unfold.ts';

const agents = ['gemini', 'opencode'].map((name) => agentNamed(name) as Agent);
const textOf = (agent: Agent, name: string): string =>
  readFileSync(new URL(`../../fixtures/${agent.name}/${name}`, import.meta.url), 'utf8');

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (_name, agent) => {
  test.each(fixturesOf(agent))('%s: is the same cut anywhere, rewritten and read again', (name) => {
    const lines = fixture(agent, name);
    expectConformance(agent, lines, everyCut(lines));
    expect(recogniseAgent(textOf(agent, name))).toBe(agent);
  });

  test('lines are no document; a document is one however it is written', () => {
    for (const name of fixturesOf(agent)) {
      const text = textOf(agent, name);
      const lines = unfoldText(agent, text);
      expect(lines === null).toBe(name.endsWith('.jsonl'));
      if (lines === null) continue;
      const value = JSON.parse(text) as unknown;
      for (const indent of [0, 1, '\t']) expect(unfoldText(agent, JSON.stringify(value, null, indent))).toEqual(lines);
      expect(unfoldText(agent, `\ufeff${text}`)).toEqual(lines);
    }
  });

  test('a document that has grown: only what is new is given, also of the message that was last', () => {
    const before = replay(fixture(agent, 'grown-1.json'), [], false, agent);
    const after = fixture(agent, 'grown-2.json');
    const whole = replay(after, [], false, agent);
    const news = replayRewritten(before, after, agent);
    const again = assemble([...before.events, ...news], whole.cursor);
    const { lines: _lines, ...told } = outcome(again);
    const { lines: _all, ...expected } = outcome(whole);
    expect(told).toEqual(expected);
    const given = news.flatMap((event) => (event.type === 'record' ? [event.body.kind] : []));
    expect(given.filter((kind) => kind === 'message').length).toBe(whole.messages.size - before.messages.size);
    expect(given.filter((kind) => kind === 'part').length).toBeGreaterThan(0);
    expect(replayRewritten(again, after, agent)).toEqual([]);
  });

  test('reads a document that breaks off as far as possible, and keeps the rest unchanged', () => {
    const text = textOf(agent, 'grown-2.json');
    const lines = fixture(agent, 'grown-2.json');
    for (let end = 40; end < text.length; end += 97) {
      const torn = text.slice(0, end);
      const some = unfolded(agent, torn);
      // Whatever is left out of the header at the end of the file, the messages are the same.
      const whole = some.filter((line) => lines.slice(1).includes(line));
      expect(some.length - whole.length).toBeLessThanOrEqual(2);
      const result = replay(some, [], false, agent);
      expect([...replay(whole, [], false, agent).messages.keys()]).toEqual([...result.messages.keys()]);
      const raws = result.bodies.flatMap((body) =>
        body.kind === 'raw' && 'text' in body ? [String(body['text'])] : [],
      );
      expect(result.problems).toHaveLength(raws.length);
      for (const raw of raws) expect(torn.replaceAll('\n', ' ')).toContain(raw.trim());
    }
  });

  test('of each unfolded line is known on which line of the document it begins', () => {
    const value = JSON.parse(textOf(agent, 'grown-2.json')) as { messages: object[] };
    const text = JSON.stringify(value, null, 2);
    const count = value.messages.length;
    // The header, the messages, and what breaks off in the middle of the last of them.
    const torn = text.slice(0, text.lastIndexOf('"id"') + 2);
    const begins = torn.split('\n').flatMap((line, index) => (line === '    {' ? [index + 1] : []));
    const folded = unfolded(agent, torn).map((_, index) => lineInDocument(agent, torn, index + 1));
    expect(folded.slice(0, count + 1)).toEqual([1, ...begins]);
    expect(lineInDocument(agent, `${text}\n\n}} left`, count + 2)).toBe(text.split('\n').length + 2);
  });

  test('of a document, what is behind it and what is no message is kept and named', () => {
    const text = textOf(agent, 'grown-2.json').trimEnd();
    const result = replay(unfolded(agent, `${text}\n}} left over\n`), [], false, agent);
    expect(result.problems.map(({ message }) => message.slice(0, 11))).toEqual(['is not JSON']);
    const odd = text.replace(/"messages"\s*:\s*\[/, '$&7,');
    const oddly = replay(unfolded(agent, odd), [], false, agent);
    expect(oddly.problems).toEqual([{ line: 2, message: 'is JSON, but not an object; its text is kept' }]);
    expect(linesOf(unfolded(agent, odd).join('\n'))[1]).toBe('7');
  });
});
