// Every transcript, written for every agent: nothing that was said is missing, the losses are what is missing, and no rule is violated.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import {
  isWritten,
  readTranscript,
  type Transcript,
  type WrittenAgent,
  writeTranscript,
} from '../../src/app/exchange/native/transcript.ts';
import { foldConversation } from '../../src/core/conversation/fold.ts';
import { historyOf } from '../../src/core/exchange/history.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Message } from '../../src/core/message.ts';
import {
  type Transcript as Found,
  fixturesOf,
  hasReal,
  noReal,
  readingOf,
  realTranscripts,
} from '../agents/support/corpus.ts';
import { violations } from './provider-rules.ts';

const TARGETS = AGENTS.filter(isWritten);
const UUID = '0f2a7a3c-1111-4222-8333-444455556666';

function written(target: WrittenAgent, messages: readonly Message[], isOwn: boolean): Transcript {
  const about = { session: target.write.idOf(UUID), cwd: '/srv/app', at: 1_795_900_000, title: 'A title' };
  return writeTranscript(target, {
    ...about,
    messages,
    isOwn,
    thoughtsAsText: false,
    branch: null,
    model: null,
    provider: null,
  });
}

/** The messages of a transcript, as the model sees them or with what compactions have hidden. */
const messagesOf = (found: Found, isFull: boolean): Message[] =>
  historyOf(foldConversation(readingOf(found).bodies), isFull).map(({ message }) => message);

const partsOf = (messages: readonly Message[], matches: (part: JsonObject) => boolean): number =>
  messages.flatMap(({ parts }) => parts as unknown as JsonObject[]).filter(matches).length;

const isMark = ({ role, parts }: Message): boolean =>
  role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'data-compaction');

const wordsIn = ({ parts }: Message): string[] =>
  parts.flatMap((part) => (part.type === 'text' && String(part['text']).trim() !== '' ? [String(part['text'])] : []));

/** Compares by counts what the losses say, message by message what was said. */
function check(found: Found, target: WrittenAgent, isFull: boolean): void {
  const source = messagesOf(found, isFull);
  if (source.length === 0) return;
  const isOwn = target === found.agent;
  const { text, losses } = written(target, source, isOwn);
  const name = `${found.agent.name}/${found.name} for ${target.name}`;
  expect({ name, violations: violations(target.name, text, isOwn) }).toEqual({ name, violations: [] });
  const lost = (kind: string): number => losses.find((loss) => loss.kind === kind)?.count ?? 0;
  const dropped = new Set(losses.find(({ kind }) => kind === 'instructions')?.message_ids);
  const [before, all] = [
    source.filter((one) => !isMark(one) && !dropped.has(one.id) && (isOwn || one.role !== 'system')),
    historyOf(readTranscript(target, text).conversation, false),
  ];
  const after = all.map(({ message }) => message).filter((one) => !isMark(one));
  const isAdded = after.length === before.length + 1 && before[0]?.role === 'assistant';
  const now = isAdded ? after.slice(1) : after;
  expect(now.length, name).toBe(before.length);
  for (const [index, message] of before.entries()) {
    const other = now[index] as Message;
    if (message.metadata?.['is_compact_summary'] !== true) expect(other.role, name).toBe(message.role);
    const words = wordsIn(other);
    expect(
      wordsIn(message).filter((word) => !words.includes(word)),
      name,
    ).toEqual([]);
  }
  const difference = (matches: (part: JsonObject) => boolean): number =>
    partsOf(before, matches) - partsOf(now, matches);
  expect(lost('reasoning'), name).toBe(difference(({ type }) => type === 'reasoning'));
  expect(lost('file'), name).toBe(difference(({ type }) => type === 'file'));
  expect(lost('call'), name).toBe(difference(({ type }) => type === 'dynamic-tool'));
  // A result that became a text is one loss, whatever was in it.
  const spoken = (messages: readonly Message[]) => messages.filter(({ role }) => role === 'assistant');
  const isStructured = ({ type, result }: JsonObject): boolean => type === 'dynamic-tool' && result !== undefined;
  const structured = partsOf(spoken(before), isStructured) - partsOf(spoken(now), isStructured);
  expect(lost('structured-output'), name).toBe(structured);
  const without = (key: 'usage' | 'model'): number =>
    before.filter(
      ({ metadata }, index) =>
        metadata?.[key] !== undefined && JSON.stringify(now[index]?.metadata?.[key]) !== JSON.stringify(metadata[key]),
    ).length;
  expect([lost('model'), lost('usage')].join(), name).toBe(
    [without('model'), losses.some(({ kind }) => kind === 'usage') ? lost('usage') : 0].join(),
  );
}

