// Tests the marks that ctx keeps outside of a store: a mark for each store that may run programs, and none of stores that have been gone for long.
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, run } from '../support/cli.ts';

const MONTH = 30 * 86_400;

test('the mark of a store that has been gone for a month is removed, and no other', () => {
  const home = folder('home-');
  const marks = join(home, 'state', 'ctx', 'trusted');
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const made = (): { dir: string; mark: string } => {
    const dir = folder('project-');
    const before = new Set(readdirSync(home).includes('state') ? readdirSync(marks) : []);
    expect(run(['init'], { cwd: dir, env }).code).toBe(0);
    const [mark = ''] = readdirSync(marks).filter((name) => !before.has(name));
    return { dir, mark };
  };
  const [gone, lately, there] = [made(), made(), made()];
  rmSync(gone.dir, { recursive: true });
  renameSync(lately.dir, `${lately.dir}-away`);
  const old = Date.now() / 1000 - MONTH - 60;
  for (const { mark } of [gone, there]) utimesSync(join(marks, mark), old, old);
  mkdirSync(join(marks, 'a folder'));
  expect(run(['gc', '--dry-run'], { cwd: there.dir, env }).code).toBe(0);
  expect(readdirSync(marks)).toContain(gone.mark);
  expect(run(['gc'], { cwd: there.dir, env }).code).toBe(0);
  expect(readdirSync(marks).sort()).toEqual(['a folder', lately.mark, there.mark].sort());
  utimesSync(join(marks, lately.mark), old, old);
  const { mark } = made();
  expect(readdirSync(marks).sort()).toEqual(['a folder', there.mark, mark].sort());
});
