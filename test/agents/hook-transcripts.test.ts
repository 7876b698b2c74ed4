// A transcript that cannot be read: what the hooks themselves tell counts all the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';

const SILENT = ['', null, 'not/there/yet.jsonl'];
const TOLD = ['.', 'a-file/below.jsonl', 'nul\0byte.jsonl'];

test.each([...SILENT, ...TOLD])('%j as the transcript of Claude Code', (transcript_path) => {
  const dir = join(folder('transcript-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  writeFileSync(join(dir, 'a-file'), 'no folder');
  const tell = (hook_event_name: string, fields: object): void => {
    const payload = { session_id: 's1', transcript_path, cwd: dir, hook_event_name, ...fields };
    const ran = run(['hook', 'claude-code'], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  };
  tell('SessionStart', { source: 'startup' });
  tell('UserPromptSubmit', { prompt: 'Add retry' });
  tell('PostToolUse', { tool_name: 'Bash', tool_use_id: 'call', tool_input: { command: 'ls' }, tool_response: {} });
  tell('Stop', { last_assistant_message: 'Retry is in.' });
  tell('UserPromptSubmit', { prompt: 'Log it, too' });
  tell('Stop', { last_assistant_message: 'Logged.' });
  const { session_state } = json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON });
  expect(session_state).toEqual({ kind: 'PendingComplete', summary: 'Logged.' });
  expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('note User requested continuation: Log it, too');
  const errors = join(dir, '.ctx', 'hook-errors.jsonl');
  expect(existsSync(errors)).toBe(TOLD.includes(transcript_path as string));
  // Told where it would have been read, and only there.
  const lines = existsSync(errors) ? readFileSync(errors, 'utf8').trimEnd().split('\n') : [];
  expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(lines.length === 0 ? 0 : 4);
  fsck(dir);
});
