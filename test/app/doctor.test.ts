// Tests the doctor's findings in homes and stores of their own, and the remedies that it names. It never writes.
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type DoctorResult, examine } from '../../src/app/doctor/doctor.ts';
import { fixFindings } from '../../src/app/doctor/fix.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { type HookOptions, installAgentHooks, statusOfAgentHooks } from '../../src/app/setup/hooks.ts';
import { showTime } from '../../src/core/time.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { noteHookError } from '../../src/history/store/hook-errors.ts';
import { conversation, linesOf, put, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const DAY = 86_400;

let project: Project;
let home: string;
let options: HookOptions;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  options = {
    directory: project.folder,
    environment: { HOME: home, PATH: process.env['PATH'] },
    node: '/usr/bin/node',
    program: put(join(temporaryFolder(), 'dist/ctx.cjs'), ''),
    agents: [],
  };
});

const doctor = (more: object = {}): DoctorResult => examine({ ...options, clock: project.clock, ...more });
/** Findings of a kind, a line each: how it stands, what is so, and what mends it. */
const findings = (kind: string, more: object = {}): string[] =>
  doctor(more)
    .findings.filter((finding) => finding.kind === kind)
    .map(({ severity, message, hint }) =>
      [severity, message, ...(hint === null ? [] : [`> ${hint}`])]
        .join(' ')
        .replaceAll(home, '<home>')
        .replaceAll(project.folder, '<project>'),
    );
const install = (agent: string, scope: HookOptions['scope']) =>
  installAgentHooks({ ...options, agents: [agent], scope });
const use = (name: string): string => put(join(home, name, 'here'), '');

