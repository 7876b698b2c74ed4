// A line that was missing in the midst of a transcript when it was read first: a call finds its result, and a command stands once.
import { describe, expect, test } from 'vitest';
import { grown } from '../agents/support/grown.ts';
import { fsck } from '../support/store.ts';

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;
const textOf = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** What a file comes to that was read first without one of its lines, and what it comes to at once. */
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

describe('Codex', () => {
  const line = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
  const item = (second: number, payload: object) => line(second, 'response_item', payload);
  const speech = (second: number, role: string, text: string) =>
    item(second, { type: 'message', role, content: [{ type: 'text', text }] });
  const command = { command: ['bash', '-lc', 'ls'] };
  const end = {
    type: 'exec_command_end',
    call_id: 'c1',
    command: command.command,
    exit_code: 0,
    aggregated_output: 'a\n',
  };
  const lines = [
    line(0, 'session_meta', { id: 'c1', cwd: '/p', cli_version: '1' }),
    speech(1, 'user', 'Count the doors'),
    item(2, { type: 'function_call', name: 'shell', call_id: 'c1', arguments: JSON.stringify(command) }),
    line(3, 'event_msg', end),
    item(4, {
      type: 'function_call_output',
      call_id: 'c1',
      output: 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\na\n',
    }),
    speech(5, 'assistant', 'One.'),
  ];

  test.each([3, 4])('a command stands once, whichever tells of it came later: line %i', (missing) => {
    const { whole, read } = restored(lines, missing);
    expect(whole.deeds).toEqual([['command', 'ls']]);
    expect(read.deeds).toEqual(whole.deeds);
  });
});
