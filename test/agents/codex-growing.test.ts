// A rollout of Codex that is ingested while it grows: the same as one ingest of the whole.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { fsck } from '../support/store.ts';
import { beginnings, grown } from './support/grown.ts';

let second = 0;
const line = (type: string, payload: JsonObject): string => {
  second += 1;
  return JSON.stringify({ timestamp: `2026-01-10T10:00:${String(second).padStart(2, '0')}.000Z`, type, payload });
};
const said = (role: string, text: string): string =>
  line('response_item', {
    ...{ type: 'message', role },
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
const META = line('session_meta', {
  id: 'aaaaaaaa-0000-4000-8000-00000000000c',
  cwd: '/home/dev/acme',
  cli_version: '1',
});
const thought = (): string =>
  line('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] });

test.each([
  [
    'a task that ends without its last words',
    [line('event_msg', { type: 'task_started' }), said('user', 'Paint the door'), said('assistant', 'It is painted.')],
    [line('event_msg', { type: 'task_complete' })],
  ],
  ['a thought behind the answer', [said('user', 'Paint the door'), said('assistant', 'It is painted.')], [thought()]],
])('%s', (_name, begun, rest) => {
  const lines = [META, ...begun, ...rest];
  const once = grown([`${lines.join('\n')}\n`]);
  expect(once.state).toEqual({ kind: 'PendingComplete', summary: 'It is painted.' });
  for (const texts of [beginnings(lines, begun.length + 1), beginnings(lines, begun.length)]) {
    const steps = grown(texts);
    expect({ ...steps, project: null }).toEqual({ ...once, project: null });
    expect(fsck(steps.project.store)).toBe('');
  }
});
