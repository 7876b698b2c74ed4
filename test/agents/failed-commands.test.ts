// Commands whose call failed: what came to a bad end has run, what was refused or never began has not.
import { expect, test } from 'vitest';
import { derive as ofAcp } from '../../src/agents/acp/call-records.ts';
import { derive as ofCopilot } from '../../src/agents/copilot/format.ts';
import { derive as ofGemini } from '../../src/agents/gemini/derive.ts';
import { readHook } from '../../src/agents/gemini/hook.ts';
import { derive as ofOpencode } from '../../src/agents/opencode/derive.ts';
import type { ToolPart } from '../../src/agents/shared/parts.ts';
import type { JsonValue } from '../../src/core/json.ts';
import type { ToolRecord } from '../../src/core/session/hook-event.ts';

const input = { command: 'npm test' };

function told(records: readonly ToolRecord[]): unknown[] {
  return records.map(({ body }) => [body['command'], body['exit_code'], body['output']]);
}

const failed = (text: string, structured?: JsonValue) => ({
  callId: 'c',
  content: text,
  text,
  failed: true,
  structured,
});
const part = (toolName: string, fields: Partial<ToolPart>): ToolPart => ({
  ...{ type: 'dynamic-tool', toolName, toolCallId: 'c', state: 'output-error', input },
  ...fields,
});

test.each<[string, string, JsonValue | undefined, unknown[]]>([
  ['a number', '1 failed', { exit_code: 3 }, [['npm test', 3, '1 failed']]],
  ['words', 'Exit code 2\n1 failed', undefined, [['npm test', 2, 'Exit code 2\n1 failed']]],
  ['more words', 'exited with code: 4', undefined, [['npm test', 4, 'exited with code: 4']]],
  ['a refusal', 'The user refused: No', undefined, []],
])('ACP: %s', (_name, text, raw, expected) => {
  const around = { part: undefined, memory: {} };
  expect(told(ofAcp('execute', input, failed(text, raw), '/work', around).records)).toEqual(expected);
  expect(ofAcp('edit', { path: 'a.js' }, failed(text, raw), '/work', around).records).toEqual([]);
});

test.each<[string, Partial<ToolPart>, unknown[]]>([
  ['an exit code', { errorText: 'Output: 1 failed\nExit Code: 3' }, [['npm test', 3, '1 failed']]],
  ['an exit code alone', { errorText: 'Exit Code: 3' }, [['npm test', 3, 'Exit Code: 3']]],
  ['parts', { output: [{ text: 'Output: a\nSignal: 9' }] }, [['npm test', null, 'a']]],
  ['a refusal', { errorText: '[Operation Cancelled] Reason: User denied execution.' }, []],
  ['no such folder', { errorText: 'Directory must be a workspace directory.' }, []],
  ['no result yet', { state: 'input-available' }, []],
])('Gemini CLI: %s', (_name, fields, expected) => {
  expect(told(ofGemini(part('run_shell_command', fields), '/work'))).toEqual(expected);
  expect(ofGemini(part('read_file', fields), '/work')).toEqual([]);
});

test('reads the result of a command from a hook of Gemini CLI that reports it in parts', () => {
  const event = readHook({
    hook_event_name: 'AfterTool',
    session_id: 's',
    tool_name: 'run_shell_command',
    tool_input: input,
    tool_response: { llmContent: [{ text: 'Output: 1 failed\nExit Code: 3' }], error: { message: 'It failed.' } },
  });
  const records = event?.happened.what === 'tool' ? event.happened.records : [];
  expect(told(records)).toEqual([['npm test', 3, '1 failed']]);
});

test.each<[string, Partial<ToolPart>, unknown[]]>([
  ['an exit code', { errorText: 'It failed.', result: { exit: 3, output: '1 failed' } }, [['npm test', 3, '1 failed']]],
  ['an abort', { errorText: 'Aborted.', result: { output: '1 of 9' } }, [['npm test', null, '1 of 9']]],
  ['only words', { errorText: 'It failed.', result: { exit: 2 } }, [['npm test', 2, 'It failed.']]],
  ['a refusal', { errorText: 'The user rejected permission.', result: {} }, []],
])('opencode: %s', (_name, fields, expected) => {
  expect(told(ofOpencode(part('bash', fields), '/work'))).toEqual(expected);
  expect(ofOpencode(part('edit', { ...fields, input: { filePath: 'a.js' } }), '/work')).toEqual([]);
});

test.each<[string, string, unknown[]]>([
  ['an exit code', '1 failed\n<exited with exit code 3>', [['npm test', 3, '1 failed']]],
  ['a refusal', 'The user rejected this tool call.', []],
])('Copilot CLI: %s', (_name, text, expected) => {
  expect(told(ofCopilot('bash', input, failed(text), '/work'))).toEqual(expected);
  expect(ofCopilot('view', { path: 'a.js' }, failed(text), '/work')).toEqual([]);
});

test('a command of nothing but blanks is none', () => {
  for (const command of ['', ' \n']) {
    const payload = {
      hook_event_name: 'AfterTool',
      session_id: 'a',
      tool_name: 'run_shell_command',
      tool_input: { command },
    };
    expect(readHook(payload)?.happened).toMatchObject({ what: 'tool', records: [] });
  }
});
