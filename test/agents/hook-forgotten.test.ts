// A conversation that was forgotten while it goes on: nothing of it is kept, and whoever asks why is told.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InactiveStatus } from '../../src/app/session/status.ts';
import { showTime } from '../../src/core/time.ts';
import type { ActiveStatus } from '../../src/index.ts';
import { folder, git, json, NOON, run } from '../support/cli.ts';
import { Conversation } from './support/day.ts';

const [A, B] = ['aaaaaaaa-1111-4111-8111-111111111111', 'bbbbbbbb-2222-4222-8222-222222222222'];

const AT = showTime(NOON + 3600);

function workTree(): string {
  const dir = join(folder('forgotten-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  return dir;
}

const shown = (dir: string): string => run(['stage', 'status'], { cwd: dir }).stdout;
const status = (dir: string): InactiveStatus => json(['stage', 'status'], { cwd: dir });

/** Forgets the session of a conversation, an hour after noon, and goes on with it. */
function forgotten(dir: string, id: string): string {
  const talk = new Conversation(dir, id);
  talk.turn('Fix the parser', 'make', 'Fixed.');
  const { session_id } = json<ActiveStatus>(['stage', 'status'], { cwd: dir });
  expect(run(['forget', session_id, '--yes'], { cwd: dir, now: NOON + 3600 }).stdout).toContain('Forgot the session');
  talk.turn('Also fix the lexer', 'make lexer', 'Lexer fixed.');
  return session_id;
}

test('stage status reports the forgotten conversation, and that a new one is kept, until that begins a session', () => {
  const dir = workTree();
  const session_id = forgotten(dir, A);
  expect(shown(dir)).toBe(
    [
      'No session is active.',
      `The conversation of claude-code was forgotten at ${AT}: its turns are not kept. A new conversation is.`,
      'Begin one with: ctx start "<task>"',
      '',
    ].join('\n'),
  );
  expect(status(dir).forgotten).toEqual([{ agent: 'claude-code', session_id, forgotten_at: NOON + 3600 }]);
  forgotten(dir, B);
  expect(shown(dir)).toContain(
    `2 conversations of claude-code were forgotten, the last at ${AT}: their turns are not kept. A new conversation is.`,
  );
  const other = new Conversation(dir, 'cccccccc-3333-4333-8333-333333333333');
  other.now = NOON + 7200;
  other.turn('Write the manual', 'ls', 'Written.');
  run(['stage', 'compact'], { cwd: dir, now: NOON + 7200 });
  expect(status(dir).forgotten).toEqual([]);
  expect(shown(dir)).not.toContain('forgotten');
});

test('a list of what was forgotten that cannot be read keeps nobody from the rest', () => {
  const dir = workTree();
  forgotten(dir, A);
  writeFileSync(join(dir, '.ctx', 'forgotten.json'), 'torn');
  expect(status(dir)).toMatchObject({ active: false, forgotten: [] });
});
