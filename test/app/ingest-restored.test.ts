// A line that was missing in the midst of a transcript when it was read first: a call that comes with it finds its result.
import { describe, expect, test } from 'vitest';
import { grown } from '../agents/support/grown.ts';
import { fsck } from '../support/store.ts';

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;
const textOf = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Returns the stored state of a file that was read first without one of its lines, and that of the whole file read at once. */
function restored(lines: object[], missing: number) {
  const whole = grown([textOf(lines)]);
  const read = grown([textOf(lines.filter((_, index) => index !== missing)), textOf(lines), textOf(lines)]);
  expect(fsck(read.project.store)).toBe('');
  return { whole, read };
}

describe('Claude Code', () => {
  const line = (uuid: string, parentUuid: string | null, second: number, message: object, more: object = {}) => ({
    ...{ type: 'user', uuid, parentUuid, isSidechain: false, sessionId: 's1', cwd: '/p', version: '2.1.119' },
    ...{ timestamp: at(second), message: { role: 'user', ...message }, ...more },
  });
  const said = (uuid: string, parent: string, second: number, id: string, block: object) => ({
    ...line(uuid, parent, second, {}),
    type: 'assistant',
    message: { id, role: 'assistant', model: 'm', stop_reason: 'tool_use', content: [block] },
  });
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'a.txt' }];
  const lines = [
    line('u1', null, 0, { content: 'Add a retry' }),
    said('a1', 'u1', 1, 'msg_1', { type: 'text', text: 'I look first.' }),
    said('a2', 'a1', 2, 'msg_1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }),
    line('r1', 'a2', 3, { content }, { toolUseResult: { stdout: 'a.txt', stderr: '', interrupted: false } }),
    said('a3', 'r1', 4, 'msg_2', { type: 'text', text: 'Done.' }),
  ];

  test('a call that comes back has the result that was kept without it', () => {
    const { whole, read } = restored(lines, 2);
    expect(read.deeds).toEqual(whole.deeds);
    expect(read.state).toEqual(whole.state);
    const parts = (read.messages as { parts: { toolCallId?: string; state?: string }[] }[]).flatMap(
      (each) => each.parts,
    );
    const calls = parts.filter(({ toolCallId }) => toolCallId === 't1');
    expect(calls).toMatchObject([{ state: 'output-available', input: { command: 'ls' } }]);
  });
});
