// `ctx hooks` as a user types it, the line that it writes as an agent runs it, and a kill at every point of it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type HookOptions,
  type HookStatus,
  type HooksResult,
  installAgentHooks,
  uninstallAgentHooks,
} from '../../src/app/setup/hooks.ts';
import { hookLine } from '../../src/core/hook-line.ts';
import { onTerminal, opener } from '../strangers/pty.ts';
import { folder, json, PROGRAM, type Result, refused, run, start, write } from '../support/cli.ts';

const THEIRS = '{\r\n\t// mine\r\n\t"model": "x", // why\r\n}\r\n';

let home: string;
let project: string;
let settings: string;
let around: { cwd: string; env: Record<string, string> };

beforeEach(() => {
  home = folder('home-');
  project = folder('project-');
  mkdirSync(join(project, '.git'));
  settings = join(home, '.claude/settings.json');
  around = { cwd: project, env: { HOME: home } };
});

const text = (path: string): string => readFileSync(path, 'utf8');
const ctx = (args: readonly string[], env: Record<string, string> = {}): Result =>
  run(args, { ...around, env: { ...around.env, ...env } });
/** Returns the output of a run, with the folders of this test by name. */
const story = (result: Result): string =>
  `exit ${result.code}\n${result.stdout}${result.stderr === '' ? '' : `--\n${result.stderr}`}`
    .replaceAll(home, '<home>')
    .replaceAll(project, '<project>')
    .replaceAll(PROGRAM, '<ctx.cjs>')
    .replaceAll(process.execPath, '<node>');

