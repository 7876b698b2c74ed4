// The message that has raised a question of ctx's can be read, also where the question was never answered or its answer taken back.
import { expect, test } from 'vitest';
import { NOON, type Repo, run, session } from '../support/cli.ts';

const RAISED = 'Different topic: eslint UNIQ';

function asked(): Repo {
  const repo = session('Add retry');
  repo.run(['observe', 'note', 'Decision: full jitter', '--flush']);
  expect(repo.run(['message', RAISED]).code).toBe(3);
  return repo;
}

test('after its answer was taken back', () => {
  const repo = asked();
  repo.run(['choose', 'A']);
  repo.run(['undo']);
  expect(repo.run(['show', 'STAGE', '--steps']).stdout).toContain(`  choice new_task: ${RAISED}\n`);
});

test('after the session was saved for its age', () => {
  const repo = asked();
  const later = { cwd: repo.dir, now: NOON + 9 * 86_400 };
  expect(run(['stage', 'cleanup'], later).code).toBe(0);
  expect(run(['message', 'Write the docs'], later).code).toBe(0);
  expect(run(['show', 'HEAD', '--steps'], later).stdout).toContain(`  choice new_task: ${RAISED}\n`);
});

test('one that is too long for the record leaves its beginning', () => {
  const repo = session('Add retry');
  repo.run(['observe', 'note', 'Decision: full jitter', '--flush']);
  repo.run(['message', '--as', 'new-task', '-'], { input: `Write ${'many words '.repeat(20_000)}` });
  repo.run(['choose', 'A']);
  repo.run(['undo']);
  expect(repo.run(['show', 'STAGE', '--steps']).stdout).toMatch(/ {2}choice new_task: Write many words .{20,400}…/);
});