describe.each(TARGETS)('written for $name', (target) => {
  test('every fixture of every agent', () => {
    for (const agent of AGENTS)
      for (const found of fixturesOf(agent)) for (const full of [false, true]) check(found, target, full);
  });

  test.skipIf(!hasReal)(`every real transcript${noReal}`, () => {
    for (const found of realTranscripts()) check(found, target, false);
  });

  test('transcripts that are cut off anywhere', () => {
    const sources = TARGETS.flatMap((agent) => fixturesOf(agent).slice(0, 2)).filter(({ lines }) => lines.length > 2);
    const cut = fc.tuple(fc.constantFrom(...sources), fc.double({ min: 0.05, max: 0.98, noNaN: true }));
    fc.assert(
      fc.property(cut, ([found, share]) => {
        const { conversation } = readTranscript(
          found.agent,
          `${found.lines.slice(0, Math.ceil(found.lines.length * share)).join('\n')}\n`,
        );
        const messages = historyOf(conversation, false).map(({ message }) => message);
        if (messages.length === 0) return;
        const isOwn = found.agent === target;
        expect(violations(target.name, written(target, messages, isOwn).text, isOwn)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

/**
 * Checks if a part is one that no provider takes, or replaces such a part: blank texts, and the beginnings of steps,
 * without which opencode mixes texts and calls.
 */
const isByRule = ({ type, text }: JsonObject): boolean =>
  type === 'data-step-start' ||
  (type === 'text' && /^\s*(?:\[(?:empty message|text): left out\])?$/.test(String(text)));

/**
 * Returns what makes a message the same: its role, and what was said, thought, called and came back. Losses cover the
 * rest.
 */
function sameness({ role, parts }: Message): unknown {
  const said = (parts as unknown as JsonObject[]).filter((part) => !isByRule(part));
  const told = said.map(({ id: _id, completed_at: _at, time: _time, title: _title, output, ...part }) => {
    const isMissing = part['errorText'] === 'no result recorded';
    return output === undefined || isMissing ? part : { ...part, output };
  });
  return { role, parts: told };
}

/** Kinds of losses of a transcript that is written for its own agent: rules of the provider alone. */
const BY_RULE = ['blank', 'call', 'call-id', 'instructions', 'time', 'usage', 'data-skill'];

describe.each(TARGETS)('a transcript of $name, written for itself', (target) => {
  const all = [...fixturesOf(target), ...(hasReal ? realTranscripts().filter(({ agent }) => agent === target) : [])];

  test('says the same, message for message', () => {
    let same = 0;
    for (const found of all) {
      const source = messagesOf(found, false);
      if (source.length === 0) continue;
      const { text, losses } = written(target, source, true);
      expect(
        losses.filter(({ kind }) => !BY_RULE.includes(kind)),
        found.name,
      ).toEqual([]);
      if (losses.length > 0 || source.some(isMark)) continue;
      const again = historyOf(readTranscript(target, text).conversation, false).map(({ message }) => message);
      expect(again.map(sameness), found.name).toEqual(source.map(sameness));
      same += 1;
    }
    expect(same).toBeGreaterThan(0);
  });

  test('is written once more to the same bytes', () => {
    const [found] = all;
    const source = messagesOf(found as Found, false);
    expect(written(target, source, true).text).toBe(written(target, source, true).text);
  });
});