describe('the store', () => {
  test('whole, and all is well', async () => {
    use('.claude');
    put(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 3650}');
    await install('claude-code', 'user');
    ingestTranscript(
      project.open(),
      putTranscript(home, project.folder, 'x.jsonl', conversation('rewind.jsonl', project.folder)),
    );
    const result = doctor();
    expect(result.findings.filter(({ severity }) => severity === 'problem')).toEqual([]);
    expect(result).toMatchObject({ store: project.store, healthy: true });
    expect(findings('store')).toEqual(['ok <project>/.ctx: 1 open session, 0 archived; ctx fsck checks every object']);
    expect(findings('capture')).toEqual(['ok 3 of 3 turns captured']);
  });

  test('reports a missing store, and everything else as usual', () => {
    const directory = temporaryFolder();
    use('.claude');
    putTranscript(home, directory, 'x.jsonl', conversation('rewind.jsonl', directory));
    const result = doctor({ directory });
    expect(result).toMatchObject({ store: null, healthy: false });
    expect(result.findings[0]).toMatchObject({ kind: 'store', severity: 'problem', hint: 'Make one with: ctx init' });
    expect(result.findings).toContainEqual({
      kind: 'capture',
      severity: 'problem',
      message: '1 conversation of this project stored nowhere but with the agent.',
      hint: 'ctx init, then ctx capture catch-up --all',
    });
  });

  test('damage is named, with the command', () => {
    ingestTranscript(
      project.open(),
      putTranscript(home, project.folder, 'x.jsonl', conversation('rewind.jsonl', '/x')),
    );
    const [ref] = project.open().refs.names(SESSIONS);
    const head = project.git('rev-parse', ref as string).trim();
    rmSync(join(project.store, 'objects', head.slice(0, 2), head.slice(2)));
    expect(findings('store')).toEqual([
      expect.stringMatching(/^problem refs\/sessions\/.*> ctx fsck shows more, ctx fsck --repair repairs what it can$/),
    ]);
    put(join(project.store, 'refs/heads/main'), 'torn');
    expect(findings('store')[0]).toMatch(/^problem refs\/heads\/main: /);
    rmSync(join(project.store, 'oplog'), { recursive: true });
    put(join(project.store, 'oplog'), 'a file');
    expect(findings('store')).toContain(
      'problem oplog must be a folder, and is none > ctx fsck shows more, ctx fsck --repair repairs what it can',
    );
    expect(doctor().healthy).toBe(false);
  });

  test('names a forbidden line in its config, for which ctx fsck reports damage, and a config that cannot be read', () => {
    const config = join(project.store, 'config');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, `${text}[core]\n\tfsmonitor = x\n\tbare = false\n`);
    const line = text.split('\n').length + 1;
    expect(findings('store')).toEqual([
      `problem config: line ${line}: core.fsmonitor = x may not be in the config of a store > Remove the line from <project>/.ctx/config, if you did not put it there.`,
      `problem config: line ${line + 1}: core.bare = false may not be in the config of a store > It must be true: git config --file <project>/.ctx/config --replace-all core.bare true`,
    ]);
    expect(doctor().healthy).toBe(false);
    writeFileSync(config, `${text}[core\n`);
    expect(findings('store')).toEqual([
      expect.stringMatching(/^problem config: .*> Correct the line in <project>\/\.ctx\/config\./),
    ]);
    // A clone has none of what init writes: that harms nothing by itself, and only fsck tells of it.
    writeFileSync(config, '[core]\n\trepositoryformatversion = 0\n');
    expect(findings('store')).toEqual([expect.stringMatching(/^ok /)]);
    writeFileSync(config, `${text}[core]\n${'\tpager = x\n'.repeat(102)}`);
    expect(findings('store').slice(99)).toEqual([
      expect.stringContaining('core.pager'),
      'problem And 2 more things of the kind. > ctx fsck shows more, ctx fsck --repair repairs what it can',
    ]);
  });

  test('the key is none, or the list of what was forgotten with it cannot be read', () => {
    const key = put(join(project.store, 'key'), 'none');
    expect(findings('store')).toEqual([expect.stringMatching(/^problem key: .*it holds no key.*> Remove the file:/)]);
    put(key, `${'a'.repeat(64)}\n`);
    put(join(project.store, 'forgotten.json'), 'torn');
    expect(findings('store')).toEqual([expect.stringMatching(/^problem forgotten\.json: /)]);
  });

  test('it lies in a linked worktree, which is removed with all that Git ignores', () => {
    const main = temporaryFolder();
    put(join(main, '.git/HEAD'), 'ref: refs/heads/main');
    put(join(main, '.git/worktrees/one/commondir'), '../..\n');
    put(join(project.folder, '.git'), `gitdir: ${join(main, '.git/worktrees/one')}\n`);
    expect(findings('store')).toEqual([
      `note The store lies in a linked worktree of Git, and goes with it: git worktree remove deletes what Git ignores, and says nothing. > To keep one in the main worktree instead: ctx init ${main} && export CTX_DIR=${main}/.ctx; To take it along before the worktree is removed: ctx flush; ctx git bundle create <file> --all`,
      expect.stringMatching(/^ok /),
    ]);
    expect(doctor().healthy).toBe(true);
  });

  test('its files are the user’s alone', () => {
    expect(findings('permissions')).toEqual(['ok The store is yours alone.']);
    chmodSync(join(project.store, 'config'), 0o640);
    chmodSync(join(project.store, 'refs/heads'), 0o701);
    expect(findings('permissions')).toEqual([
      'note Only the folder of the store keeps others from 2 files and folders, such as <project>/.ctx/config. > chmod -R go= <project>/.ctx',
    ]);
    chmodSync(project.store, 0o711);
    expect(findings('permissions')).toEqual([
      'problem Others may look into 3 files and folders, such as <project>/.ctx. > chmod -R go= <project>/.ctx',
    ]);
    expect(doctor().healthy).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)('it cannot be written to', () => {
    chmodSync(join(project.store, 'pending'), 0o500);
    expect(findings('store')).toEqual([
      'problem <project>/.ctx cannot be written to: nothing new is kept. > chmod -R u+rwX <project>/.ctx',
    ]);
    chmodSync(join(project.store, 'pending'), 0o700);
  });

  test('Git is there, or is not', () => {
    expect(findings('git')).toEqual([expect.stringMatching(/^ok git version \d/)]);
    expect(findings('git', { environment: { HOME: home, PATH: '/nonexistent' } })).toEqual([
      'note Git is not installed here: ctx remembers without it, and cannot do ctx git. > Install Git, or put it on PATH.',
    ]);
  });
});

