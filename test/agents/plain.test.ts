// Transcripts of agents that ctx does not know.
import { expect, test } from 'vitest';
import { takers } from './support/conformance.ts';

test('what belongs to no agent that ctx knows is taken by none', () => {
  const kiro = { conversation_id: '', history: [{ user: { content: { Prompt: { prompt: 'Add it' } } } }] };
  const start = { type: 'session_start', id: 'y', title: 'odd' };
  expect(takers([JSON.stringify(start)])).toEqual([]);
  expect(takers([JSON.stringify(kiro)])).toEqual([]);
  expect(takers(['{"role":"user","content":"hello"}', '{"type":"session","payload":{}}', 'plain text'])).toEqual([]);
});
