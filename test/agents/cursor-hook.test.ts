// What the hooks of Cursor tell with its transcript, and what becomes of the session: through the real hook command.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NOON, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { A, sound, statusOf, workTree } from './support/projects.ts';

let dir: string;
let transcript: string;
let now: number;

beforeEach(() => {
  dir = workTree();
  transcript = join(dir, '..', 'transcript.jsonl');
  now = NOON;
  writeFileSync(transcript, '');
});

/** Runs one hook; gives what Cursor reads. */
function tell(hook_event_name: string, fields: object = {}): string {
  const about = { conversation_id: A, workspace_roots: [dir], transcript_path: transcript, hook_event_name };
  const ran = run(['hook', 'cursor'], { cwd: dir, now, input: JSON.stringify({ ...about, ...fields }) });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout;
}

function line(role: 'user' | 'assistant', text: string): void {
  appendFileSync(transcript, `${JSON.stringify({ role, message: { content: [{ type: 'text', text }] } })}\n`);
}

/** The user's words, with what Cursor writes around them. */
const typed = (words: string): string =>
  `<timestamp>Saturday, Nov 21, 2026, 12:00 PM (UTC)</timestamp>\n<user_query>\n${words}\n</user_query>`;

const prompt = (words: string): string => tell('beforeSubmitPrompt', { prompt: words });
const state = (): unknown => statusOf(dir).session_state;

describe('an interruption has the user’s own words', () => {
  test.each(['before the prompt', 'behind it'])('where the transcript tells them %s', (when) => {
    if (when === 'before the prompt') line('user', typed('Fix the lint'));
    prompt('Fix the lint');
    if (when === 'behind it') line('user', typed('Fix the lint'));
    tell('stop', { status: 'aborted' });
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Fix the lint' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('note User intervention: Fix the lint');
    sound(dir);
  });
});
