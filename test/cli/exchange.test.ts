// Sessions that go from one machine to another, as a user types it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, NOON, PROGRAM, type Repo, repository } from '../support/cli.ts';

/** A project with an active session. */
function working(): Repo {
  const repo = repository({ now: NOON });
  repo.run(['start', 'Limit the retries', '--agent', 'claude-code']);
  repo.run(['observe', 'note', 'Decision: five retries']);
  return repo;
}

const list = (repo: Repo): { session_id: string; title: string; status: string }[] =>
  (JSON.parse(repo.run(['list', '--json']).stdout) as { result: [] }).result;

describe('ctx export and ctx import', () => {
  test('take a session to another project, in a file', () => {
    const from = working();
    const to = repository({ now: NOON + 60 });
    const file = join(folder(), 'one.bundle');
    const written = from.run(['export', '-o', file]);
    expect(written).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Wrote 1 session to .*one\.bundle \(\d+ bytes\)\.\n$/),
    });
    expect(written.stderr).toContain(`ctx import ${file}`);
    const dry = to.run(['import', file, '--dry-run']);
    expect(dry.stdout).toContain('Would import 1 session:');
    expect(list(to)).toEqual([]);
    const taken = to.run(['import', file, '--map', `${from.dir}=.`]);
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('Limit the retries: new, paused') });
    expect(taken.stderr).toContain(`${from.dir} is ${to.dir} here.`);
    expect(list(to)).toMatchObject([{ title: 'Limit the retries', status: 'paused' }]);
    const again = to.run(['import', file, '--map', `${from.dir}=src`]);
    expect(again.stdout).toContain('here already');
    expect(again.stderr).toBe(
      'hint: Nothing was mapped: what is here already keeps the folders that its import was given.\n',
    );
    expect(to.run(['import', file]).stderr).toBe('');
    const resumed = to.run(['resume', 'limit', '--no-launch']);
    expect(resumed.stdout).toContain(`Comes from: ${from.dir} on machine `);
    expect(to.run(['undo', '2']).code).toBe(0);
    expect(list(to)).toEqual([]);
  });

  test('print JSON that programs build on', () => {
    const from = working();
    const file = join(folder(), 'all.bundle');
    const { result } = JSON.parse(from.run(['export', '--all', '--output', file, '--json']).stdout);
    expect(result).toMatchObject({
      file,
      bytes: readFileSync(file).length,
      sessions: [{ title: 'Limit the retries' }],
    });
    expect(Object.keys(result.session)).toEqual(
      expect.arrayContaining(['task_description', 'state', 'staging_head', 'progress_summary', 'last_activity']),
    );
    const taken = JSON.parse(repository().run(['import', file, '--json']).stdout);
    expect(taken.result).toMatchObject({
      sessions: [{ outcome: 'new', session_id: result.session.session_id }],
      mapped: [],
    });
  });

  test('work through a pipe', () => {
    const [from, to] = [working(), repository({ now: NOON })];
    const ctx = (repo: Repo, words: string): string => `'${process.execPath}' '${PROGRAM}' -C '${repo.dir}' ${words}`;
    const env = { PATH: process.env['PATH'], HOME: folder() };
    execFileSync('sh', ['-c', `${ctx(from, 'export -')} | ${ctx(to, 'import -')}`], { env });
    expect(list(to)).toMatchObject([{ title: 'Limit the retries' }]);
  });

  test('are not needed for a whole store that is copied', () => {
    const from = working();
    const to = folder();
    cpSync(join(from.dir, '.ctx'), join(to, '.ctx'), { recursive: true });
    const { stdout } = from.run(['-C', to, 'resume', 'limit', '--no-launch']);
    expect(stdout).toContain('Decision: five retries');
  });

  test('say what is wrong with a line or a file, and leave everything as it was', () => {
    const from = working();
    const file = join(folder(), 'no.bundle');
    writeFileSync(file, 'hello\n');
    expect(from.refused(['import', file])).toMatchObject({ code: 'invalid_bundle' });
    expect(from.refused(['import', `${file}.absent`])).toMatchObject({ code: 'not_found' });
    expect(from.refused(['export', '--all', 'abc'])).toMatchObject({ code: 'usage' });
    expect(from.refused(['export', '-'])).toMatchObject({ code: 'usage' });
    expect(from.refused(['import', file, '--map', 'x'])).toMatchObject({ code: 'usage' });
    expect(existsSync(join(from.dir, 'ctx-all.bundle'))).toBe(false);
  });
});
