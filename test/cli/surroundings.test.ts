// Surroundings that are not as they should be: a folder that is gone, names that are no UTF-8, streams that cannot be read or written.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { folder, NOON, PROGRAM, type Repo, type Result, session } from '../support/cli.ts';

/** Runs a line of a shell in which `ctx` is the program; `$HOOK` is a payload of a prompt in a project. */
function shell(line: string, cwd: string, project = cwd): Result {
  const payload = { session_id: 'a', cwd: project, hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `ctx() { "$NODE" "$PROGRAM" "$@"; }; ${line}`], {
    cwd,
    encoding: 'utf8',
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: cwd, NODE: process.execPath, PROGRAM },
      ...{ CTX_NOW: String(NOON), PROJECT: project, HOOK: JSON.stringify(payload) },
    },
  });
  return { code: status, stdout, stderr };
}

const notes = (repo: Repo): unknown[] =>
  repo
    .json<{ steps: { observations: { kind: string }[] }[] }>(['show', 'STAGE', '--steps'])
    .steps.flatMap((step) => step.observations.filter(({ kind }) => kind === 'note'));

test.each([['stage status'], ['init'], ['log']])('ctx %s in a folder that is gone says so', (line) => {
  expect(shell(`mkdir gone && cd gone && rmdir ../gone && ctx ${line}`, folder())).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: The working directory does not exist any more.\nhint: Go to a folder that exists, or name one with -C.\n',
  });
});

test('what needs no working directory works in a folder that is gone', () => {
  const repo = session('Outlive the folder');
  const gone = 'mkdir gone && cd gone && rmdir ../gone';
  const { code, stdout } = shell(`${gone} && ctx -C "$PROJECT" stage status`, folder(), repo.dir);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Outlive the folder') as string });
  expect(shell(`${gone} && ctx hook claude-code <<<"$HOOK"`, folder(), repo.dir)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(repo.json<{ task_description: string }[]>(['stage', 'list']).map((one) => one.task_description)).toContain(
    'Add a cache',
  );
});

// A file system that takes UTF-8 alone has no such names.
const takesBytes = shell("mkdir $'caf\\xe9'", folder()).code === 0;

test.skipIf(!takesBytes)('a file whose name is no UTF-8 is refused, not taken for one that was deleted', () => {
  const repo = session('Keep what is there');
  const { code, stdout, stderr } = shell("echo precious >$'bad\\xff'; ctx observe write $'bad\\xff'", repo.dir);
  expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'error: The name of bad\ufffd is no UTF-8, so ctx cannot find the file.\nhint: Rename the file.\n',
  );
  expect(repo.json<{ pending_observations: number }>(['stage', 'status']).pending_observations).toBe(0);
});

test.skipIf(!takesBytes).each([["cd $'caf\\xe9' && ctx init"], ["ctx init $'caf\\xe9'"], ["ctx -C $'caf\\xe9' init"]])(
  'a folder whose name is no UTF-8 is refused, and none is made beside it: %s',
  (line) => {
    const place = folder();
    const { code, stderr } = shell(`mkdir $'caf\\xe9'; ${line}`, place);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('is no UTF-8') as string });
    expect(readdirSync(place)).toHaveLength(1);
  },
);

test.each([
  ['observe note - <.', 'EISDIR'],
  ['observe note - 0>other', 'EBADF'],
  ['observe batch <.', 'EISDIR'],
  ['message - <.', 'EISDIR'],
])('standard input that cannot be read is reported: ctx %s', (line, why) => {
  const { dir } = session();
  const { code, stderr } = shell(`ctx ${line}`, dir);
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stderr).toContain(`error: Cannot read standard input: ${why}\n`);
});

test.skipIf(!existsSync('/dev/full'))(
  'an answer that cannot be written: what was asked for is done, and it says so',
  () => {
    const repo = session();
    const { code, stderr } = shell('ctx observe note once --flush >/dev/full', repo.dir);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: Cannot write to standard output: ENOSPC\nhint: The command itself is done: only its answer could not be printed. Look before you run it again: ctx status\n',
    });
    expect(notes(repo)).toHaveLength(1);
  },
);
