/** Projects that an agent works in, and what ctx says of them. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ActiveStatus, openRepository, sessionStatus } from '../../../src/index.ts';
import { folder, fsck, git, NOON, run } from '../../support/cli.ts';
import { templateOf } from '../../support/ground.ts';

/** Agents' own ids of two conversations. */
export const A = 'aaaaaaaa-1111-4111-8111-111111111111';
export const B = 'bbbbbbbb-2222-4222-8222-222222222222';

/** A Git work tree with nothing of ctx in it. */
export function workTree(): string {
  const dir = join(folder('tree-'), 'project');
  cpSync(
    templateOf('a work tree', (template) => git(template, 'init', '-q')),
    dir,
    { recursive: true },
  );
  return dir;
}

/** Makes ctx ask about every new task, and save nothing by itself. */
export function askAlways(dir: string): void {
  run(['init'], { cwd: dir, now: NOON });
  writeFileSync(join(dir, '.ctx', 'settings.json'), '{"questions": "always"}');
}

/** A work tree in which ctx asks about every new task. */
export function askingTree(): string {
  const dir = workTree();
  askAlways(dir);
  return dir;
}

/** The current session; of what is not active only `active` tells anything. */
export const statusOf = (dir: string, now = NOON): ActiveStatus =>
  JSON.parse(JSON.stringify(sessionStatus(openRepository({ directory: dir, clock: () => now }))));

/** Refs of the sessions that are open, or archived. */
export const refsOf = (dir: string, folderOfRefs: 'sessions' | 'archive'): string[] =>
  git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', `refs/${folderOfRefs}`).split('\n').filter(Boolean);

/** Git and ctx find nothing wrong. */
export function sound(dir: string): void {
  fsck(dir);
  expect(run(['fsck', '--full'], { cwd: dir })).toMatchObject({ code: 0 });
}
