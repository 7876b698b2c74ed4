// Tests that the model which an agent's hooks name is kept with its session, once, and again when it changes.
import { expect, test } from 'vitest';
import { git, json, NOON, run } from '../support/cli.ts';
import { answerOf, opencodeWith, piSession, piWith, probe } from './support/own-files.ts';
import { A, sound, workTree } from './support/projects.ts';

type Event = readonly [event: string, fields: object];

/** By agent: the beginning of a conversation whose hooks name a model, and a later event that names another one. */
const TURNS: Readonly<Record<string, { begins: readonly Event[]; names: Event; again: Event }>> = {
  'claude-code': {
    begins: [
      ['SessionStart', { source: 'startup', model: 'm-1' }],
      ['UserPromptSubmit', { prompt: 'Add a cache' }],
    ],
    names: ['SessionStart', { source: 'compact', model: 'm-1' }],
    again: ['SessionStart', { source: 'resume', model: 'm-2' }],
  },
  codex: {
    begins: [['UserPromptSubmit', { prompt: 'Add a cache', model: 'm-1' }]],
    names: ['PreToolUse', { tool_name: 'shell', tool_input: { command: 'ls' }, model: 'm-1' }],
    again: ['Stop', { last_assistant_message: 'It is in.', model: 'm-2' }],
  },
  gemini: {
    begins: [
      ['SessionStart', { source: 'startup' }],
      ['BeforeAgent', { prompt: 'Add a cache' }],
      ['BeforeModel', { llm_request: { model: 'm-1', messages: [] } }],
    ],
    names: ['AfterModel', { llm_request: { model: 'm-1' } }],
    again: ['BeforeModel', { llm_request: { model: 'm-2' } }],
  },
  cursor: {
    begins: [['beforeSubmitPrompt', { conversation_id: A, prompt: 'Add a cache', generation_id: 'g1', model: 'm-1' }]],
    names: ['preToolUse', { conversation_id: A, model: 'm-1' }],
    again: ['stop', { conversation_id: A, status: 'completed', model: 'm-2' }],
  },
  pi: {
    begins: [['prompt', { prompt: 'Add a cache', model: 'm-1' }]],
    names: ['tool_result', { tool_name: 'ls', model: 'm-1' }],
    again: ['turn_end', { text: 'It is in.', model: 'm-2' }],
  },
};

const modelsIn = (dir: string): string[] => {
  run(['flush'], { cwd: dir, now: NOON });
  const ref = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/sessions').trim();
  const text = (oid: string, file: string): string => git(dir, '--git-dir=.ctx', 'show', `${oid}:${file}`);
  const steps = git(dir, '--git-dir=.ctx', 'rev-list', ref, '--not', '--branches').split('\n').filter(Boolean);
  const records = steps.flatMap((oid) =>
    text(oid, 'step.jsonl')
      .split('\n')
      .filter((line) => line.includes('"about"')),
  );
  return [JSON.parse(text(ref, 'session.json')).model, ...records.map((line) => JSON.parse(line).model)];
};

test.each(Object.entries(TURNS))('%s', (agent, { begins, names, again }) => {
  const dir = workTree();
  const send = ([event, fields]: Event, more: object = {}): void => {
    const payload = { session_id: A, transcript_path: null, cwd: dir, hook_event_name: event, ...fields, ...more };
    expect(run(['hook', agent], { cwd: dir, now: NOON, input: JSON.stringify(payload) })).toMatchObject({ code: 0 });
  };
  for (const event of begins) send(event);
  const kept = modelsIn(dir);
  expect(kept[0]).toBe('m-1');
  for (let time = 0; time < 3; time += 1) send(names);
  expect(modelsIn(dir)).toEqual(kept);
  for (const model of ['', ' ', 'a\nb', 'x'.repeat(201), 7, null, { id: 'm' }])
    send(names, { model, llm_request: model });
  if (agent !== 'cursor')
    send(names, { agent_id: 'sub', sub_agent: 'sub', ...(agent === 'gemini' ? {} : { model: 'm-3' }) });
  expect(modelsIn(dir)).toEqual(kept);
  send(again);
  expect(modelsIn(dir)).toEqual(['m-2', 'm-2', ...kept.slice(1)]);
  expect(run(['resume', '1', '--no-launch'], { cwd: dir, now: NOON + 60 }).stdout).toContain('\nModel: m-2\n');
  sound(dir);
});

test('the files among the plugins of opencode and pi name the model', async () => {
  const dir = workTree();
  const { command, told } = probe(answerOf(''));
  const hooks = await opencodeWith(command, dir);
  const message = { id: 'msg_1', model: { providerID: 'p', modelID: 'm-1' } };
  await hooks['chat.message']({ sessionID: 'ses_a' }, { message, parts: [{ type: 'text', text: 'Go', id: 'prt_1' }] });
  const fire = await piWith(command);
  await fire('before_agent_start', { prompt: 'Go' }, { ...piSession(dir, A, undefined), model: { id: 'm-2' } });
  expect(told().map(({ hook_event_name, model }) => [hook_event_name, model])).toEqual([
    ['session_start', 'm-1'],
    ['prompt', 'm-1'],
    ['prompt', 'm-2'],
  ]);
});

test('a session that begins later in the conversation has the model, and one that knows no model has none', () => {
  const dir = workTree();
  const send = (event: string, fields: object): void => {
    const payload = { session_id: A, transcript_path: null, cwd: dir, hook_event_name: event, ...fields };
    run(['hook', 'claude-code'], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
  };
  send('UserPromptSubmit', { prompt: 'Add a cache' });
  expect(modelsIn(dir)).toEqual([undefined]);
  send('SessionStart', { source: 'resume', model: 'm-1' });
  send('Stop', { last_assistant_message: 'The cache is in.' });
  run(['stage', 'confirm'], { cwd: dir, now: NOON });
  send('UserPromptSubmit', { prompt: 'New task: write the release notes' });
  expect(modelsIn(dir)).toEqual(['m-1']);
  expect(json<{ title: string }[]>(['list'], { cwd: dir, now: NOON })).toHaveLength(2);
});
