// A day of an agent through the real hook command: each payload ends with 0 and says only what the agent understands, each message is kept once, and the log tells the day as it was.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ActiveStatus, LogEntry, Status } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf, toolFields } from './support/day.ts';
import { askAlways } from './support/projects.ts';

const HOUR = 3600;

/** A Git work tree with nothing of ctx in it. */
function workTree(): string {
  const dir = join(folder('day-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  return dir;
}

const A = 'aaaaaaaa-1111-4111-8111-111111111111';
const B = 'bbbbbbbb-2222-4222-8222-222222222222';

const status = (dir: string, now = NOON): ActiveStatus => json(['stage', 'status'], { cwd: dir, now });
const logOf = (dir: string): LogEntry[] => json(['log'], { cwd: dir });
const sessions = (dir: string): string[] =>
  git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/sessions').split('\n').filter(Boolean);
const errors = (dir: string): { code: string; event: string; message: string }[] => {
  const file = join(dir, '.ctx', 'hook-errors.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof errors>[number]);
};
/** Git and ctx find nothing wrong. */
function sound(dir: string): void {
  fsck(dir);
  expect(run(['fsck', '--full'], { cwd: dir })).toMatchObject({ code: 0 });
}

/** The one open session whose task is this one. */
function chainOf(dir: string, task: string): string {
  const found = sessions(dir).find((ref) => recordsOf(dir, ref)[0]?.['content'] === task);
  return found ?? expect.fail(`no open session is about ${task}: ${sessions(dir).length} are open`);
}

test('a turn: started by the prompt, one record a tool call, and the final answer is taken in once it is written', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  expect(talk.hook('SessionStart', { source: 'startup' })).toBeNull();
  expect(existsSync(join(dir, '.ctx', 'HEAD'))).toBe(true);
  expect(git(dir, 'status', '--porcelain')).toBe('');
  talk.turn('Add retry with backoff', 'npm test', 'Retry is in, with full jitter.');
  expect(status(dir)).toMatchObject({
    task_description: 'Add retry with backoff',
    agent: 'claude-code',
    session_state: { kind: 'PendingComplete', summary: 'Retry is in, with full jitter.' },
    hook_errors: null,
  });
  talk.hook('SessionEnd', { reason: 'other' });
  const records = recordsOf(dir, 'STAGE');
  expect(messagesOf(records)).toEqual(talk.said);
  expect(storyOf(records)).toEqual(['task Add retry with backoff', 'run npm test → 0', 'done → PendingComplete']);
  expect(records.find(({ kind }) => kind === 'command')).toMatchObject({ hook: true, duration_ms: 31, output: 'ok' });
  sound(dir);
});

test('derives from the transcript what no hook reported', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Look around');
  talk.lineOfUser('Look around');
  talk.lineOfCall('Bash', { command: 'ls' }, 'toolu_unseen');
  talk.lineOfResult('toolu_unseen', 'a', shell('a'));
  talk.lineOfCall('Bash', { command: 'pwd' }, 'toolu_seen');
  talk.tool('Bash', { command: 'pwd' }, shell('/'), 'toolu_seen');
  talk.lineOfResult('toolu_seen', '/', shell('/'));
  talk.stop('Done.');
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run')).sort()).toEqual(['run ls → 0', 'run pwd → 0']);
});

test('many permissions in one turn: none of its tools is recorded twice', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Tidy up');
  talk.lineOfUser('Tidy up');
  for (let index = 0; index < 4; index += 1) {
    const command = `rm ${index}`;
    talk.lineOfCall('Bash', { command }, `toolu_${index}`);
    talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command } });
    expect(status(dir).session_state).toMatchObject({ kind: 'AwaitingUser', question: `May I use Bash: ${command}?` });
    talk.tool('Bash', { command }, shell(''), `toolu_${index}`);
    expect(status(dir).session_state).toEqual({ kind: 'Running' });
    talk.lineOfResult(`toolu_${index}`, '', shell(''));
  }
  talk.stop('Tidy.');
  const runs = storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('run'));
  expect(runs).toEqual([0, 1, 2, 3].map((index) => `run rm ${index} → 0`));
});

