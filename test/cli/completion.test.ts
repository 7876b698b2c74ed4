// Completion: what may follow on a line, and the scripts of the shells, each run in the shell itself where it is installed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/index.ts';
import { folder, NOON, PROGRAM, type Repo, repository, run, write } from '../support/cli.ts';
import { runToEnd } from '../support/spawn.ts';

let repo: Repo;
let open: SessionRow;
let ended: SessionRow;

beforeAll(() => {
  repo = repository({ now: NOON });
  write(join(repo.store, 'settings.json'), JSON.stringify({ fsync: false, alias: { latest: 'log -1' } }));
  repo.run(['start', 'Write the parser; $(touch pwned)']);
  repo.run(['stage', 'compact']);
  repo.run(['start', 'Write: the docs']);
  const rows = repo.json<SessionRow[]>(['list']);
  [open, ended] = rows as [SessionRow, SessionRow];
  write(join(repo.dir, 'a file.txt'), '');
  mkdirSync(join(repo.dir, 'a folder'));
});

interface Answer {
  candidates: { value: string; description: string }[] | 'files' | 'folders';
}

/** Returns ctx's answer to a shell for a line of words. */
function answer(...words: string[]): string[] | string {
  const { candidates } = repo.json<Answer>(['completion', 'zsh', '--', ...words]);
  return typeof candidates === 'string' ? candidates : candidates.map(({ value }) => value);
}

