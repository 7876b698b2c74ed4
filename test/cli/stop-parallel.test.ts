// Many processes that stop and resume one session at once: none is lost, and the store stays sound.
import { expect, test } from 'vitest';
import type { ResumableRow } from '../../src/app/resume/resumable.ts';
import { fsck, type Repo, type Result, session } from '../support/cli.ts';

/** Runs as many processes at once, every other one with other words. */
const crowd = (repo: Repo, count: number, ...lines: readonly (readonly string[])[]): Promise<Result[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) => repo.start(lines[index % lines.length] as readonly string[])),
  );

test('24 processes that stop and resume one session leave it whole, active or paused', async () => {
  const repo = session();
  repo.run(['observe', 'note', 'half done']);
  const ran = await crowd(repo, 24, ['stop'], ['resume', '1', '--no-launch']);
  // One that comes too late finds nothing to stop; none is busy for ever, and none fails otherwise.
  expect(ran.filter(({ code }) => code !== 0 && code !== 1)).toEqual([]);
  const rows = repo.json<ResumableRow[]>(['resume', '--list']);
  expect(rows).toHaveLength(1);
  const status = repo.json<{ active: boolean }>(['status']);
  expect(rows[0]?.status).toBe(status.active ? 'active' : 'paused');
  expect(repo.json<{ healthy: boolean }>(['fsck', '--full'])).toMatchObject({ healthy: true });
  fsck(repo.dir);
});

test('24 processes that resume one ended session continue it in one new session', async () => {
  const repo = session();
  repo.run(['observe', 'note', 'half done']);
  repo.run(['stage', 'compact']);
  const [old] = repo.json<ResumableRow[]>(['resume', '--list']);
  const ran = await crowd(repo, 24, ['resume', old?.session_id ?? '', '--no-launch']);
  expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
  const rows = repo.json<ResumableRow[]>(['resume', '--list']);
  expect(rows).toMatchObject([{ resumes: old?.session_id, status: 'active' }]);
  expect(repo.json<{ healthy: boolean }>(['fsck', '--full'])).toMatchObject({ healthy: true });
});
