// Payloads of hooks that are larger than what is held whole: kept shortened, with a word where they are cut, and never lost.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { type Repo, type RunOptions, repository } from '../support/cli.ts';

const MARK = '… (cut off by ctx)';
const MEGABYTE = 1024 * 1024;
const long = (megabytes: number): string => 'pack my box with five dozen jugs '.repeat((megabytes * MEGABYTE) / 33);

const of = (repo: Repo, event: object): string =>
  JSON.stringify({ session_id: '0b6f2c52-4a3e-4d5b-9c41-2f7d8e9a1b3c', transcript_path: '', cwd: repo.dir, ...event });

const tool = (input: object, response: object): object => ({
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'make all', ...input },
  tool_response: { stdout: 'ok', stderr: '', interrupted: false, ...response },
  tool_use_id: 'toolu_01',
});

/** Payloads, and what of them is kept. */
const PAYLOADS: [name: string, event: (megabytes: number) => object, kept: RegExp][] = [
  [
    'the prompt',
    (size) => ({ hook_event_name: 'UserPromptSubmit', prompt: `Mend it. ${long(size)}` }),
    /Mend it\. pack my box/,
  ],
  ['the result of a tool', (size) => tool({}, { stdout: long(size) }), /make all/],
  ['what a tool was given', (size) => tool({ description: long(size) }, {}), /make all/],
  [
    'the last message',
    (size) => ({ hook_event_name: 'Stop', last_assistant_message: `Done. ${long(size)}` }),
    /Done\. pack my box/,
  ],
  [
    'many texts of some length',
    (size) => tool({}, { parts: Array.from({ length: size * 10 }, () => long(0.1)) }),
    /make all/,
  ],
  [
    'many short texts',
    (size) => tool({}, { parts: Array.from({ length: size * 36_000 }, () => 'a line of no great length') }),
    /make all/,
  ],
  ['many numbers', (size) => tool({}, { parts: Array.from({ length: size * 130_000 }, () => 1_234_567) }), /make all/],
];

describe.each([18, 72])('a payload of %i MB, most of which is', (megabytes) => {
  test.each(PAYLOADS)('%s, is kept and noted nowhere as an error', (name, event, kept) => {
    const repo = repository();
    const hook = (payload: string, options: RunOptions = {}) =>
      repo.run(['hook', 'claude-code'], { input: payload, ...options });
    expect(hook(of(repo, { hook_event_name: 'UserPromptSubmit', prompt: 'Begin the work' }))).toMatchObject({
      code: 0,
      stderr: '',
    });
    const payload = of(repo, event(megabytes));
    expect(payload.length).toBeGreaterThan(16 * MEGABYTE);
    expect(hook(payload)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(repo.store, 'hook-errors.jsonl'))).toBe(false);
    repo.run(['stage', 'flush']);
    const { session_id } = repo.json<ActiveStatus & { session_id: string }>(['stage', 'status']);
    const { stdout } = repo.run(['--json', 'show', session_id, '--steps']);
    expect(stdout).toMatch(kept);
    if (/prompt|message/.test(name)) expect(repo.git('grep', '-c', MARK.slice(2), 'STAGE')).not.toBe('');
  });
});