describe('hooks', () => {
  test('reports no agent if none is used', () => {
    expect(findings('hooks', { environment: { HOME: home, PATH: '' } })).toEqual([
      'note None of the agents that ctx knows is used here. > ctx hooks status',
    ]);
  });

  test('switched off, all of them, by a setting of the agent’s own', async () => {
    use('.claude');
    await install('claude-code', 'user');
    const local = put(join(project.folder, '.claude/settings.local.json'), '{"disableAllHooks": false}');
    const told = (): string[] => findings('hooks').filter((line) => line.includes('switched off'));
    expect(told()).toEqual([]);
    put(local, '{\n  "disableAllHooks": true\n}');
    expect(told()).toEqual([
      'problem Claude Code: all hooks are switched off in <project>/.claude/settings.local.json. > Take "disableAllHooks" out of it',
    ]);
    const [status] = statusOfAgentHooks({ ...options, agents: ['claude-code'], scope: 'user' });
    expect(status?.to_do[0]).toBe(`All hooks are switched off in ${local}. Take "disableAllHooks" out of it.`);
    put(local, '{\n  // "disableAllHooks": true\n}');
    expect(told()).toEqual([]);
  });

  test('switched off by settings that are overruled, or those of a project that is not trusted', async () => {
    await install('gemini', 'user');
    const off = put(join(project.folder, '.gemini/settings.json'), '{"hooksConfig": {"enabled": false}}');
    const told = (): string[] => findings('hooks').filter((line) => line.includes('switched off'));
    expect(told()).toEqual([]);
    put(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.folder]: 'TRUST_FOLDER' }));
    expect(told()).toEqual([
      'problem Gemini CLI: all hooks are switched off in <project>/.gemini/settings.json. > Take "hooksConfig": {"enabled": false} out of it',
    ]);
    const user = join(home, '.gemini/settings.json');
    put(user, readFileSync(user, 'utf8').replace('{', '{"hooksConfig": {"enabled": false},'));
    put(off, '{"hooksConfig": {"enabled": true}}');
    expect(told()).toEqual([]);
    put(off, '{"hooksConfig": {"enabled": "no"}}');
    expect(told()).toEqual([expect.stringContaining('switched off in <home>/.gemini/settings.json')]);
  });

  test('missing, current, outdated, in part, unreadable, and in both places', async () => {
    use('.claude');
    expect(findings('hooks')).toEqual([
      'problem ctx is not in the hooks of Claude Code: it remembers nothing by itself. > ctx hooks install claude-code',
    ]);
    await install('claude-code', 'user');
    expect(findings('hooks')).toEqual(['ok Claude Code: installed in <home>/.claude/settings.json']);
    const settings = join(home, '.claude/settings.json');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(settings, text.replaceAll('/usr/bin/node', '/old/node'));
    expect(findings('hooks')).toEqual([
      'problem Claude Code: the line in <home>/.claude/settings.json is not that of this ctx. > ctx hooks install claude-code --user',
    ]);
    writeFileSync(settings, text.replace('"SessionEnd"', '"Unknown"'));
    expect(findings('hooks')[0]).toMatch(/^problem .*some of the hooks are missing/);
    writeFileSync(settings, '{');
    expect(findings('hooks')[0]).toMatch(/> Correct the file, then: ctx hooks install claude-code --user$/);
    writeFileSync(settings, text);
    await install('claude-code', 'project');
    expect(findings('hooks').at(-1)).toMatch(/arrives twice\. > ctx hooks uninstall claude-code --project$/);
  });

  describe('of Codex', () => {
    const OPEN = 'Open Codex once in this project, and pass the hooks there: /hooks';
    const SKIPS = 'it skips the others without a word.';
    const UNTRUSTED = `problem Codex: its settings do not say that this project is trusted, and it runs no hook of any other. > ${OPEN}`;
    type Groups = Record<string, { hooks: { type: string; command: string }[] }[]>;
    const eventsIn = (file: string): Groups => (JSON.parse(readFileSync(file, 'utf8')) as { hooks: Groups }).hooks;
    const configure = (...parts: string[]): string => put(join(home, '.codex/config.toml'), parts.join(''));
    /** An entry for a hook, as Codex writes it. */
    const passed = (file: string, event: string, place: string, more = ''): string =>
      `[hooks.state."${file}:${event.replace(/(?<=.)([A-Z])/g, '_$1').toLowerCase()}:${place}"]\n${more}trusted_hash = "sha256:aa"\n`;
    const review = (): string[] => findings('hooks').filter((line) => line.includes('you have passed'));

    test('the hooks that the user has passed, and whether it trusts the project', async () => {
      use('.codex');
      await install('codex', 'user');
      const hooks = join(home, '.codex/hooks.json');
      expect(findings('hooks')).toEqual([
        'ok Codex: installed in <home>/.codex/hooks.json',
        `problem Codex: you have passed 0 of 10 hooks; ${SKIPS} > ${OPEN}`,
      ]);
      const events = Object.keys(eventsIn(hooks));
      configure(...events.map((event) => passed(hooks, event, '0:0')));
      expect(findings('hooks')[1]).toMatch(
        /^note Codex: you have passed 10 of 10 hooks\. Whether before their last change/,
      );
      await install('codex', 'project');
      expect(findings('hooks')).toContainEqual(UNTRUSTED);
      configure(`[projects."${project.folder}"]\ntrust_level = "trusted"\n`);
      expect(findings('hooks').filter((line) => line.includes('trusted'))).toEqual([]);
    });

    test('switched off, all of them, by its feature or the older name of that', async () => {
      use('.codex');
      await install('codex', 'user');
      const told = (): string[] => findings('hooks').filter((line) => line.includes('switched off'));
      const mend = 'Take "hooks = false" (or "codex_hooks = false") out of its [features]';
      const off = `problem Codex: all hooks are switched off in <home>/.codex/config.toml. > ${mend}`;
      const cases: [string, string[]][] = [
        ['[features]\nhooks = false\n', [off]],
        ['features.codex_hooks = false\n', [off]],
        ['[features]\ncodex_hooks = false\nhooks = true\n', []],
        ['[features]\nhooks = "no"\nother = false\n', []],
        ['[features\nhooks = false\n', []],
      ];
      for (const [config, expected] of cases) {
        configure(config);
        expect(told(), config).toEqual(expected);
      }
      configure('[features]\nhooks = false\n');
      const [status] = statusOfAgentHooks({ ...options, agents: ['codex'], scope: 'user' });
      expect(status?.to_do[0]).toMatch(/^All hooks are switched off in .*config\.toml\. Take "hooks = false"/);
      // The project's own settings count only where it is trusted.
      const own = put(join(project.folder, '.codex/config.toml'), '[features]\nhooks = true\n');
      expect(told()).toEqual([off]);
      configure(`[features]\nhooks = false\n[projects."${project.folder}"]\ntrust_level = "trusted"\n`);
      expect(told()).toEqual([]);
      put(own, '[features]\nhooks = false\n');
      expect(told()).toEqual([expect.stringContaining('switched off in <project>/.codex/config.toml')]);
    });

    test('does not count hooks of others before ours in the list', async () => {
      use('.codex');
      await install('codex', 'project');
      const hooks = join(project.folder, '.codex/hooks.json');
      const events = Object.keys(eventsIn(hooks));
      const foreign = { hooks: [{ type: 'command', command: 'true' }] };
      put(hooks, JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [foreign]])) }));
      await install('codex', 'project');
      const config = configure(...events.map((event) => passed(hooks, event, '0:0')));
      expect(review()).toEqual([`problem Codex: you have passed 0 of 10 hooks; ${SKIPS} > ${OPEN}`]);
      put(config, events.map((event) => passed(hooks, event, '1:0')).join(''));
      expect(review()).toEqual([expect.stringMatching(/^note Codex: you have passed 10 of 10 hooks\./)]);
      // Side by side in one group.
      const ours = eventsIn(hooks)['Stop']?.[1]?.hooks ?? [];
      const beside = { ...eventsIn(hooks), Stop: [{ hooks: [...foreign.hooks, ...ours] }] };
      put(hooks, `\ufeff${JSON.stringify({ hooks: beside })}`);
      expect(review()).toEqual([`problem Codex: you have passed 9 of 10 hooks; ${SKIPS} > ${OPEN}`]);
      put(config, events.map((event) => passed(hooks, event, event === 'Stop' ? '0:1' : '1:0')).join(''));
      expect(review()).toEqual([expect.stringMatching(/^note Codex: you have passed 10 of 10 hooks\./)]);
    });

    test('leftovers of events that ctx does not listen to do not count, nor hooks that are switched off', async () => {
      use('.codex');
      await install('codex', 'user');
      const hooks = join(home, '.codex/hooks.json');
      const events = Object.keys(eventsIn(hooks));
      const leftovers = ['PreToolUse', 'SubagentStart'].map((event) => passed(hooks, event, '0:0'));
      const others = events.filter((event) => event !== 'Stop').map((event) => passed(hooks, event, '0:0'));
      const told = [`problem Codex: you have passed 9 of 10 hooks; ${SKIPS} > ${OPEN}`];
      configure(...others, ...leftovers);
      expect(review()).toEqual(told);
      configure(...others, passed(hooks, 'Stop', '0:0', 'enabled = false\n'));
      expect(review()).toEqual(told);
      // Nor a hook of ours at such an event, from another version of ctx.
      put(hooks, JSON.stringify({ hooks: { ...eventsIn(hooks), PreToolUse: eventsIn(hooks)['Stop'] } }));
      configure(...others, ...leftovers);
      expect(review()).toEqual(told);
    });

    test('reports settings that cannot be read, and does not take them for settings that trust nothing', async () => {
      use('.codex');
      use('.claude');
      await install('codex', 'project');
      await install('claude-code', 'user');
      configure('[projects."/secret"]\ntrust_level = trusted\n');
      expect(findings('hooks')).toEqual([
        'ok Claude Code: installed in <home>/.claude/settings.json',
        'ok Codex: installed in <project>/.codex/hooks.json',
        'problem Codex: <home>/.codex/config.toml, line 2: it is not TOML (invalid value). So ctx does not know which hooks it runs. > Correct <home>/.codex/config.toml',
      ]);
    });
  });

  test('of Gemini CLI and pi: whether they trust the project, by their files or for a while', async () => {
    const untrusted = (title: string, mend: string): string =>
      `problem ${title}: its settings do not say that this project is trusted, and it runs no hook of any other. > ${mend}`;
    await install('gemini', 'project');
    await install('pi', 'project');
    const gemini = untrusted('Gemini CLI', 'Open Gemini CLI in this project and trust the folder: /permissions');
    const pi = untrusted('pi', 'Open pi in this project and trust it: /trust');
    const installed = [
      'ok Gemini CLI: installed in <project>/.gemini/settings.json',
      'ok pi: installed in <project>/.pi/extensions/ctx.ts',
    ] as const;
    expect(findings('hooks')).toEqual([installed[0], gemini, installed[1], pi]);
    const trusting = (word: string) => ({ environment: { ...options.environment, GEMINI_CLI_TRUST_WORKSPACE: word } });
    expect(findings('hooks', trusting('true'))).toEqual([installed[0], installed[1], pi]);
    put(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.folder]: 'TRUST_FOLDER' }));
    put(join(home, '.pi/agent/trust.json'), JSON.stringify({ [project.folder]: true }));
    expect(findings('hooks')).toEqual(installed);
    expect(findings('hooks', trusting('false'))).toEqual([installed[0], gemini, installed[1]]);
    put(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.folder]: 'DO_NOT_TRUST' }));
    put(join(home, '.gemini/settings.json'), '{"security": {"folderTrust": {"enabled": false}}}');
    expect(findings('hooks')).toEqual(installed);
  });

  test('a file of ours that somebody has changed', async () => {
    await install('opencode', 'user');
    const file = join(home, '.config/opencode/plugin/ctx.ts');
    put(file, `${readFileSync(file, 'utf8')}//`);
    expect(findings('hooks')).toEqual([
      'problem opencode: somebody has changed <home>/.config/opencode/plugin/ctx.ts. > Move the file away, then: ctx hooks install opencode --user',
    ]);
  });

  test('reports a ctx that no hook can call', () => {
    expect(findings('hooks', { program: put(join(home, 'ctx.ts'), '') })).toEqual([
      expect.stringMatching(/^problem A hook calls ctx\.cjs.*> Run the ctx of the built package\.$/),
    ]);
  });
});

