// `undo` of what an agent's hooks have done: it takes back the last thing that a user sees, and nothing comes back by itself.
import { expect, test } from 'vitest';
import { fsck, json, repository } from '../support/cli.ts';

type Fields = Record<string, unknown>;

/** A store, and what tells a hook of Claude Code of an event in one of several conversations. */
function conversations(): { dir: string; hook: (event: string, conversation: string, fields?: Fields) => void } {
  const { dir } = repository();
  const hook = (event: string, conversation: string, fields: Fields = {}): void => {
    const payload = { session_id: conversation, cwd: dir, hook_event_name: event, ...fields };
    json(['hook', 'claude-code'], { cwd: dir, input: JSON.stringify(payload) });
  };
  return { dir, hook };
}

const open = (dir: string): [task: string, state: string][] =>
  json<{ task_description: string; session_state: { kind: string } }[]>(['stage', 'list'], { cwd: dir }).map(
    ({ task_description, session_state }) => [task_description, session_state.kind],
  );

test('a session that a hook begins beside another is what is taken back first', () => {
  const { dir, hook } = conversations();
  hook('UserPromptSubmit', 'a', { prompt: 'Add retry' });
  hook('UserPromptSubmit', 'b', { prompt: 'Write the docs' });
  const refs = open(dir);
  expect(refs).toHaveLength(2);
  json(['undo'], { cwd: dir });
  expect(open(dir)).toEqual([['Add retry', 'Running']]);
  json(['undo'], { cwd: dir });
  expect(open(dir)).toEqual(refs);
  fsck(dir);
});

test('a confirmation goes back to before the user has confirmed, and is not saved again by the next event', () => {
  const { dir, hook } = conversations();
  hook('UserPromptSubmit', 'a', { prompt: 'Add retry' });
  hook('Stop', 'a', { last_assistant_message: 'Added.' });
  hook('UserPromptSubmit', 'a', { prompt: 'looks good' });
  hook('Stop', 'a', { last_assistant_message: 'Glad to hear it.' });
  expect(open(dir)).toEqual([]);
  json(['undo'], { cwd: dir });
  expect(open(dir)).toEqual([['Add retry', 'PendingComplete']]);
  hook('SessionEnd', 'a', { reason: 'exit' });
  expect(open(dir)).toEqual([['Add retry', 'PendingComplete']]);
  hook('UserPromptSubmit', 'a', { prompt: 'looks good' });
  hook('Stop', 'a', { last_assistant_message: 'Glad to hear it.' });
  expect(open(dir)).toEqual([]);
  fsck(dir);
});

test('one by hand is an operation of its own: its session comes back confirmed', () => {
  const { dir } = repository();
  json(['stage', 'start', 'Add retry'], { cwd: dir });
  json(['stage', 'done', 'Added.'], { cwd: dir });
  json(['stage', 'confirm', '--no-compact'], { cwd: dir });
  json(['stage', 'compact'], { cwd: dir });
  json(['undo'], { cwd: dir });
  expect(open(dir)).toEqual([['Add retry', 'Complete']]);
  json(['undo', '3'], { cwd: dir });
  expect(open(dir)).toEqual([['Add retry', 'PendingComplete']]);
  fsck(dir);
});
