// Tests that what an agent says is kept where only its hooks say it, and is there once where a transcript has it, too.
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, run } from '../support/cli.ts';
import { Conversation } from './support/day.ts';
import { A, sound, workTree } from './support/projects.ts';

interface Spoken {
  id: string;
  role: string;
  parts: { text: string }[];
}

const NOTICE = 'Here is the changelog: wallaby.\n\nThe heading is numbat.';
const ASKED = `${NOTICE}\n\nShall I publish it now?`;

const said = (dir: string, ...more: string[]): [role: string, text: string][] =>
  json<Spoken[]>(['messages', ...more], { cwd: dir }).map(({ role, parts }) => [
    role,
    parts.map(({ text }) => text).join('\n'),
  ]);

const times = (text: string, word: string): number => text.split(word).length - 1;

/** A conversation of which there are only hooks, after an answer and the next prompt. */
function hooksAlone(answer: string): Conversation {
  const day = new Conversation(workTree(), A);
  day.hook('UserPromptSubmit', { prompt: 'Write a changelog for release nine' });
  day.hook('Stop', { last_assistant_message: answer });
  day.hook('UserPromptSubmit', { prompt: 'Go on, and name the bilby' });
  return day;
}

describe.each([
  ['an answer', NOTICE],
  ['an answer that ends with a question', ASKED],
])('%s', (_, answer) => {
  test('is a message, found, and in the context of a resume once', () => {
    const { dir, now } = hooksAlone(answer);
    expect(said(dir)).toEqual([
      ['user', 'Write a changelog for release nine'],
      ['assistant', answer],
      ['user', 'Go on, and name the bilby'],
    ]);
    expect(said(dir, '--role', 'assistant')).toEqual([['assistant', answer]]);
    const [first] = json<Spoken[]>(['messages', '--view', 'all'], { cwd: dir });
    expect(said(dir, '--to', first?.id ?? '')).toHaveLength(1);
    expect(run(['messages', '--from', 'zzz'], { cwd: dir }).code).toBe(1);
    run(['flush'], { cwd: dir, now });
    expect(run(['search', 'wallaby'], { cwd: dir }).stdout).toContain('wallaby');
    expect(times(run(['resume', '1', '--no-launch'], { cwd: dir, now }).stdout, 'wallaby')).toBe(1);
    sound(dir);
  });

  test('is there once after its transcript has come', () => {
    const day = hooksAlone(answer);
    const { dir, now, transcript } = day;
    mkdirSync(dirname(transcript), { recursive: true });
    const base = { isSidechain: false, sessionId: A, cwd: dir, version: '2.1.0', userType: 'external' };
    const lines = [
      ['user', 'u1', null, { role: 'user', content: 'Write a changelog for release nine' }],
      ['assistant', 'a1', 'u1', { id: 'm1', role: 'assistant', model: 'm', content: [{ type: 'text', text: answer }] }],
      ['user', 'u2', 'a1', { role: 'user', content: 'Go on, and name the bilby' }],
      [
        'assistant',
        'a2',
        'u2',
        { id: 'm2', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Named.' }] },
      ],
    ].map(([type, uuid, parentUuid, message]) => {
      const timestamp = new Date(now * 1000).toISOString();
      return `${JSON.stringify({ ...base, type, uuid, parentUuid, message, timestamp })}\n`;
    });
    appendFileSync(transcript, lines.join(''));
    day.hook('Stop', { last_assistant_message: 'Named.' });
    expect(said(dir).map(([role, text]) => `${role} ${text}`)).toEqual([
      'user Write a changelog for release nine',
      `assistant ${answer}`,
      'user Go on, and name the bilby',
      'assistant Named.',
    ]);
    expect(times(run(['resume', '1', '--no-launch'], { cwd: dir, now }).stdout, 'wallaby')).toBe(1);
    sound(dir);
  });
});

test('a session without an agent has no messages', () => {
  const dir = workTree();
  run(['init'], { cwd: dir });
  run(['start', 'Alone'], { cwd: dir });
  expect(said(dir)).toEqual([]);
});
