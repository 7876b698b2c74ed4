// Tests the model's view when a message came, in conversations that readers of transcripts have recorded.
import { expect, test } from 'vitest';
import { foldConversation } from '../../../src/core/conversation/fold.ts';
import { compactionsOf, nearestOfUser, rewindTo, uncompact } from '../../../src/core/conversation/rewind.ts';
import { sightAt } from '../../../src/core/conversation/sight.ts';
import type { AnyBody } from '../../../src/core/records/record.ts';

let count = 0;
const say = (id: string, parent?: string, metadata: object = {}): AnyBody => ({
  kind: 'message',
  message: {
    id,
    role: id.startsWith('a') ? 'assistant' : 'user',
    parts: [{ type: 'text', text: id }],
    metadata: { ...(parent === undefined ? {} : { parent_id: parent }), ...metadata },
  },
});
const summary = (id: string): AnyBody => say(id, undefined, { is_compact_summary: true });
const overlay = (op: string, reason: string, ids: string[]): AnyBody => {
  count += 1;
  return { kind: 'overlay', id: `o${count}`, op, ids, reason };
};

const at = (records: AnyBody[], id: string): string => {
  const conversation = foldConversation(records);
  const message = conversation.messages.get(id);
  return message ? [...sightAt(conversation, message)].join(' ') : 'no message';
};

const TALK = [say('u1'), say('a1', 'u1'), say('u2', 'a1'), say('a2', 'u2')];

test('what an agent had hidden before a message stays hidden', () => {
  expect(at([...TALK, overlay('hide', 'branch', ['u2', 'a2']), say('u3', 'a1'), say('a3', 'u3')], 'u3')).toBe(
    'u1 a1 u3',
  );
});

test('what a reader hides only at the end of a turn was hidden when the turn began', () => {
  expect(at([...TALK, say('u3', 'a1'), say('a3', 'u3'), overlay('hide', 'branch', ['u2', 'a2'])], 'u3')).toBe(
    'u1 a1 u3',
  );
});

test('a message on a line that the agent has left is seen with its own line', () => {
  const left = [...TALK, overlay('hide', 'branch', ['u2', 'a2']), say('u3', 'a1'), say('a3', 'u3')];
  expect(at(left, 'u2')).toBe('u1 a1 u2');
});

test('the messages of another line are not seen with a message whose line was shown again', () => {
  const back = [
    ...TALK,
    overlay('hide', 'branch', ['u2', 'a2']),
    say('u3', 'a1'),
    say('u4', 'a2'),
    overlay('hide', 'branch', ['u3']),
    overlay('show', 'branch', ['u2', 'a2']),
  ];
  expect(at(back, 'u4')).toBe('u1 a1 u2 a2 u4');
});

test('a compaction of an agent that came later hid nothing when a message came', () => {
  const compacted = [...TALK, overlay('hide', 'compaction', ['u1', 'a1', 'u2', 'a2']), summary('s1'), say('u3', 's1')];
  expect(at(compacted, 'u2')).toBe('u1 a1 u2');
  expect(at(compacted, 'u3')).toBe('s1 u3');
});

test('a compaction counts from its summary, even if the reader records it after the next message', () => {
  const late = [...TALK, summary('s1'), say('u3', 's1'), overlay('hide', 'compaction', ['u1', 'a1', 'u2', 'a2'])];
  expect(at(late, 'u3')).toBe('s1 u3');
  expect(at(late, 'u2')).toBe('u1 a1 u2');
});

test('each of two compactions of an agent has its own summary', () => {
  const records = [
    ...TALK,
    overlay('hide', 'compaction', ['u1', 'a1', 'u2', 'a2']),
    summary('s1'),
    say('u3', 's1'),
    overlay('hide', 'compaction', ['s1', 'u3']),
    summary('s2'),
    say('u4', 's2'),
  ];
  const conversation = foldConversation(records);
  expect(compactionsOf(conversation).map(({ summary: one, summarised }) => [one.id, summarised.join(' ')])).toEqual([
    ['s1', 'u1 a1 u2 a2'],
    ['s2', 's1 u3'],
  ]);
  expect(uncompact(conversation)).toMatchObject({ hide: ['s2'], show: ['s1', 'u3'] });
});

test('a rewind past a compaction of an agent hides the summary and what follows, and shows what was summarised', () => {
  const conversation = foldConversation([
    ...TALK,
    overlay('hide', 'compaction', ['u1', 'a1', 'u2', 'a2']),
    summary('s1'),
    say('u3', 's1'),
  ]);
  const message = conversation.messages.get('u2');
  expect(message && rewindTo(conversation, message)).toEqual({ hide: ['s1', 'u3'], show: ['u1', 'a1', 'u2'] });
});

test('the nearest messages of the user are one before and one after; summaries are not the user’s', () => {
  const conversation = foldConversation([...TALK, summary('s1'), say('u3', 's1')]);
  const near = (id: string): string[] =>
    nearestOfUser(conversation, conversation.messages.get(id)?.place ?? 0).map((one) => one.id);
  expect(near('a1')).toEqual(['u1', 'u2']);
  expect(near('a2')).toEqual(['u2', 'u3']);
  expect(near('u1')).toEqual(['u2']);
});