describe('events', () => {
  const hook = (more: object): Promise<unknown> =>
    handleHook('claude-code', JSON.stringify({ session_id: 's', cwd: project.folder, ...more }), {
      directory: project.folder,
      clock: project.clock,
    });

  test('the last one of each agent, by hook or by transcript', async () => {
    expect(findings('events')).toEqual([]);
    use('.claude');
    use('.codex');
    expect(findings('events')).toEqual([
      'note Claude Code: nothing has come from it yet.',
      'note Codex: nothing has come from it yet.',
    ]);
    ingestTranscript(project.open(), putTranscript(home, '/x', 'x.jsonl', conversation('rewind.jsonl', '/x')));
    expect(findings('events')[0]).toMatch(/^ok Claude Code: last heard of, by its transcript, 2026-01-15 14:04:14Z \(/);
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' });
    expect(findings('events')[0]).toMatch(/^ok Claude Code: last event 20/);
  });

  test('a tool whose record waits is an event, too', async () => {
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' });
    project.clock.now = Math.floor(Date.now() / 1000) + 1000;
    await hook({ hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: {} });
    expect(findings('events')).toEqual([
      expect.stringContaining(`Claude Code: last event ${showTime(project.clock.now)} (`),
    ]);
  });

  test('a conversation that was forgotten: nothing of it is kept, until something comes from another one', async () => {
    use('.claude');
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' });
    project.clock.now = Math.floor(Date.now() / 1000) + 1000;
    const [ref = ''] = project.open().refs.names(SESSIONS);
    forget(project.open(), { id: ref.slice(SESSIONS.length) });
    const text = conversation('rewind.jsonl', project.folder).replace(/"sessionId":"[^"]+"/g, '"sessionId":"s"');
    putTranscript(home, project.folder, 'x.jsonl', text);
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Add another cache' });
    expect(findings('events')).toEqual([
      `note Claude Code: its conversation was forgotten at ${showTime(project.clock.now)} (0 seconds ago), and no turn of that is kept. > Begin a new conversation in Claude Code: that is kept.`,
    ]);
    expect(findings('capture')).toEqual([
      'ok No conversation of this project to capture, beside 1 conversation that was forgotten.',
    ]);
    project.clock.now += 60;
    await hook({ session_id: 'other', hook_event_name: 'UserPromptSubmit', prompt: 'Add a queue' });
    expect(findings('events')).toEqual([expect.stringMatching(/^ok Claude Code: last event /)]);
  });

  test('failures: a problem until an event has come after them', async () => {
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Add a cache' });
    const repository = project.open();
    const failed = (at: number) =>
      noteHookError(repository.layout, {
        at,
        agent: 'claude-code',
        event: 'Stop',
        code: 'busy',
        message: 'LOCK is held',
      });
    failed(1000);
    expect(findings('failures')).toEqual([
      expect.stringMatching(
        /^note claude-code: 1 hook failed, .*: LOCK is held > ctx capture catch-up && rm <project>\/\.ctx\/hook-errors\.jsonl$/,
      ),
    ]);
    failed(Math.floor(Date.now() / 1000) + 60);
    expect(findings('failures')).toEqual([expect.stringMatching(/^problem claude-code: 2 hooks failed/)]);
  });
});

describe('capture and retention', () => {
  const text = (): string => conversation('retry-backoff.jsonl', project.folder);

  test('turns that were never captured, and the end of a turn that only the next hook brings', () => {
    const file = putTranscript(home, project.folder, 'x.jsonl', text());
    expect(findings('capture')).toEqual([
      'problem 0 of 4 turns captured; 1 conversation never > ctx capture catch-up --all',
    ]);
    writeFileSync(file, linesOf(text(), 40));
    ingestTranscript(project.open(), file);
    writeFileSync(file, text());
    expect(findings('capture')).toEqual([
      expect.stringMatching(/^problem [12] of 4 turns captured > ctx capture catch-up$/),
    ]);
    const lines = text().trimEnd().split('\n');
    const answer = lines.findLastIndex((line) => line.includes('"role":"assistant"'));
    writeFileSync(file, linesOf(text(), answer));
    ingestTranscript(project.open(), file);
    writeFileSync(file, text());
    expect(findings('capture')).toEqual([
      'note 3 of 4 turns captured: the end of the last turn comes with the next hook. > ctx capture catch-up',
    ]);
  });

  test('a file that cannot be read', () => {
    putTranscript(home, project.folder, 'x.jsonl', 'no JSON\n');
    expect(findings('capture')[0]).toMatch(
      /^problem .*x\.jsonl holds no prompt.* > Look at the file, or move it away: .*x\.jsonl$/,
    );
  });

  test('reports in time what is not captured before Claude Code deletes it, after 30 days or as its settings say', () => {
    use('.claude');
    const longer = 'To keep them longer, write "cleanupPeriodDays": 3650 into <home>/.claude/settings.json';
    const plain = `note Claude Code deletes a transcript 30 days after its last use. > ${longer}`;
    expect(findings('retention')).toEqual([plain]);
    const now = project.clock.now;
    const file = putTranscript(home, project.folder, 'x.jsonl', text(), now - 22 * DAY);
    expect(findings('retention')).toEqual([plain]);
    putTranscript(home, project.folder, 'x.jsonl', text(), now - 24 * DAY);
    expect(findings('retention')).toEqual([
      'problem Claude Code deletes 1 conversation that is not captured within 7 days. > ctx capture catch-up --all',
      plain,
    ]);
    ingestTranscript(project.open(), file);
    expect(findings('retention')).toEqual([plain]);
    put(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 400}');
    expect(findings('retention')).toEqual(['ok Claude Code deletes a transcript 400 days after its last use.']);
    put(join(project.folder, '.claude/settings.local.json'), '{"cleanupPeriodDays": 0}');
    expect(findings('retention')).toEqual([
      `problem Claude Code keeps no transcripts: there is nothing to capture from. > ${longer.replace('<home>/.claude/settings', '<project>/.claude/settings.local')}`,
    ]);
  });

  test('Gemini CLI deletes after 30 days, and a resumed chat at one of its next starts, unless its settings forbid it', () => {
    use('.gemini');
    const off = '"general": {"sessionRetention": {"enabled": false}}';
    const longer = `> To keep them longer, write ${off} into <home>/.gemini/settings.json`;
    const resumed = 'a conversation that was resumed goes at one of the next starts';
    expect(findings('retention')).toEqual([
      `note Gemini CLI deletes a transcript 30 days after its last use; ${resumed}. ${longer}`,
    ]);
    put(join(home, '.gemini/settings.json'), '{"general": {"sessionRetention": {"maxAge": "9999d"}}}');
    expect(findings('retention')).toEqual([
      `note Gemini CLI deletes a transcript 9999 days after its last use; ${resumed}. ${longer}`,
    ]);
    put(join(home, '.gemini/settings.json'), '{"general": {"sessionRetention": {"maxAge": "12h"}}}');
    expect(findings('retention')).toEqual([
      `note Gemini CLI deletes a transcript 12 hours after its last use; ${resumed}. ${longer}`,
    ]);
    put(join(home, '.gemini/settings.json'), `{${off}}`);
    const stays = ['ok Gemini CLI deletes no transcripts: its settings say so.'];
    expect(findings('retention')).toEqual(stays);
    put(join(home, '.gemini/settings.json'), '{}');
    put(join(project.folder, '.gemini/settings.json'), `{${off}}`);
    for (const rule of ['DO_NOT_TRUST', 'TRUST_FOLDER']) {
      put(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.folder]: rule }));
      expect(findings('retention').join()).toMatch(rule === 'TRUST_FOLDER' ? /^ok/ : /^note .* 30 days/);
    }
  });

  test('names the settings file that decides, if a longer retention would have no effect in another file', () => {
    use('.claude');
    put(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 400}');
    put(join(project.folder, '.claude/settings.json'), '{"cleanupPeriodDays": 20}');
    const write = 'To keep them longer, write';
    const days = (file: string): RegExp => new RegExp(`${write} "cleanupPeriodDays": 3650 into ${file}$`);
    expect(findings('retention')).toEqual([expect.stringMatching(days('<project>/.claude/settings.json'))]);
    put(join(project.folder, '.claude/settings.local.json'), '{"cleanupPeriodDays": 0}');
    expect(findings('retention')).toEqual([expect.stringMatching(days('<project>/.claude/settings.local.json'))]);
    rmSync(join(home, '.claude'), { recursive: true });

    use('.gemini');
    const off = '"general": {"sessionRetention": {"enabled": false}}';
    const own = (file: string) => [expect.stringContaining(`${write} ${off} into ${file}`)];
    put(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [project.folder]: 'TRUST_FOLDER' }));
    put(join(project.folder, '.gemini/settings.json'), '{"general": {"sessionRetention": {"maxAge": "7d"}}}');
    expect(findings('retention')).toEqual(own('<home>/.gemini/settings.json'));
    put(join(home, '.gemini/settings.json'), `{${off}}`);
    expect(findings('retention').join()).toMatch(/^ok/);
    put(join(project.folder, '.gemini/settings.json'), '{"general": {"sessionRetention": {"enabled": true}}}');
    expect(findings('retention')).toEqual(own('<project>/.gemini/settings.json'));
  });

  test('Codex deletes nothing, as far as is known', () => {
    use('.codex');
    expect(findings('retention')).toEqual(['ok Codex deletes no transcripts by itself, as far as is known.']);
  });

  test('no home folder', () => {
    expect(findings('capture', { environment: { PATH: process.env['PATH'] } })).toEqual([
      expect.stringMatching(/^problem No home folder is known.*> Set HOME\.$/),
    ]);
  });
});