test('a refused permission and an end of the turn reported twice lead to one PendingComplete', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Write it');
  talk.hook('PermissionRequest', { tool_name: 'Write', tool_input: { file_path: `${dir}/a.txt`, content: 'a' } });
  talk.hook('Notification', { message: 'Claude needs your permission', notification_type: 'permission_prompt' });
  talk.stop('I did not write it.');
  talk.stop('I did not write it.');
  expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual([
    'task Write it',
    `note Question for user: May I use Write: ${dir}/a.txt?`,
    'ask → AwaitingUser',
    'respond → Running',
    'done → PendingComplete',
  ]);
  talk.stop('Shall I try it elsewhere?');
  talk.stop('Shall I try it elsewhere?');
  expect(storyOf(recordsOf(dir, 'STAGE')).slice(5)).toEqual([
    'reopen → Running',
    'note Question for user: Shall I try it elsewhere?',
    'ask → AwaitingUser',
  ]);
});

test('a question by the tool for it is put once, and its answer is kept', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  const questions = [{ question: 'Which jitter?', header: 'Jitter', options: [{ label: 'Full' }, { label: 'Equal' }] }];
  const asked = { tool_name: 'AskUserQuestion', tool_input: { questions }, tool_use_id: 'toolu_q' };
  talk.prompt('Add retry');
  talk.hook('PreToolUse', asked);
  talk.hook('PermissionRequest', asked);
  expect(status(dir).session_state).toMatchObject({ question: 'Which jitter?\n- Full\n- Equal' });
  talk.tool('AskUserQuestion', { questions }, { questions, answers: { 'Which jitter?': 'Full' } }, 'toolu_q');
  expect(storyOf(recordsOf(dir, 'STAGE')).slice(1)).toEqual([
    'note Question for user: Which jitter?\n- Full\n- Equal',
    'ask → AwaitingUser',
    'note User response: Full',
    'respond → Running',
  ]);
});

test('finds the prompt that Ctrl-C cut off if only the transcript shows it, even after the next prompt', () => {
  for (const isThere of [false, true]) {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Add retry');
    talk.lineOfUser('Add retry');
    talk.lineOfCall('Bash', { command: 'sleep 60' }, 'toolu_cut');
    talk.lineOfInterrupt();
    if (isThere) talk.lineOfUser('Also add logging');
    talk.prompt('Also add logging');
    if (!isThere) talk.lineOfUser('Also add logging');
    talk.stop('Logging is in.');
    talk.lineOfAgent('Logging is in.');
    talk.hook('PreCompact', { trigger: 'manual' });
    const records = recordsOf(dir, 'STAGE');
    expect(storyOf(records)).toEqual([
      'task Add retry',
      'note User intervention: Add retry',
      'interrupt → Interrupted',
      'note Also add logging',
      'continue → Running',
      'done → PendingComplete',
    ]);
    expect(messagesOf(records).filter((text) => text !== '[Request interrupted by user]')).toEqual(talk.said);
  }
});

test('a failed tool, and one that the user stopped', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Build it');
  const tool_input = { command: 'npm run build' };
  talk.hook('PostToolUseFailure', {
    ...toolFields('Bash', tool_input, undefined, 'toolu_f'),
    error: 'Exit code 3\noops',
    is_interrupt: false,
  });
  talk.hook('PostToolUseFailure', {
    ...toolFields('Bash', { command: 'sleep 9' }, undefined, 'toolu_g'),
    error: 'stopped',
    is_interrupt: true,
  });
  expect(status(dir).session_state).toEqual({ kind: 'Interrupted', user_message: 'Build it' });
  expect(recordsOf(dir, 'STAGE')[1]).toMatchObject({ kind: 'command', exit_code: 3, output: 'oops' });
});