describe('what may follow', () => {
  test('are commands, groups, short names and aliases at the beginning', () => {
    expect(answer('')).toEqual(expect.arrayContaining(['init', 'stage', 'status', 'observe', 'log', 'latest']));
    expect([...answer('st')].sort()).toEqual(['stage', 'start', 'status', 'stop']);
    expect(answer('lat')).toEqual(['latest']);
    expect(answer('help', 'comp')).toEqual(['completion']);
    expect(answer('--json', 'lo')).toEqual(['log']);
    expect(answer('-C', repo.dir, 'lo')).toEqual(['log']);
    expect(answer('nothing')).toEqual([]);
  });

  test('are the commands of a group behind it', () => {
    expect(answer('op', '')).toEqual(['log']);
    expect(answer('stage', 'sw')).toEqual(['switch']);
  });

  test('are options of the command, the values that they take, and none of them twice', () => {
    const options = answer('log', '--') as string[];
    expect(options).toEqual(expect.arrayContaining(['--oneline', '--since', '--json']));
    expect(new Set(options).size).toBe(options.length);
    expect(answer('log', '--on')).toEqual(['--oneline']);
    expect(answer('list', '--state', 'A')).toEqual(['AwaitingUser', 'Aborted', 'Abandoned']);
    expect(answer('du', '--by', '')).toEqual(['session', 'kind', 'age']);
    expect(answer('du', '--by=s')).toEqual(['--by=session']);
    expect(answer('hooks', 'install', 'cl')).toEqual(['claude-code']);
    expect(answer('hooks', 'install', 'codex', 'pi')).toEqual(['pi']);
    expect(answer('log', '--since', '')).toEqual([]);
    expect(answer('log', '--', '--on')).toEqual([]);
  });

  test('are sessions by their short ids: all of them, or the open ones if only these will do', () => {
    expect(answer('show', '')).toEqual([open.short_id, ended.short_id]);
    expect(answer('switch', '')).toEqual([open.short_id]);
    expect(answer('log', '--session', '')).toEqual([open.short_id]);
    expect(answer('show', ended.short_id.slice(0, 4))).toEqual([ended.short_id]);
    expect(answer('show', 'pars')).toEqual([ended.short_id]);
    expect(answer('rename', ended.short_id, 'A')).toEqual([ended.short_id].slice(1));
    expect(run(['completion', 'zsh', '--', '-C', repo.dir, 'show', '']).stdout).toContain(
      `${open.short_id}\tWrite: the docs\n`,
    );
  });

  test('are paths if the command takes a file or a folder', () => {
    expect(answer('observe', 'read', 'a')).toBe('files');
    expect(answer('observe', 'read', 'a', 'b')).toBe('files');
    expect(answer('-C', '')).toBe('folders');
    expect(answer('restore', '--to', '')).toBe('files');
  });

  test('is nothing, and no error, in a folder without a store or with a damaged one', () => {
    expect(run(['completion', 'fish', '--', 'show', ''], { cwd: folder() })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const torn = repository();
    write(join(torn.store, 'settings.json'), '{');
    expect(torn.run(['completion', 'fish', '--', 'show', ''])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('a shell that ctx does not know is refused', () => {
  expect(run(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  expect(run(['completion', 'tcsh']).stderr).toContain('must be one of bash, zsh, fish');
});

function isThere(shell: string): boolean {
  try {
    return runToEnd(shell, ['-c', 'true'], { cwd: '/', env: process.env }).status === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/** The folder with `ctx` on PATH. */
function onPath(): string {
  const bin = folder('bin-');
  write(join(bin, 'ctx'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  runToEnd('chmod', ['+x', join(bin, 'ctx')], { cwd: bin, env: process.env });
  return bin;
}

/** Runs lines in a shell that has read the completion script. */
function inShell(shell: string, ...lines: string[]): string {
  const env = { PATH: `${onPath()}:${process.env['PATH']}`, HOME: folder(), TERM: 'dumb' };
  const before = shell === 'zsh' ? 'compdef() { : }\n' : '';
  const script = before + repo.run(['completion', shell]).stdout;
  const options =
    { bash: ['--norc', '--noprofile', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[shell] ?? [];
  const { status, stdout, stderr } = runToEnd(shell, [...options, [script, ...lines].join('\n')], {
    cwd: repo.dir,
    env,
  });
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
  return stdout.toString();
}

describe.skipIf(!isThere('bash'))('the script of bash', () => {
  /** Returns bash's suggestions for a line, as at the press of the key. */
  const complete = (line: string): string[] =>
    inShell(
      'bash',
      `COMP_LINE='${line.replaceAll("'", "'\\''")}' COMP_POINT=\${#COMP_LINE} COMP_WORDS=(ctx)`,
      '_ctx_completion ctx',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
      .split('\n')
      .filter((one) => one !== '');

  test('completes commands, options, values behind = and sessions', () => {
    expect(complete('ctx lo')).toEqual(['log']);
    expect(complete('ctx log --on')).toEqual(['--oneline']);
    expect(complete('ctx du --by=s')).toEqual(['--by=session'.slice(5)]);
    expect(complete('ctx switch ')).toEqual([open.short_id]);
    expect(complete('ctx show ')).toEqual([
      `${open.short_id}  Write: the docs`,
      `${ended.short_id}  Write the parser; $(touch pwned)`,
    ]);
  });

  test('leaves paths to bash, and runs nothing of what is typed', () => {
    expect(complete('ctx observe read a')).toEqual([]);
    expect(complete('ctx show "$(touch pwned) `touch pwned`; touch pwned')).toEqual([]);
    expect(runToEnd('ls', ['pwned'], { cwd: repo.dir, env: process.env }).status).not.toBe(0);
  });

  test('can be read twice', () => expect(inShell('bash', repo.run(['completion', 'bash']).stdout)).toBe(''));
});

describe.skipIf(!isThere('fish'))('the script of fish', () => {
  const complete = (line: string): string[] => inShell('fish', `complete -C '${line}'`).trim().split('\n');
  test('completes commands, options, sessions and paths', () => {
    expect(complete('ctx lo')).toEqual(['log\tshow the history: one commit a session']);
    expect(complete('ctx log --on')).toEqual(['--oneline\tone line a commit']);
    expect(complete('ctx switch ')).toEqual([`${open.short_id}\tWrite: the docs`]);
    expect(complete('ctx observe read a').map((one) => one.split('\t')[0])).toEqual(['a folder/', 'a file.txt'].sort());
  });
});

describe.skipIf(!isThere('zsh'))('the script of zsh', () => {
  /** Returns zsh's suggestions: the script calls its function for that. */
  const complete = (...words: string[]): string[] =>
    inShell(
      'zsh',
      `_describe() { printf '%s\\n' "\${values[@]}" }`,
      `_files() { print -r -- "files $*" }`,
      `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _ctx`,
    )
      .trim()
      .split('\n');
  test('completes commands, options, sessions and paths', () => {
    expect(complete('ctx', 'lo')).toEqual(['log:show the history: one commit a session']);
    expect(complete('ctx', 'log', '--on')).toEqual(['--oneline:one line a commit']);
    expect(complete('ctx', 'switch', '')).toEqual([`${open.short_id}:Write: the docs`]);
    expect(complete('ctx', 'observe', 'read', 'a')).toEqual(['files']);
    expect(complete('ctx', '-C', '')).toEqual(['files -/']);
  });
});