test('it writes nothing, anywhere', async () => {
  use('.claude');
  use('.codex');
  await install('claude-code', 'user');
  putTranscript(home, project.folder, 'x.jsonl', conversation('retry-backoff.jsonl', project.folder));
  const picture = (): string[] =>
    [home, project.folder].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => {
        const { size, mtimeNs } = statSync(join(root, name), { bigint: true });
        return `${name} ${size} ${mtimeNs}`;
      }),
    );
  const before = picture();
  doctor();
  expect(picture()).toEqual(before);
});

describe('another program called ctx', () => {
  const onPath = (text: string): object => {
    const bin = temporaryFolder();
    put(join(bin, 'ctx'), text);
    chmodSync(join(bin, 'ctx'), 0o755);
    return { environment: { HOME: home, PATH: `${bin}:${process.env['PATH']}` } };
  };

  test('is named if it comes first on PATH', () => {
    const [found = ''] = findings('program', onPath('#!/bin/sh\necho search\n'));
    expect(found).toMatch(
      /^note .*\/ctx is another program called ctx, and comes first on PATH\. > Call this one by its path, /,
    );
  });

  test('is none if it starts this package, or if there is none', () => {
    expect(findings('program', onPath('#!/bin/sh\nexec node /somewhere/dist/ctx.cjs "$@"\n'))).toEqual([]);
    expect(findings('program', { environment: { HOME: home, PATH: temporaryFolder() } })).toEqual([]);
    const bin = temporaryFolder();
    symlinkSync(options.program, join(bin, 'ctx'));
    expect(findings('program', { environment: { HOME: home, PATH: bin } })).toEqual([]);
  });
});