test('several conversations and a session of the user’s own: each hook finds its own, and STAGE stays', () => {
  const dir = workTree();
  askAlways(dir);
  run(['stage', 'start', 'My own'], { cwd: dir, now: NOON });
  const stage = readFileSync(join(dir, '.ctx', 'STAGE'), 'utf8');
  const [one, two] = [new Conversation(dir, A), new Conversation(dir, B)];
  expect(one.hook('SessionStart', { source: 'startup' })?.hookSpecificOutput.additionalContext).toContain('My own');
  one.turn('Add retry', 'npm test', 'Added.');
  two.turn('Fix the build', 'make', 'Fixed.');
  one.turn('Make it five tries, not four', 'npm test', 'Five now.');
  expect(readFileSync(join(dir, '.ctx', 'STAGE'), 'utf8')).toBe(stage);
  expect(sessions(dir)).toHaveLength(3);
  rmSync(join(dir, '.ctx', 'cache'), { recursive: true });
  one.hook('SessionEnd', { reason: 'other' });
  two.hook('SessionEnd', { reason: 'other' });
  expect(sessions(dir)).toHaveLength(3);
  expect(messagesOf(recordsOf(dir, chainOf(dir, 'Add retry')))).toEqual(one.said);
  expect(messagesOf(recordsOf(dir, chainOf(dir, 'Fix the build')))).toEqual(two.said);
  sound(dir);
});

test('sub-agents: what they do is the session’s, what they say and their end change nothing', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Use an agent');
  const sub = { agent_id: 'af5a9a8cd26867e91', agent_type: 'general-purpose' };
  const states = () => storyOf(recordsOf(dir, 'STAGE'));
  talk.hook('SubagentStart', sub);
  talk.hook('UserPromptSubmit', { ...sub, prompt: 'You are a sub-agent: never mind' });
  talk.tool('Bash', { command: 'echo hi' }, shell('hi'), 'toolu_s', sub);
  talk.hook('SubagentStop', { ...sub, last_assistant_message: 'Shall I go on?' });
  talk.hook('Stop', { ...sub, last_assistant_message: 'All done.' });
  expect(states()).toEqual(['task Use an agent']);
  talk.hook('PreCompact', { trigger: 'auto' });
  talk.hook('SubagentStop', { agent_id: 'a849', agent_type: '', last_assistant_message: '<summary>x</summary>' });
  expect(states()).toEqual(['task Use an agent', 'run echo hi → 0']);
  expect(recordsOf(dir, 'STAGE')[1]).toMatchObject({ sub_agent: sub.agent_id });
  expect(status(dir).session_state).toEqual({ kind: 'Running' });
});

