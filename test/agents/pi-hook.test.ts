// pi with our extension in it and the real hook command behind that: what a conversation comes to.
import { expect, test } from 'vitest';
import { json, PROGRAM } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { piSession, piWith } from './support/own-files.ts';
import { A, sound, statusOf, workTree } from './support/projects.ts';

const answer = (text: string): object => ({
  messages: [{ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' }],
});

test.each([
  ['and quickly', 'with what may be something new'],
  ['Different topic: write the release notes', 'with what may be a new task'],
])('“%s”, typed while pi works, steers it: no question is left that nobody was asked', async (words, why) => {
  const dir = workTree();
  const session = piSession(dir, A, undefined);
  const fire = await piWith(`'${process.execPath}' '${PROGRAM}' hook pi`);
  const prompt = async (text: string): Promise<unknown> => {
    await fire('input', { text, source: 'interactive' }, session);
    return fire('before_agent_start', { prompt: text }, session);
  };
  expect(await prompt('Fix the lint errors')).toBeUndefined();
  fire('input', { text: words, source: 'interactive', streamingBehavior: 'steer' }, session);
  fire('agent_end', answer('Which config should I keep: A) standard or B) airbnb?'), session);
  expect(await prompt('B')).toBeUndefined();
  fire('agent_end', answer('Kept airbnb.'), session);
  await fire('session_shutdown', {}, session);
  expect(json(['log'], { cwd: dir })).toEqual([]);
  expect(statusOf(dir).session_state).toEqual({ kind: 'PendingComplete', summary: 'Kept airbnb.' });
  const story = storyOf(recordsOf(dir, 'STAGE')).filter((line) => !line.includes('The agent'));
  expect(story.slice(0, 8)).toEqual([
    'task Fix the lint errors',
    `note ctx continued ${why}, without asking: no question could be put to the user`,
    `note User intervention: ${words}`,
    'interrupt → Interrupted',
    'continue → Running',
    'note Question for user: Which config should I keep: A) standard or B) airbnb?',
    'ask → AwaitingUser',
    'note User response: B',
  ]);
  sound(dir);
});