describe('what is seen', () => {
  test('of an install, a second one, and an uninstall', () => {
    write(settings, THEIRS);
    const first = ctx(['hooks', 'install', '--user', '--verbose']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const seen = story(first).split('\n');
    expect(seen.slice(0, 22).join('\n')).toMatchInlineSnapshot(`
      "exit 0
      --- <home>/.claude/settings.json
      +++ <home>/.claude/settings.json
      @@ -1,4 +1,139 @@
       {
       	// mine
       	"model": "x", // why
      +	"hooks": {
      +		"SessionStart": [
      +			{
      +				"hooks": [
      +					{
      +						"type": "command",
      +						"command": "/bin/sh -c 'n=$0; [ -x \\"$n\\" ] || n=node; NODE_EXTRA_CA_CERTS= \\"$n\\" \\"$@\\" 2>/dev/null || cat >/dev/null 2>&1; exit 0' '<node>' '<ctx.cjs>' hook claude-code",
      +						"timeout": 30
      +					}
      +				]
      +			}
      +		],
      +		"UserPromptSubmit": [
      +			{
      +				"hooks": ["
    `);
    expect(seen.slice(-7).join('\n')).toMatchInlineSnapshot(`
      "Claude Code (--user): The hooks are in ~/.claude/settings.json
        before: ~/.claude/settings.json.ctx-backup
        commands /ctx-stop, /ctx-resume: ~/.claude/commands

      Claude Code
        to do: Restart Claude Code: a running session may not use them yet. /hooks lists them.
      "
    `);
    expect(story(ctx(['hooks', 'install', 'claude-code', '--user']))).toMatchInlineSnapshot(`
      "exit 0
      Claude Code (--user): Nothing to change in ~/.claude/settings.json
      "
    `);
    const gone = story(ctx(['hooks', 'uninstall', 'claude-code', '--user', '-v'])).split('\n');
    expect(gone.slice(-3).join('\n')).toMatchInlineSnapshot(`
      "Claude Code (--user): As it was before the install: ~/.claude/settings.json
        gone /ctx-resume, /ctx-stop: ~/.claude/commands
      "
    `);
    expect(text(settings)).toBe(THEIRS);
    expect(ctx(['hooks', 'uninstall', '--verbose']).stdout).toBe('ctx is in none of these hooks.\n');
    expect(story(ctx(['hooks', 'uninstall']))).toMatchInlineSnapshot(`
      "exit 0
      ctx is in none of these hooks.
      "
    `);
  });

  test('of a trial: the change on standard output, and nothing else there', () => {
    const trial = ctx(['hooks', 'install', 'codex', '--project', '--dry-run']);
    const { stdout } = ctx(['hooks', 'install', '-v', 'codex', '--project']);
    expect(trial).toMatchObject({ code: 0, stderr: 'hint: Nothing was changed: this was a trial.\n' });
    expect(trial.stdout).toMatch(/^--- \/dev\/null\n\+\+\+ .*\.codex\/hooks\.json\n@@ -0,0 \+1,\d+ @@\n(\+.*\n)+$/);
    expect(stdout.slice(0, trial.stdout.length)).toBe(trial.stdout);
    expect(stdout).toContain('to do: Open Codex once and review the hooks there (/hooks)');
    const file = join(project, '.codex/hooks.json');
    expect(ctx(['hooks', 'uninstall', '--project', '--dry-run']).stdout).toMatch(/^--- .*\n\+\+\+ \/dev\/null\n/);
    expect(trial.stdout.replace(/^([^+].*|\+\+\+ .*)\n/gm, '').replace(/^\+/gm, '')).toBe(text(file));
    expect(ctx(['hooks', 'install', 'codex', '--project', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'hint: There is nothing to change.\n',
    });
  });

  test('of an install at 80 columns: six lines an agent at most, the to-dos last', () => {
    for (const agent of ['.claude', '.codex', '.gemini', '.pi', '.cursor', '.opencode'])
      mkdirSync(join(project, agent));
    write(join(project, '.claude/settings.local.json'), '{}');
    const agents = ['claude-code', 'codex', 'gemini', 'pi', 'opencode', 'cursor'];
    const { stdout } = ctx(['hooks', 'install', '--project', ...agents], { COLUMNS: '80' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(6 * agents.length);
    const firstToDo = lines.findIndex((line) => line.includes('to do:'));
    expect(lines.slice(firstToDo).filter((line) => line.includes('(--project)'))).toEqual([]);
    expect(stdout).not.toContain('@@');
  });

  test.skipIf(!opener)('of an install on a terminal: it asks before it writes outside the project', () => {
    mkdirSync(join(home, '.codex'));
    const file = join(home, '.codex/hooks.json');
    const install = (input: string, ...more: string[]) =>
      onTerminal([['hooks', 'install', 'codex', ...more]], { cwd: project, env: { HOME: home }, input });
    const no = install('n\n');
    expect(no.codes).toEqual([1]);
    expect(no.text).toContain('This writes outside the project:\n  Codex: ~/.codex/hooks.json\n');
    expect(no.text).toContain('Nothing was installed.');
    expect(existsSync(file)).toBe(false);
    expect(install('\n').codes).toEqual([0]);
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    expect(install('', '--user')).toMatchObject({ codes: [0], text: expect.not.stringContaining('outside') as string });
  });

  test('of doctor --fix: what it has done comes first', () => {
    ctx(['init']);
    ctx(['hooks', 'install', 'claude-code', '--project']);
    const file = join(project, '.claude/settings.json');
    writeFileSync(file, text(file).replaceAll(process.execPath, '/old/node'));
    expect(ctx(['doctor']).stdout).toContain('is not that of this ctx');
    const { code, stdout } = ctx(['doctor', '--fix']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^fixed {4}Brought the hooks of Claude Code up to date in /);
    expect(ctx(['doctor', '--fix']).stdout).not.toContain('fixed');
  });

  test('of the status: only agents that are here, unless they are named', () => {
    expect(ctx(['hooks', 'status'], { PATH: '/usr/bin:/bin' }).stdout).toContain(
      'None of the agents that ctx knows is used here',
    );
    mkdirSync(join(project, '.codex'));
    const { stdout } = ctx(['hooks', 'status'], { PATH: '/usr/bin:/bin' });
    expect(stdout).toContain('Codex (--project): not installed');
    expect(stdout).not.toContain('Gemini');
    expect(ctx(['hooks', 'status', 'gemini']).stdout).toContain('Gemini CLI (--project): not installed');
  });

  test('of the status: what the user had to do is gone once an event has come', () => {
    ctx(['init']);
    ctx(['hooks', 'install', 'claude-code', '--project']);
    const status = (): string => ctx(['hooks', 'status', 'claude-code', '--project']).stdout;
    expect(status()).toContain('Restart Claude Code');
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's-1', cwd: project, prompt: 'Add a cache' };
    run(['hook', 'claude-code'], { ...around, input: JSON.stringify(prompt) });
    expect(ctx(['status']).stdout).toContain('Add a cache');
    expect(status()).toContain('installed');
    expect(status()).not.toContain('to do:');
  });

  test('of the status', () => {
    ctx(['hooks', 'install', 'codex', '--project']);
    write(settings, '{\n"hooks": 7}');
    expect(story(ctx(['hooks', 'status', 'claude-code', 'codex']))).toMatchInlineSnapshot(`
      "exit 0
      Claude Code (--project): not installed
        <project>/.claude/settings.json
      Claude Code (--user): cannot be read
        <home>/.claude/settings.json
        <home>/.claude/settings.json, line 2: "hooks" must be an object of events
      Codex (--project): installed
        <project>/.codex/hooks.json
        to do: Open Codex once and review the hooks there (/hooks): until then it skips them without a word.
        to do: Codex runs the hooks of a project only if the project is trusted.
        to do: Do not share the file: it names paths of this machine.
      Codex (--user): not installed
        <home>/.codex/hooks.json
      "
    `);
    expect(story(ctx(['hooks', 'status', 'codex', '--user']))).toMatchInlineSnapshot(`
      "exit 0
      Codex (--user): not installed
        <home>/.codex/hooks.json
      "
    `);
  });

  test('by a program', () => {
    write(settings, THEIRS);
    const { dry_run, changes } = json<HooksResult>(['hooks', 'install'], around);
    expect({ dry_run, changes: changes.map(({ patch, to_do, commands, ...change }) => change) }).toEqual({
      dry_run: false,
      changes: [
        {
          of: 'hooks',
          agent: 'claude-code',
          title: 'Claude Code',
          scope: 'user',
          file: settings,
          change: 'installed',
          old_missing: false,
          new_missing: false,
          backup: `${settings}.ctx-backup`,
        },
      ],
    });
    expect(changes[0]?.commands?.map(({ command, change }) => [command, change])).toEqual([
      ['ctx-stop', 'installed'],
      ['ctx-resume', 'installed'],
    ]);
    const { hooks } = json<{ hooks: HookStatus[] }>(['hooks', 'status', 'claude-code', 'codex', '--project'], around);
    expect(hooks.map(({ to_do, ...status }) => status)).toEqual([
      {
        agent: 'claude-code',
        title: 'Claude Code',
        scope: 'project',
        file: join(project, '.claude/settings.json'),
        used: true,
        backup: null,
        state: 'none',
        problem: null,
      },
      {
        agent: 'codex',
        title: 'Codex',
        scope: 'project',
        file: join(project, '.codex/hooks.json'),
        used: false,
        backup: null,
        state: 'none',
        problem: null,
      },
    ]);
  });
});

describe('what is refused', () => {
  test('settings that cannot be read', () => {
    write(settings, '{\n  "a": 1\n  "b": 2\n}\n');
    expect(refused(['hooks', 'install'], around)).toEqual({
      exit: 1,
      code: 'invalid_settings',
      message: `${settings}, line 3: it is not JSON (comma expected)`,
      hint: 'Nothing was changed. Correct the file and run the command again.',
      data: null,
    });
    expect(refused(['hooks', 'uninstall'], around)).toMatchObject({ exit: 1, code: 'invalid_settings' });
    expect([text(settings), readdirSync(dirname(settings))]).toEqual(['{\n  "a": 1\n  "b": 2\n}\n', ['settings.json']]);
  });

  test('one file that somebody has changed, while the others are done', () => {
    ctx(['hooks', 'install', 'codex', 'pi', '--project', '-q']);
    const file = join(project, '.pi/extensions/ctx.ts');
    write(file, `${text(file)}// mine\n`);
    const { code, stdout, stderr } = ctx(['hooks', 'uninstall']);
    expect([code, stdout.split('\n').at(-2)]).toEqual([
      1,
      'Codex (--project): As it was before the install: .codex/hooks.json',
    ]);
    expect(stderr.replaceAll(file, '<file>')).toMatchInlineSnapshot(`
      "warning: pi (--project): <file> was written by ctx, and somebody has changed it since.
      hint: Left as they are: <file>. Correct each or move it away, and run the command again.
      "
    `);
  });

  test('no agent at all, one that ctx does not know, two scopes at once', () => {
    expect(refused(['hooks', 'install'], { ...around, env: { HOME: home, PATH: '' } })).toMatchObject({
      exit: 1,
      code: 'not_found',
      hint: 'Name one: ctx hooks install claude-code',
    });
    expect(refused(['hooks', 'install', 'cobol'], around)).toMatchObject({
      exit: 2,
      code: 'usage',
      message: 'ctx has no hooks for "cobol".',
    });
    expect(refused(['hooks', 'status', '--user', '--project'], around)).toMatchObject({
      exit: 2,
      message: '--user and --project exclude each other',
    });
  });
});

describe('the line, as an agent runs it', () => {
  /** A copy of the package in a folder whose name has everything in it that a shell minds. */
  function strangePackage(): string {
    const dist = join(folder(), `it's a "place" of $HOME \`id\` \\ & ; * é`, 'dist');
    // Programs that others run replace its code cache meanwhile.
    cpSync(dirname(PROGRAM), dist, { recursive: true, filter: (path) => basename(path) !== 'cache' });
    return join(dist, 'ctx.cjs');
  }

  function installedLine(program: string): string {
    mkdirSync(dirname(settings));
    const args = [program, 'hooks', 'install', 'claude-code', '--user'];
    const made = spawnSync(process.execPath, args, { cwd: project, env: { PATH: '', HOME: home }, encoding: 'utf8' });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    return JSON.parse(text(settings)).hooks.Stop[0].hooks[0].command;
  }

  /** Runs a line as an agent does, from another folder. */
  function runLine(line: string, input: string, env: Record<string, string> = {}, shell = '/bin/sh') {
    const PATH = process.env['PATH'] ?? '';
    const options = { cwd: folder(), input, encoding: 'utf8', env: { PATH, HOME: home, ...env } } as const;
    const { status, stdout, stderr, error } = spawnSync(shell, ['-c', line], options);
    return { status, stdout, stderr, error };
  }

  const QUIET = { status: 0, stdout: '', stderr: '', error: undefined };
  const LARGE = JSON.stringify({ tool_response: 'x'.repeat(1_000_000) });

  test('calls this package with the input of the agent, without its certificates', () => {
    const program = strangePackage();
    const line = installedLine(program);
    expect(runLine(line, '{}', { NODE_EXTRA_CA_CERTS: '/no/such/file' })).toEqual(QUIET);
    const probe = `
      const told = require('node:fs').readFileSync(0, 'utf8').length;
      const { argv, execPath, env } = process;
      console.log(JSON.stringify({ argv: argv.slice(1), execPath, told, extra: env.NODE_EXTRA_CA_CERTS }));
      console.error('not to be seen');
      process.exit(7);`;
    writeFileSync(program, probe);
    for (const shell of ['/bin/sh', '/bin/bash'].filter((path) => existsSync(path))) {
      const ran = runLine(line, LARGE, { NODE_EXTRA_CA_CERTS: '/no/such/file' }, shell);
      expect(ran).toMatchObject({ status: 0, stderr: '', error: undefined });
      expect(JSON.parse(ran.stdout)).toEqual({
        argv: [program, 'hook', 'claude-code'],
        execPath: process.execPath,
        told: LARGE.length,
        extra: '',
      });
    }
  });

  test('is quiet if the package is gone, or node, and reads the input of the agent all the same', () => {
    const program = strangePackage();
    const line = installedLine(program);
    rmSync(dirname(program), { recursive: true });
    expect(runLine(line, LARGE)).toEqual(QUIET);
    const nowhere = hookLine({ node: '/no/such/node', program, agent: 'codex' });
    const tools = folder();
    expect(runLine(nowhere, '', { PATH: tools })).toEqual(QUIET);
  });

  test('finds a node that has moved on PATH', () => {
    const program = write(join(folder(), 'ctx.cjs'), 'console.log(process.argv.slice(2).join());');
    const line = hookLine({ node: '/no/such/node', program, agent: 'codex' });
    const PATH = dirname(process.execPath);
    expect(runLine(line, '', { PATH: `${PATH}:/bin:/usr/bin` })).toEqual({ ...QUIET, stdout: 'hook,codex\n' });
  });
});

describe('at once, and cut off', () => {
  test('several at once leave one whole install, and the backup of what was there', async () => {
    write(settings, THEIRS);
    const line = ['hooks', 'install', 'claude-code', '--user', '-q'];
    const ran = await Promise.all([1, 2, 3, 4].map(() => start(line, around)));
    // One that finds the file changed under its hands says so, and has changed nothing.
    expect(ran.map(({ code }) => code).filter((code) => code !== 0 && code !== 4)).toEqual([]);
    expect(ran.some(({ code }) => code === 0)).toBe(true);
    expect(json<HooksResult>(['hooks', 'install'], around).changes).toMatchObject([{ change: 'unchanged' }]);
    expect(text(`${settings}.ctx-backup`)).toBe(THEIRS);
    expect(readdirSync(dirname(settings)).sort()).toEqual(['commands', 'settings.json', 'settings.json.ctx-backup']);
  });

  /** Runs a command and kills it at the so-and-so-many-th call that changes a file; false where it has fewer. */
  function killedAt(count: number, args: readonly string[]): boolean {
    const hook = write(
      join(folder(), 'kill.cjs'),
      `const fs = require('node:fs');
      let left = ${count};
      for (const name of ['openSync', 'writeSync', 'chmodSync', 'renameSync', 'unlinkSync', 'rmdirSync', 'mkdirSync']) {
        const real = fs[name];
        fs[name] = (...words) => {
          if (name === 'openSync' && words[1] === 'r') return real(...words);
          if (left-- === 0) process.kill(process.pid, 'SIGKILL');
          return real(...words);
        };
      }`,
    );
    const env = { PATH: process.env['PATH'] ?? '', HOME: home };
    const ran = spawnSync(process.execPath, ['-r', hook, PROGRAM, ...args], { cwd: project, env });
    expect(ran.signal ?? ran.status).toBe(ran.signal ? 'SIGKILL' : 0);
    return ran.signal === 'SIGKILL';
  }

  test.each([
    ['that had been there', THEIRS],
    ['that had not been there', null],
  ])(
    'killed anywhere, the settings %s are the old or the new ones, and the next command continues',
    async (_what, before) => {
      const restore = (): void => {
        rmSync(dirname(settings), { recursive: true, force: true });
        if (before === null) return;
        write(settings, before);
        // Commands of the user's own stay: kills at those of ctx are in the other case.
        for (const name of ['ctx-stop', 'ctx-resume']) write(join(dirname(settings), 'commands', `${name}.md`), 'mine');
      };
      const now = (): string | null => (existsSync(settings) ? text(settings) : null);
      const environment = { HOME: home };
      const options: HookOptions = {
        ...{ directory: project, environment, agents: ['claude-code'], scope: 'user' },
        ...{ node: process.execPath, program: PROGRAM },
      };
      restore();
      await installAgentHooks(options);
      const installed = now();
      expect(installed).toContain('hook claude-code');
      const both = [
        { verb: 'install', again: installAgentHooks, back: uninstallAgentHooks, meant: installed, old: before },
        { verb: 'uninstall', again: uninstallAgentHooks, back: installAgentHooks, meant: before, old: installed },
      ];
      for (const { verb, again, back, meant, old } of both) {
        let count = 0;
        for (let killed = true; killed; count += 1) {
          restore();
          if (old === installed) await installAgentHooks(options);
          killed = killedAt(count, ['hooks', verb, 'claude-code', '--user', '-q']);
          expect([before, installed]).toContain(now());
          await again(options);
          expect(now()).toBe(meant);
          await back(options);
          expect(now()).toBe(old);
        }
        expect(count).toBeGreaterThan(3);
      }
    },
  );
});
