// Tests the context of an agent when a conversation begins again: the point at which its session stopped, or its fate with the next message.
import { expect, test } from 'vitest';
import { json, NOON, repository, run } from '../support/cli.ts';

const DAY = 86_400;

test.each<[days: number, told: string, untold: string]>([
  [0, '> Welcome back! I was asking:\n> \n> Equal or full jitter?', 'has been idle'],
  [6, '> Welcome back! I was asking:\n> \n> Equal or full jitter?', 'has been idle'],
  [8, '> It has been idle for 8 days: the next message in its own conversation saves it', 'has a question'],
])('after %i days', (days, told, untold) => {
  const { dir } = repository({ now: NOON });
  const hook = (event: string, fields: object, now: number): string =>
    run(['hook', 'claude-code'], {
      ...{ cwd: dir, now },
      input: JSON.stringify({ session_id: 'a', cwd: dir, hook_event_name: event, ...fields }),
    }).stdout;
  hook('UserPromptSubmit', { prompt: 'Add retry' }, NOON);
  hook('Stop', { last_assistant_message: 'Equal or full jitter?' }, NOON);
  const { hookSpecificOutput: heard } = JSON.parse(hook('SessionStart', { source: 'resume' }, NOON + days * DAY));
  expect(heard.additionalContext).toContain(told);
  expect(heard.additionalContext).not.toContain(untold);
  hook('UserPromptSubmit', { prompt: 'Full jitter' }, NOON + days * DAY);
  const log = json<{ commit_type: { kind: string } }[]>(['log'], { cwd: dir });
  expect(log.map(({ commit_type }) => commit_type.kind)).toEqual(days > 7 ? ['StaleAutoCompact'] : []);
});

test.each<[answer: string, kinds: string[], task: string]>([
  ['A', [], 'Add retry'],
  ['B', ['InterruptedByNewTask'], 'add an index too'],
  ['Fix the build', ['StaleAutoCompact'], 'Fix the build'],
])('after nine days with a question of ctx’s, what is reported of an answer is true: %s', (answer, kinds, task) => {
  const { dir } = repository({ now: NOON });
  const hook = (event: string, fields: object, days: number): string =>
    run(['hook', 'claude-code'], {
      ...{ cwd: dir, now: NOON + days * DAY },
      input: JSON.stringify({ session_id: 'a', cwd: dir, hook_event_name: event, ...fields }),
    }).stdout;
  hook('UserPromptSubmit', { prompt: 'Add retry' }, 0);
  hook('Stop', { last_assistant_message: 'Added.' }, 0);
  expect(hook('UserPromptSubmit', { prompt: 'add an index too' }, 1.5)).toContain('> A) Continue that work');
  const told = JSON.parse(hook('SessionStart', { source: 'resume' }, 10)).hookSpecificOutput.additionalContext;
  expect(told).toMatch(
    /> It has been idle for \d+ days[^:]*: the answer to the question that ctx has asked of it decides/,
  );
  expect(told).toContain('> A) Continue that work');
  expect(told).not.toContain('begins a session of its own');
  hook('UserPromptSubmit', { prompt: answer }, 10);
  const log = json<{ commit_type: { kind: string } }[]>(['log'], { cwd: dir });
  expect(log.map(({ commit_type }) => commit_type.kind)).toEqual(kinds);
  expect(json<object>(['stage', 'status'], { cwd: dir, now: NOON + 10 * DAY })).toMatchObject({
    task_description: task,
  });
});