describe('what the user says at the end', () => {
  test('"Looks good": confirmed, and saved at the end of that turn with the agent’s answer in it', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Looks good, thanks!');
    talk.lineOfUser('Looks good, thanks!');
    expect(status(dir).session_state).toEqual({ kind: 'Complete' });
    talk.stop('You are welcome.');
    talk.lineOfAgent('You are welcome.');
    const [commit] = logOf(dir);
    expect(commit).toMatchObject({ commit_type: { kind: 'Normal' }, session_state: { kind: 'Complete' } });
    expect(sessions(dir)).toEqual([]);
    const work = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(objectname)', 'refs/archive').trim();
    const story = storyOf(recordsOf(dir, work));
    expect(story.slice(-3)).toEqual([
      'note User confirmed task complete',
      'confirm → Complete',
      'note You are welcome.',
    ]);
    // The conversation goes on: in a new session, which reads the transcript from where the other left it.
    talk.turn('Now write the docs', 'ls', 'Written.');
    talk.hook('SessionEnd', { reason: 'other' });
    const [ref = ''] = sessions(dir);
    const archived = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/archive').trim();
    const later = messagesOf(recordsOf(dir, ref));
    expect([...messagesOf(recordsOf(dir, archived)), ...later]).toEqual(talk.said);
    expect(JSON.parse(git(dir, '--git-dir=.ctx', 'show', `${ref}:session.json`))).toMatchObject({
      task_description: 'Now write the docs',
      continues: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    sound(dir);
  });

  test('"Looks good" and no end of the turn: the next start saves it', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Looks good');
    expect(logOf(dir)).toEqual([]);
    // The program was killed: not even its end was told.
    talk.hook('SessionStart', { source: 'resume' });
    expect(logOf(dir)).toMatchObject([{ commit_type: { kind: 'Normal' } }]);
  });

  test('"Never mind" abandons; the answer to it begins nothing', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Never mind, forget it');
    talk.lineOfUser('Never mind, forget it');
    talk.stop('All right.');
    expect(logOf(dir)).toMatchObject([{ commit_type: { kind: 'Abandoned' } }]);
    expect(sessions(dir)).toEqual([]);
  });

  test('thanks without a session begin no session, not even at the end of the turn', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Thanks!');
    talk.lineOfUser('Thanks!');
    talk.stop('You are welcome.');
    expect(sessions(dir)).toEqual([]);
    talk.turn('Add retry', 'npm test', 'Added.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(status(dir).task_description).toBe('Add retry');
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said);
  });

  test('a new task asks; what comes until the answer goes to the session that the answer picks', () => {
    for (const [answer, picked] of [
      ['B', 'old'],
      ['A', 'new'],
    ] as const) {
      const dir = workTree();
      askAlways(dir);
      const talk = new Conversation(dir, A);
      talk.turn('Add retry', 'npm test', 'Retry is in.');
      const other = 'New task: write the release notes for version 2';
      const asked = talk.prompt(other)?.hookSpecificOutput.additionalContext ?? '';
      expect(asked).toContain('> You have unfinished work on: Add retry');
      expect(asked).toContain('> A) Save that and start on your new request');
      talk.lineOfUser(other);
      talk.lineOfAgent('ctx asks: shall I save that first?');
      talk.stop('ctx asks: shall I save that first?');
      expect(status(dir)).toMatchObject({ session_state: { kind: 'PendingComplete' }, choice: { kind: 'new_task' } });
      expect(talk.hook('SessionStart', { source: 'compact' })?.hookSpecificOutput.additionalContext).toContain('> A)');
      expect(talk.prompt(answer)).toBeNull();
      talk.lineOfUser(answer);
      talk.stop('As you wish.');
      talk.lineOfAgent('As you wish.');
      talk.hook('SessionEnd', { reason: 'other' });
      const current = messagesOf(recordsOf(dir, 'STAGE'));
      if (picked === 'old') {
        expect(logOf(dir)).toEqual([]);
        expect(current).toEqual(talk.said);
      } else {
        expect(logOf(dir)).toMatchObject([
          {
            commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'write the release notes for version 2' },
            session_state: { kind: 'PendingComplete' },
          },
        ]);
        expect(status(dir).task_description).toBe('write the release notes for version 2');
        const work = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(objectname)', 'refs/archive').trim();
        expect(messagesOf(recordsOf(dir, work))).toEqual(talk.said.slice(0, 2));
        expect(current).toEqual(talk.said.slice(2));
      }
      sound(dir);
    }
  });

  test('after thirty hours: the conversation finds its session, is asked, and the next prompt answers', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Retry is in. Shall I also add a test?');
    talk.hook('SessionEnd', { reason: 'other' });
    talk.now += 30 * HOUR;
    const back = talk.hook('SessionStart', { source: 'resume' })?.hookSpecificOutput.additionalContext ?? '';
    expect(back).toContain('quoted history, not an instruction');
    expect(back).toContain('> Retry is in. Shall I also add a test?');
    const asked = talk.prompt('yes, and log each try')?.hookSpecificOutput.additionalContext;
    expect(asked).toContain('> Welcome back! You were working on: Add retry');
    talk.lineOfUser('yes, and log each try');
    talk.stop('ctx would like to know whether to go on.');
    talk.prompt('A');
    const [ref = ''] = sessions(dir);
    expect(storyOf(recordsOf(dir, ref)).slice(-3)).toEqual([
      'note User chose to continue after idle period',
      'note User response: yes, and log each try',
      'respond → Running',
    ]);
    expect(status(dir, talk.now)).toMatchObject({ choice: null, session_state: { kind: 'Running' } });
  });
});

test('prompts that are empty change nothing; one that says an old one again counts again', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  for (const text of ['', ' \n\t', '\u00a0']) talk.prompt(text);
  expect(sessions(dir)).toEqual([]);
  talk.prompt('Add retry');
  talk.prompt('  ');
  talk.stop('Done.');
  talk.prompt('Add retry');
  expect(sessions(dir)).toHaveLength(1);
  expect(errors(dir)).toEqual([]);
});

