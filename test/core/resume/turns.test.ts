// The turns of a conversation, and those of a session that was recorded by hand.
import { expect, test } from 'vitest';
import type { ViewedMessage } from '../../../src/core/conversation/view.ts';
import { REQUEST } from '../../../src/core/resume/own-words.ts';
import { turnsOf, turnsOfRecords } from '../../../src/core/resume/turns.ts';

const said = (role: 'user' | 'assistant', text: string, metadata: ViewedMessage['metadata'] = {}): ViewedMessage => ({
  id: text,
  role,
  parts: [{ type: 'text', text }],
  metadata,
});
const call = (more: object): never => ({ type: 'dynamic-tool', toolName: 'Bash', toolCallId: 'c', ...more }) as never;

test('a turn begins with each message of the user, and has all that answers it', () => {
  const answer: ViewedMessage = {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'hmm' },
      { type: 'text', text: 'I look.' },
      call({ state: 'output-available', input: { command: 'ls' }, output: 'a.ts' }),
      call({ state: 'output-error', input: { command: 'cat b' }, errorText: 'no such file' }),
      call({ state: 'input-available', input: { command: 'sleep 9' } }),
    ],
  };
  expect(turnsOf([said('user', 'Fix it', { created_at: 7 }), answer, said('user', 'And test it')])).toEqual([
    [
      { who: 'user', text: 'Fix it', at: 7 },
      { who: 'agent', text: 'I look.', at: null },
      { who: 'tool', text: 'Bash {"command":"ls"}\n→ a.ts', at: null },
      { who: 'tool', text: 'Bash {"command":"cat b"}\n→ error: no such file', at: null },
      { who: 'tool', text: 'Bash {"command":"sleep 9"}\n→ error: aborted by host restart', at: null },
    ],
    [{ who: 'user', text: 'And test it', at: null }],
  ]);
});

test('the summary of a compaction and what comes before the first user are a turn of their own', () => {
  const turns = turnsOf([said('user', 'Goal: …', { is_compact_summary: true }), said('assistant', 'On it.')]);
  expect(turns).toEqual([
    [
      { who: 'summary', text: 'Goal: …', at: null },
      { who: 'agent', text: 'On it.', at: null },
    ],
  ]);
});

test('what an earlier resume has handed over is in no turn', () => {
  expect(turnsOf([said('user', REQUEST), said('assistant', 'I resume.')])).toEqual([
    [{ who: 'agent', text: 'I resume.', at: null }],
  ]);
});

test('instructions and surroundings that the program itself has written are in no turn', () => {
  const messages: ViewedMessage[] = [
    { id: 's', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    said('user', '<environment_context>', { is_meta: true }),
    said('user', 'They tried B.', { is_meta: true, is_branch_summary: true }),
    said('user', 'Fix it'),
  ];
  expect(turnsOf(messages).map((turn) => turn.map(({ who, text }) => [who, text]))).toEqual([
    [['summary', 'They tried B.']],
    [['user', 'Fix it']],
  ]);
});

test('without messages the records themselves are the history', () => {
  const record = (kind: string, fields: object): never => ({ version: 1, id: 'r', kind, at: 5, ...fields }) as never;
  const turns = turnsOfRecords([
    record('task', { content: 'Add retry' }),
    record('plan', { content: 'first, then' }),
    record('command', { command: 'npm test', exit_code: 1 }),
    record('read', { path: 'a.ts' }),
    record('note', { role: 'question', content: 'Question for user: how often?' }),
    record('note', { role: 'response', content: 'User response: 3 times' }),
    record('transition', {
      from: { kind: 'Running' },
      to: { kind: 'PendingComplete', summary: 'It retries.' },
      by: 'done',
    }),
    record('transition', { from: { kind: 'PendingComplete' }, to: { kind: 'Running' }, by: 'reopen' }),
  ]);
  expect(turns).toEqual([
    [
      { who: 'user', text: 'Add retry', at: 5 },
      { who: 'agent', text: 'Plan: first, then', at: 5 },
      { who: 'tool', text: 'npm test (exit 1)', at: 5 },
      { who: 'agent', text: 'Question for user: how often?', at: 5 },
    ],
    [
      { who: 'user', text: 'User response: 3 times', at: 5 },
      { who: 'agent', text: 'It retries.', at: 5 },
    ],
  ]);
});
