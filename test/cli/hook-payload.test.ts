// Payloads of hooks that are larger than what is held whole: kept shortened, with a word where they are cut, and never lost.
import { existsSync, writeFileSync } from 'node:fs';
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

describe.each([18, 44])('a payload of %i MB, most of which is', (megabytes) => {
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

describe('a secret that lies across the cut', () => {
  /** Half of each of these is found by no rule. */
  const SECRETS: [name: string, secret: string, kept: number][] = [
    ['a token', 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 20],
    ['the password in a URL', 'postgres://admin:hunter2Secret99@db.example.com/app', 30],
    ['a password with blanks', "password='correct horse battery staple'", 25],
    [
      'a private key',
      `-----BEGIN RSA PRIVATE KEY-----\n${'hV7kQz2mXbN4wLr9TgYc3JpD8sFu6aEi\n'.repeat(20)}-----END RSA PRIVATE KEY-----`,
      150,
    ],
  ];
  const across = (secret: string, kept: number): string =>
    `${'word '.repeat(MEGABYTE / 4).slice(0, MEGABYTE - kept - 1)} ${secret} ${long(17)}`;
  const shown = (repo: Repo): string => {
    const { session_id } = repo.json<ActiveStatus & { session_id: string }>(['stage', 'status']);
    return (
      repo.run(['--json', 'show', session_id, '--steps']).stdout +
      repo.git('cat-file', '--batch-all-objects', '--batch')
    );
  };

  test.each(SECRETS)('of a payload: %s', (_, secret, kept) => {
    const repo = repository();
    repo.run(['hook', 'claude-code'], { input: of(repo, { hook_event_name: 'UserPromptSubmit', prompt: 'Begin' }) });
    repo.run(['hook', 'claude-code'], { input: of(repo, tool({}, { stdout: across(secret, kept) })) });
    repo.run(['stage', 'flush']);
    const text = shown(repo);
    expect(text).toContain(MARK);
    expect(text).not.toContain(
      secret
        .slice(0, kept - 5)
        .split('\n')
        .at(-1),
    );
    expect(text).not.toContain(secret.slice(secret.startsWith('-') ? 32 : 0).slice(0, 12));
  });

  test.each(SECRETS)('of a line of a transcript: %s', (_, secret, kept) => {
    const repo = repository();
    const file = join(repo.dir, '..', 's1.jsonl');
    const of = { sessionId: 's1', cwd: repo.dir, isSidechain: false, timestamp: '2026-02-03T04:05:06.000Z' };
    const lines = [
      { ...of, type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Begin' } },
      {
        ...{ ...of, type: 'assistant', uuid: 'a1', parentUuid: 'u1' },
        message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: across(secret, kept) }] },
      },
    ];
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    expect(repo.run(['ingest', '--here', file])).toMatchObject({ code: 0 });
    const text = repo.git('cat-file', '--batch-all-objects', '--batch');
    expect(text).toContain(MARK);
    expect(text).not.toContain(
      secret
        .slice(0, kept - 5)
        .split('\n')
        .at(-1),
    );
    expect(text).not.toContain(secret.slice(secret.startsWith('-') ? 32 : 0).slice(0, 12));
  });
});