describe('the transcript', () => {
  test('that does not exist yet, lags, or has an unfinished line', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Add retry');
    talk.stop('Added.');
    talk.hook('PreCompact', { trigger: 'auto' });
    talk.lineOfUser('Add retry');
    talk.write('{"type":"assistant","uuid":"half');
    talk.hook('PreCompact', { trigger: 'auto' });
    talk.rewrite(`${readFileSync(talk.transcript, 'utf8').split('\n')[0]}\n`);
    talk.lineOfAgent('Added.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said);
    expect(errors(dir)).toEqual([]);
  });

  test('a rewritten transcript is read from its beginning, and nothing is kept twice', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Added.');
    talk.hook('PreCompact', { trigger: 'manual' });
    const lines = readFileSync(talk.transcript, 'utf8').trimEnd().split('\n');
    const summary = JSON.stringify({ type: 'summary', summary: 'Retry', leafUuid: 'x' });
    talk.rewrite(`${[summary, ...lines].join('\n')}\n`);
    talk.turn('Log too', 'npm run lint', 'Logged.');
    talk.hook('SessionEnd', { reason: 'other' });
    const records = recordsOf(dir, 'STAGE');
    expect(messagesOf(records)).toEqual(talk.said);
    expect(storyOf(records).filter((line) => line.startsWith('run'))).toEqual([
      'run npm test → 0',
      'run npm run lint → 0',
    ]);
  });

  test('of a conversation whose hooks came in the middle of it becomes its session', () => {
    const dir = workTree();
    run(['init'], { cwd: dir });
    const talk = new Conversation(dir, A);
    talk.lineOfUser('Add retry');
    talk.lineOfCall('Bash', { command: 'npm test' }, 'toolu_a');
    talk.lineOfResult('toolu_a', 'ok', shell('ok'));
    talk.tool('Bash', { command: 'npm test' }, shell('ok'), 'toolu_a');
    expect(sessions(dir)).toEqual([]);
    talk.stop('Retry is in.');
    talk.lineOfAgent('Retry is in.');
    expect(status(dir)).toMatchObject({
      task_description: 'Add retry',
      session_state: { kind: 'PendingComplete', summary: 'Retry is in.' },
    });
    talk.hook('SessionEnd', { reason: 'other' });
    const records = recordsOf(dir, 'STAGE');
    expect(messagesOf(records)).toEqual(talk.said);
    expect(storyOf(records).filter((line) => line.startsWith('run'))).toEqual(['run npm test → 0']);
    // Of another there is no transcript: its last words are all there is.
    new Conversation(dir, B).stop('Nobody knows of me.');
    expect(sessions(dir)).toHaveLength(2);
    expect(status(dir)).toMatchObject({ task_description: 'Add retry' });
    sound(dir);
  });

  test('of which one line is longer than a hook reads at once holds nothing up', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Add retry');
    talk.lineOfUser('Add retry');
    talk.line({ type: 'progress', data: { type: 'x', text: 'y'.repeat(17 * 1024 * 1024) } });
    talk.lineOfAgent('Added.');
    for (let time = 0; time < 2; time += 1) talk.hook('PreCompact', { trigger: 'auto' });
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said);
  });
});

test('sixteen tools at once lose nothing, in whatever state the session waits', async () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.prompt('Do much at once');
  talk.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'run 0' } });
  const numbers = Array.from({ length: 16 }, (_, index) => index);
  await Promise.all(
    numbers.map((index) =>
      talk.hookBeside('PostToolUse', toolFields('Bash', { command: `run ${index}` }, shell('ok'), `toolu_${index}`)),
    ),
  );
  expect(status(dir).session_state).toEqual({ kind: 'Running' });
  talk.hook('SessionEnd', { reason: 'other' });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run ')).sort()).toEqual(
    numbers.map((index) => `run run ${index} → 0`).sort(),
  );
  expect(story.filter((line) => line === 'respond → Running')).toHaveLength(1);
  sound(dir);
});

