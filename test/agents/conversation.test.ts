// Tests that the records of the readers form a conversation that can be read back: the fold agrees with a count made in another way.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { AGENTS, recogniseAgent } from '../../src/agents/index.ts';
import type { Conversation } from '../../src/core/conversation/conversation.ts';
import { emptyConversation } from '../../src/core/conversation/conversation.ts';
import { foldConversation } from '../../src/core/conversation/fold.ts';
import { view } from '../../src/core/conversation/view.ts';
import type { AnyBody } from '../../src/core/records/record.ts';
import { makeRecord } from '../../src/core/records/record.ts';
import { fixture, fixturesOf, someCuts, unfolded } from './support/conformance.ts';
import { type Replay, replay } from './support/replay.ts';

const shared = new URL('../../../shared/transcripts/', import.meta.url);

const fold = (bodies: readonly AnyBody[], into: Conversation = emptyConversation(), from = 0): Conversation =>
  foldConversation(
    bodies.map((body, index) => makeRecord(`r${from + index}`, 0, structuredClone(body))),
    into,
  );

/** Holds the fold of what was read against what the test's own assembly makes of the same records. */
function expectFolded(read: Replay): void {
  const folded = fold(read.bodies);
  expect([...folded.messages.keys()]).toEqual([...read.messages.keys()]);
  for (const [id, { role, parts }] of read.messages) {
    const message = folded.messages.get(id);
    expect(message?.role).toBe(role);
    expect(message?.parts.map(({ part }) => part)).toEqual(parts);
  }
  const model = [...view(folded, 'model')].map(({ message }) => message.id);
  expect([...model].sort()).toEqual([...read.visible].sort());
  // Step by step, wherever the steps end.
  const gradual = emptyConversation();
  for (let at = 0; at < read.bodies.length; at += 7) fold(read.bodies.slice(at, at + 7), gradual, at);
  expect(gradual).toEqual(folded);
}

function expectConversation(agent: Agent, lines: readonly string[]): void {
  expectFolded(replay(lines, [], true, agent));
  for (const cuts of someCuts(lines.length)) expectFolded(replay(lines, cuts, true, agent));
}

describe.each(AGENTS.map((agent) => [agent.name, agent] as const))('%s', (_name, agent) => {
  test.each(fixturesOf(agent))('the conversation of %s is read back', (name) => {
    expectConversation(agent, fixture(agent, name));
  });
});

describe.skipIf(!existsSync(shared))('transcripts of the real programs, if they are beside the project', () => {
  const names = existsSync(shared) ? readdirSync(shared, { recursive: true, encoding: 'utf8' }) : [];
  test.each(names.filter((name) => /\.jsonl?$/.test(name)))('the conversation of %s is read back', (name) => {
    const text = readFileSync(new URL(name, shared), 'utf8');
    const agent = recogniseAgent(text);
    if (agent) expectFolded(replay(unfolded(agent, text), [], true, agent));
  });
});
