// A transcript of Claude Code that is ingested while it grows: the same as one ingest of the whole.
import { describe, expect, test } from 'vitest';
import { fsck } from '../support/store.ts';
import { beginnings, grown } from './support/grown.ts';

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** One line; `parent` 0 for none. */
function line(number: number, parent: number, type: 'user' | 'assistant', message: object, more: object = {}): string {
  const place = { cwd: '/home/dev/acme', sessionId: 'aaaaaaaa-0000-4000-8000-000000000007', isSidechain: false };
  const timestamp = `2026-01-10T10:00:${String(number).padStart(2, '0')}.000Z`;
  const parentUuid = parent === 0 ? null : uuid(parent);
  return JSON.stringify({ parentUuid, ...place, type, uuid: uuid(number), timestamp, message, ...more });
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (id: string, block: object, stop_reason: string) => ({
  ...{ id, type: 'message', role: 'assistant', model: 'm', content: [block], stop_reason },
  usage: { input_tokens: 1, output_tokens: 1 },
});

const result = (id: string, content: string, more: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content, ...more }]);
const call = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });

test.each([
  ['that succeeded', {}, { stdout: 'a.txt', stderr: '', interrupted: false }],
  ['that failed', { is_error: true }, 'Error: Exit code 2'],
])(
  'matches the result of a command %s with its call on a later line, wherever the ingest was split',
  (_name, more, told) => {
    const lines = [
      line(1, 0, 'user', user('List')),
      line(3, 2, 'user', result('toolu_A', told === 'Error: Exit code 2' ? 'Exit code 2' : 'a.txt', more), {
        toolUseResult: told,
      }),
      line(2, 1, 'assistant', assistant('msg_1', call('toolu_A', 'ls'), 'tool_use')),
      line(4, 3, 'assistant', assistant('msg_2', { type: 'text', text: 'There is a.txt.' }, 'end_turn')),
    ];
    const once = grown([`${lines.join('\n')}\n`]);
    expect(once.deeds).toEqual([['command', 'ls']]);
    expect(once.messages).toMatchObject([{}, { isVisible: true }, { isVisible: true }, { isVisible: true }]);
    for (const texts of [
      beginnings(lines),
      ...[1, 2, 3].map((cut) => [...beginnings(lines.slice(0, cut), cut), ...beginnings(lines, 4)]),
    ]) {
      const steps = grown(texts);
      expect({ ...steps, project: null }).toEqual({ ...once, project: null });
      expect(fsck(steps.project.store)).toBe('');
    }
  },
);

const text = (words: string) => ({ type: 'text', text: words });
const PROMPTS = [line(1, 0, 'user', user('First task')), line(9, 3, 'user', user('Second task'))] as const;
const DURATION = JSON.stringify({
  ...{ parentUuid: uuid(2), type: 'system', subtype: 'turn_duration', uuid: uuid(3), isSidechain: false },
  ...{ timestamp: '2026-01-10T10:00:03.000Z', durationMs: 9 },
});

describe('the agent has answered', () => {
  const said = (number: number, block: object, stop: string): string =>
    line(number, number - 1, 'assistant', assistant('msg_1', block, stop));

  test.each([
    [
      'and the message goes on with a thought',
      said(3, { type: 'redacted_thinking', data: 'x' }, 'end_turn'),
      'end_turn',
      'Done.',
    ],
    [
      'and the message goes on with words',
      said(3, text('And tested.'), 'end_turn'),
      'end_turn',
      'Done.\n\nAnd tested.',
    ],
    ['and that the turn is over comes later', DURATION, 'pause_turn', 'Done.'],
  ])('%s: the session ends its turn, and the next prompt is a step of it', (_name, last, stop, summary) => {
    const lines = [PROMPTS[0], said(2, text('Done.'), stop), last, PROMPTS[1]];
    const end = { kind: 'PendingComplete', summary };
    for (const texts of [beginnings(lines, 4), beginnings(lines, 2), beginnings(lines)]) {
      const { moves, project } = grown(texts);
      const told = moves.slice(moves.findLastIndex((move) => JSON.stringify(move) === JSON.stringify(end)));
      expect(told).toEqual([end, 'User requested continuation: Second task', { kind: 'Running' }]);
      expect(fsck(project.store)).toBe('');
    }
  });
});