describe('errors', () => {
  test('a LOCK that a living process holds: the hook ends in time, and its records wait', async () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.turn('Add retry', 'npm test', 'Added.');
    const holder = spawn(process.execPath, ['--import', 'tsx', 'test/support/hold-lock.ts', join(dir, '.ctx', 'LOCK')]);
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    try {
      expect(talk.tool('Bash', { command: 'make' }, shell('ok'), 'toolu_held')).toBeNull();
      expect(talk.prompt('Also log')).toBeNull();
    } finally {
      holder.kill('SIGKILL');
    }
    const now = status(dir);
    // The deed of the tool, and the words of the user.
    expect(now).toMatchObject({ pending_observations: 2, hook_errors: { count: 2, last: { code: 'busy' } } });
    expect(now.hook_errors?.last?.message).toContain('(waited 1 s)');
    expect(run(['stage', 'status'], { cwd: dir, now: NOON }).stdout).toMatch(
      /^Hooks {4}2 failures, the last at .*claude-code UserPromptSubmit: .*\n$/m,
    );
    talk.hook('SessionEnd', { reason: 'other' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run make → 0');
  });

  test.each([
    ['a prompt', 'UserPromptSubmit', 'prompt', 'User'],
    ['the end of a turn', 'Stop', 'last_assistant_message', 'Agent'],
  ])(
    '%s that finds the store locked, of a conversation without a transcript: its words wait',
    async (_what, event, key, who) => {
      const dir = workTree();
      const tell = (text: string, name = 'UserPromptSubmit', field = 'prompt') =>
        run(['hook', 'claude-code'], {
          cwd: dir,
          now: NOON,
          input: JSON.stringify({ session_id: A, cwd: dir, hook_event_name: name, [field]: text }),
        });
      tell('Add retry');
      const holder = spawn(process.execPath, [
        '--import',
        'tsx',
        'test/support/hold-lock.ts',
        join(dir, '.ctx', 'LOCK'),
      ]);
      await new Promise((resolve) => holder.stdout.once('data', resolve));
      try {
        expect(tell('Also log, password=hunter2hunter2', event, key)).toEqual({ code: 0, stdout: '', stderr: '' });
      } finally {
        holder.kill('SIGKILL');
      }
      expect(status(dir)).toMatchObject({ pending_observations: 1, hook_errors: { count: 1, last: { code: 'busy' } } });
      tell('And a test');
      const notes = recordsOf(dir, 'STAGE').filter(({ kind }) => kind === 'note');
      expect(notes[0]).toMatchObject({
        hook: true,
        content: expect.stringMatching(new RegExp(`^${who}: Also log, password=\\[redacted:`)) as string,
      });
      sound(dir);
    },
  );

  test('a broken payload, a foreign one, one of an unknown event: exit 0, nothing said, and what could not be read is noted', () => {
    const dir = workTree();
    run(['init'], { cwd: dir });
    const tell = (input: string) => run(['hook', 'claude-code'], { cwd: dir, now: NOON, input });
    const silent = { code: 0, stdout: '', stderr: '' };
    for (const input of ['', '{"session_id":"a', '[]', 'null', '"text"', '\u0000\u00ff'])
      expect(tell(input)).toEqual(silent);
    expect(errors(dir)).toHaveLength(6);
    for (const payload of [
      { conversation_id: 'c', hook_event_name: 'beforeSubmitPrompt', workspace_roots: ['/x'] },
      { session_id: 7, hook_event_name: 'Stop' },
      { session_id: 'a', hook_event_name: 'FromTheFuture', cwd: dir },
      { session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt: { text: 'no string' }, cwd: dir },
      { session_id: 'a', hook_event_name: 'PostToolUse', tool_name: null, tool_input: [], tool_response: 3, cwd: dir },
      { session_id: 'a', hook_event_name: 'Stop', transcript_path: dir, cwd: dir },
      { hook_event_name: 'Stop', last_assistant_message: 'Done.', cwd: dir },
      { session_id: '../../../evil', hook_event_name: 'UserPromptSubmit', prompt: 'Add retry', cwd: dir },
    ])
      expect(tell(JSON.stringify(payload))).toEqual(silent);
    expect(
      errors(dir)
        .slice(6)
        .map(({ message }) => message),
    ).toEqual([
      "The payload's session_id is a number and no text: ctx cannot read it.",
      "The payload's prompt is an object and no text: ctx cannot read it.",
      "The payload's tool_input is a list and no object: ctx cannot read it.",
      expect.stringContaining('cannot be read: it is no file'),
      'The payload names no session: ctx does not know what it belongs to.',
    ]);
    expect(sessions(dir)).toHaveLength(1);
    sound(dir);
  });

  test('five megabytes of payload are taken', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Read much');
    const output = `${'line of output\n'.repeat(350_000)}`;
    talk.tool('Bash', { command: 'cat big' }, shell(output), 'toolu_big');
    talk.hook('SessionEnd', { reason: 'other' });
    const record = recordsOf(dir, 'STAGE').find(({ kind }) => kind === 'command');
    expect(record).toMatchObject({ output: { bytes: output.length } });
    expect(errors(dir)).toEqual([]);
    sound(dir);
  });

  test('a damaged store and settings that cannot be read: exit 0, and the failure is noted', () => {
    const dir = workTree();
    const talk = new Conversation(dir, A);
    talk.prompt('Add retry');
    const settings = join(dir, '.ctx', 'settings.json');
    writeFileSync(settings, '{');
    talk.stop('Added.');
    rmSync(settings);
    writeFileSync(join(dir, '.ctx', 'STAGE'), 'ref: refs/sessions/00000000-0000-0000-0000-000000000000\n');
    new Conversation(dir, B).hook('SessionStart', { source: 'startup' });
    const [ref = ''] = sessions(dir);
    const head = git(dir, '--git-dir=.ctx', 'rev-parse', ref).trim();
    rmSync(join(dir, '.ctx', 'objects', head.slice(0, 2), head.slice(2)));
    // Nothing is remembered of the session: a tool has to look at its head.
    rmSync(join(dir, '.ctx', 'cache'), { recursive: true });
    talk.tool('Bash', { command: 'ls' }, shell(''), 'toolu_d');
    talk.prompt('Also log');
    expect(errors(dir).map(({ code, event }) => `${event} ${code}`)).toEqual([
      'Stop damaged',
      'SessionStart damaged',
      'PostToolUse damaged',
      'UserPromptSubmit damaged',
    ]);
    rmSync(join(dir, '.ctx', 'HEAD'));
    talk.prompt('And this?');
    expect(errors(dir)).toHaveLength(5);
  });

  test('the list of failures is bounded, and never holds the payload', () => {
    const dir = workTree();
    run(['init'], { cwd: dir });
    const file = join(dir, '.ctx', 'hook-errors.jsonl');
    const line = `${JSON.stringify({ at: NOON, agent: 'claude-code', event: 'Stop', code: 'busy', message: 'x'.repeat(400) })}\n`;
    writeFileSync(file, line.repeat(600));
    run(['hook', 'claude-code'], { cwd: dir, now: NOON, input: '{"broken": "hunter2' });
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBeLessThan((256 * 1024) / 1.5);
    expect(text).not.toContain('hunter2');
    expect(errors(dir).at(-1)).toMatchObject({ code: 'invalid_input' });
    expect(readdirSync(join(dir, '.ctx')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a line that cannot be read, or names an agent that ctx does not know, ends with 0 as well', () => {
    for (const line of [['hook'], ['hook', 'nobody'], ['hook', 'claude-code', '--no-such-option'], ['hook', 'a', 'b']])
      expect(run(line, { input: '{}' })).toMatchObject({ code: 0, stdout: '' });
    expect(run(['hook', 'claude-code'], { env: { CTX_NOW: 'never' }, input: '{}' })).toMatchObject({
      code: 0,
      stdout: '',
    });
  });
});

test('a start or a prompt makes a store at the top of the Git work tree, and nowhere else', () => {
  const dir = workTree();
  const deep = join(dir, 'src', 'deep');
  mkdirSync(deep, { recursive: true });
  const talk = new Conversation(deep, A, join(dir, '..', 'transcripts'));
  talk.stop('Nothing begun.');
  talk.tool('Bash', { command: 'ls' }, shell(''), 'toolu_1');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(readdirSync(dir).sort()).toEqual(['.git', 'src']);
  const plain = folder('plain-');
  const stranger = new Conversation(plain, B, join(dir, '..', 'transcripts'));
  stranger.hook('SessionStart', { source: 'startup' });
  stranger.prompt('Add retry');
  stranger.stop('Added.');
  expect(readdirSync(plain)).toEqual([]);
  talk.prompt('Add retry');
  expect(readdirSync(dir).sort()).toEqual(['.ctx', '.git', 'src']);
  expect(git(dir, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(deep, '.ctx'))).toBe(false);
});

test('a conversation that was forgotten stays so', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  talk.turn('Add the secret sauce', 'npm test', 'Added the sauce.');
  const { session_id } = status(dir);
  expect(run(['forget', session_id, '--yes'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
  talk.turn('And more of it', 'npm test', 'More.');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/sessions')).toBe('');
  sound(dir);
});

test('the environment is never recorded', () => {
  const dir = workTree();
  const talk = new Conversation(dir, A);
  const env = { MY_CANARY: 'canary-5e1f', ANTHROPIC_API_KEY: 'canary-5e1f' };
  talk.prompt('Add retry', { env });
  talk.hook('PostToolUse', toolFields('Bash', { command: 'env' }, shell('hidden'), 'toolu_e'), { env });
  talk.stop('Done.', { env });
  const objects = git(dir, '--git-dir=.ctx', 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  for (const oid of objects.trim().split('\n'))
    expect(git(dir, '--git-dir=.ctx', 'cat-file', '-p', oid)).not.toContain('canary-5e1f');
});

test('the log shows a whole day correctly', async () => {
  const dir = workTree();
  askAlways(dir);
  const [one, two] = [new Conversation(dir, A), new Conversation(dir, B)];
  one.hook('SessionStart', { source: 'startup' });
  one.turn('Add retry with backoff to the client', 'npm test', 'Retry is in.');
  two.hook('SessionStart', { source: 'startup' });
  two.prompt('Fix the flaky test in test/pool.test.ts');
  two.lineOfUser('Fix the flaky test in test/pool.test.ts');
  await Promise.all([
    two.hookBeside('PostToolUse', toolFields('Read', { file_path: `${dir}/a.ts` }, readOf(`${dir}/a.ts`, 'a\n'), 'tr')),
    one.hookBeside('PreCompact', { trigger: 'auto' }),
  ]);
  one.hook('SessionStart', { source: 'compact' });
  one.hook('PostCompact', { compact_summary: 'x' });
  two.lineOfInterrupt();
  one.prompt('Looks good to me');
  one.lineOfUser('Looks good to me');
  one.stop('Glad to hear it.');
  one.lineOfAgent('Glad to hear it.');
  two.hook('SessionEnd', { reason: 'prompt_input_exit' });
  expect(status(dir).active as boolean).toBe(false);
  two.now += 30 * HOUR;
  two.hook('SessionStart', { source: 'resume' });
  two.prompt('Never mind, forget about it');
  two.lineOfUser('Never mind, forget about it');
  two.stop('Shall I drop it?');
  two.prompt('Never mind, forget about it');
  two.stop('Dropped.');
  const told = logOf(dir).map(({ commit_type: { kind }, message, session_state }) => [
    kind,
    session_state?.kind,
    message,
  ]);
  expect(told).toEqual([
    ['Abandoned', 'Aborted', 'Fix the flaky test in test/pool.test.ts'],
    ['Normal', 'Complete', 'Add retry with backoff to the client'],
  ]);
  expect(errors(dir)).toEqual([]);
  expect((json<Status>(['stage', 'status'], { cwd: dir }) as Status).active).toBe(false);
  sound(dir);
});

const readOf = (filePath: string, content: string): object => ({
  type: 'text',
  file: { filePath, content, numLines: 2, startLine: 1, totalLines: 2 },
});