describe('--fix', () => {
  const fix = () => fixFindings({ ...options, clock: project.clock }, doctor());

  test('brings hooks up to date, and takes in what was missed', async () => {
    use('.claude');
    put(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 3650}');
    await installAgentHooks({ ...options, node: '/old/node', agents: ['claude-code'], scope: 'user' });
    putTranscript(home, project.folder, 'x.jsonl', conversation('rewind.jsonl', project.folder));
    expect(doctor().healthy).toBe(false);
    expect(await fix()).toEqual([
      `Brought the hooks of Claude Code up to date in ${join(home, '.claude/settings.json')}.`,
      'Took in 3 turns of 1 conversation.',
    ]);
    expect(findings('hooks').filter((line) => line.startsWith('problem'))).toEqual([]);
    expect(findings('capture')).toEqual(['ok 3 of 3 turns captured']);
    expect(await fix()).toEqual([]);
  });

  test('installs no hooks that the user did not want, and leaves what somebody has changed', async () => {
    use('.codex');
    put(join(home, '.claude/settings.json'), '{"hooks": 7}');
    expect(await fix()).toEqual([]);
    expect(findings('hooks').filter((line) => line.startsWith('problem'))).toHaveLength(2);
  });

  test('repairs the store', async () => {
    project.git('update-ref', '-d', 'refs/heads/main');
    expect(findings('store').some((line) => line.startsWith('problem'))).toBe(true);
    expect((await fix()).join('\n')).toContain('refs/heads/main');
    expect(findings('store').some((line) => line.startsWith('problem'))).toBe(false);
  });
});
