// Conversations with what is rare, written for every agent: each is written, keeps its texts, and violates no rule.
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import { isWritten, readTranscript, writeTranscript } from '../../src/app/exchange/native/transcript.ts';
import { historyOf } from '../../src/core/exchange/history.ts';
import { outputOf } from '../../src/core/exchange/output.ts';
import type { Message, Part } from '../../src/core/message.ts';
import { violations } from './provider-rules.ts';

const TARGETS = AGENTS.filter(isWritten);
const UUID = '0f2a7a3c-1111-4222-8333-444455556666';
const AT = 1_795_800_000;

const text = (words: string): Part => ({ type: 'text', text: words });
const said = (id: string, role: Message['role'], parts: Part[], metadata = {}): Message => ({
  id,
  role,
  parts,
  metadata: { created_at: AT, ...metadata },
});

/** A call with a picture in its result. */
function pictured(state: 'output-available' | 'output-error', completed_at = AT): Part {
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const output = [
    { type: 'text', text: 'seen' },
    { type: 'image', source },
  ];
  const failed = state === 'output-error' ? { errorText: 'seen' } : {};
  const call = { type: 'dynamic-tool', toolName: 'shot', toolCallId: 'c1', input: {} } as const;
  return { ...call, state, output, ...failed, completed_at } as Part;
}

const ASKED = said('u1', 'user', [text('Look.')]);
const DONE = said('a9', 'assistant', [text('Done.')]);

/** Texts that agents take for a command, for their own, or for a guarded one. */
const WORDS = [
  '/foo',
  '?',
  '\u200b/foo',
  '\u200b\u200b?',
  '\u200b',
  ' \u200b /x',
  '<hook_context>x</hook_context>',
  '<hook_context>x</hook_context> more',
  '\u200b<session_context>x',
  '<state_snapshot>x</state_snapshot>',
  '<system-reminder>x</system-reminder>',
  '<command-name>/x</command-name>',
  '[Request interrupted by user]',
  '<environment_context>x</environment_context>',
  '\ufeff/x',
];

/** A result that came after a later answer. */
const LATE = [
  ASKED,
  said('a1', 'assistant', [pictured('output-available', AT + 60)]),
  said('a2', 'assistant', [text('Meanwhile.')], { created_at: AT + 10 }),
  said('u2', 'user', [text('And now?')], { created_at: AT + 20 }),
];

const CASES: [string, Message[]][] = [
  ['a picture in a result', [ASKED, said('a1', 'assistant', [pictured('output-available')]), DONE]],
  ['a picture in the result of a failed call', [ASKED, said('a1', 'assistant', [pictured('output-error')]), DONE]],
  [
    'a summary of several texts',
    [
      said('s1', 'user', [text('And the shapes.'), text('Shapes were named.')], { is_compact_summary: true }),
      ASKED,
      DONE,
    ],
  ],
  ['a result that is later than the answer after it', LATE],
  [
    'a summary behind a message',
    [
      ASKED,
      said('s1', 'user', [text('It was seen.')], { is_compact_summary: true }),
      said('a2', 'assistant', [text('Yes.')]),
    ],
  ],
  ['messages that say nothing', [ASKED, said('a1', 'assistant', [text('  ')]), said('u2', 'user', []), DONE]],
  ...WORDS.flatMap((words): [string, Message[]][] => [
    [`${JSON.stringify(words)} of the user`, [ASKED, DONE, said('u2', 'user', [text(words)]), DONE]],
    [`${JSON.stringify(words)} of the agent`, [ASKED, said('a1', 'assistant', [text(words)])]],
  ]),
];

const wordsIn = ({ parts }: Message): string[] =>
  parts.flatMap((part) => (part.type === 'text' && String(part['text']).trim() !== '' ? [String(part['text'])] : []));

describe.each(TARGETS)('written for $name', (target) => {
  test.each(CASES)('%s', (_name, given) => {
    for (const isOwn of [false, true]) {
      const messages = given.map((message, index) => ({ ...message, id: `${message.id}-${index}` }));
      const about = { session: target.write.idOf(UUID), cwd: '/srv/app', at: AT, title: 'A title' };
      const draft = { ...about, messages, isOwn, thoughtsAsText: false, branch: null, model: null, provider: null };
      const { text: written, losses } = writeTranscript(target, draft);
      expect(violations(target.name, written, isOwn)).toEqual([]);
      const found = historyOf(readTranscript(target, written).conversation, false).map(({ message }) => message);
      const left = new Set(losses.flatMap(({ message_ids }) => message_ids));
      const now = found.map((message) => wordsIn(message).join('\n\n'));
      for (const message of messages) if (!left.has(message.id)) expect(now).toContain(wordsIn(message).join('\n\n'));
      const blank = messages.filter((message) => wordsIn(message).length === 0 && !message.parts.some(isCall));
      const noted = losses.find(({ kind }) => kind === 'blank')?.message_ids ?? [];
      expect(noted).toEqual(blank.map(({ id }) => id));
    }
  });
});

const isCall = ({ type }: Part): boolean => type === 'dynamic-tool';

test.each(TARGETS)('the result of a call over the Agent Client Protocol is its text, written for $name', (target) => {
  const output = ['# My project', 'Its second part'].map((words) => ({ type: 'content', content: text(words) }));
  const call = {
    type: 'dynamic-tool',
    toolName: 'read',
    toolCallId: 'c1',
    input: {},
    state: 'output-available',
  } as const;
  const messages = [ASKED, said('a1', 'assistant', [{ ...call, output, completed_at: AT } as Part]), DONE];
  const about = { session: target.write.idOf(UUID), cwd: '/srv/app', at: AT, title: 'A title', isOwn: false };
  const draft = { ...about, messages, thoughtsAsText: false, branch: null, model: null, provider: null };
  const { text: written, losses } = writeTranscript(target, draft);
  const parts = historyOf(readTranscript(target, written).conversation, false).flatMap(({ message }) => message.parts);
  expect(parts.filter(isCall).map((part) => outputOf(part).text)).toEqual(['# My project\nIts second part']);
  expect(losses).toEqual([]);
});

test.each([false, true])('the times of Claude Code ascend though a result was late (its own: %s)', (isOwn) => {
  const [target] = TARGETS.filter(({ name }) => name === 'claude-code') as [(typeof TARGETS)[number]];
  const about = { session: UUID, cwd: '/srv/app', at: AT, title: 'A title', branch: null, model: null, provider: null };
  const { text: written, losses } = writeTranscript(target, { ...about, messages: LATE, isOwn, thoughtsAsText: false });
  const times = [...written.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time]) => time);
  expect(times).toEqual([...new Set(times)].sort());
  expect(losses.filter(({ kind }) => kind === 'time')).toEqual([]);
});
