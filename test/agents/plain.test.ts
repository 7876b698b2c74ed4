// Transcripts of agents that ctx does not know.
import { expect, test } from 'vitest';
import { takers } from './support/conformance.ts';

test('what belongs to no agent that ctx knows is taken by none', () => {
  const droid = {
    type: 'message',
    id: 'x',
    timestamp: '2026-03-30T18:50:09.639Z',
    message: { role: 'user', content: [] },
  };
  const start = { type: 'session_start', id: 'y', title: 'odd', version: 2, cwd: '/home/dev' };
  const kiro = { conversation_id: '', history: [{ user: { content: { Prompt: { prompt: 'Add it' } } } }] };
  expect(takers([JSON.stringify(start), JSON.stringify(droid)])).toEqual([]);
  expect(takers([JSON.stringify(kiro)])).toEqual([]);
  expect(takers(['{"role":"user","content":"hello"}', '{"type":"session","payload":{}}', 'plain text'])).toEqual([]);
});
