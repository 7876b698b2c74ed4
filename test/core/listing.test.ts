// Tests the rows of lists: titles, short ids, ages and sentences.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ageInWords } from '../../src/core/listing/age.ts';
import { lastSentence, questionIn, withoutMarkdown } from '../../src/core/listing/plain-sentence.ts';
import { idsMatching, SHORTEST_ID, shortIds } from '../../src/core/listing/short-id.ts';
import { endedStatus, openStatus } from '../../src/core/listing/status.ts';
import { commitTitle, TITLE_LIMIT, titleFromPrompt, titleOf } from '../../src/core/listing/title.ts';
import { whereStopped } from '../../src/core/listing/where-stopped.ts';

describe('the title derived from a prompt', () => {
  test.each([
    ['Add retry with backoff', 'Add retry with backoff'],
    ['please fix the login page. It shows a blank screen.', 'fix the login page'],
    ['Can you please help me to rename the folder of fixtures?', 'rename the folder of fixtures?'],
    ["let's move on to the parser", 'move on to the parser'],
    ['Implement the following plan:\n\n# Split the store\n\n1. Move files', 'Split the store'],
    ['<ide_opened_file>The user opened a.ts</ide_opened_file>\nwhy does the build fail?', 'why does the build fail?'],
    ['[Image #1] the button is cut off', 'the button is cut off'],
    ['/plugin:brainstorming how can two agents share a document?', 'how can two agents share a document?'],
    ['**Bold** `code` and a [link](https://example.org/a_b)', 'Bold code and a link'],
    [
      'brainstorm:\n- summaries made when a checkpoint is saved',
      'brainstorm: summaries made when a checkpoint is saved',
    ],
    ['Hello, agent!', 'Hello, agent!'],
    ['/mode', '/mode'],
    ['修复登录页面。然后发布', '修复登录页面。然后发布'],
    ['', ''],
    ['<command-name>/clear</command-name>', ''],
  ])('of %j is %j', (prompt, title) => expect(titleFromPrompt(prompt)).toBe(title));

  test('is one line of at most 72 characters, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        const title = titleOf({ task_description: text });
        expect(title.length).toBeLessThanOrEqual(TITLE_LIMIT);
        expect(title).not.toMatch(/[\n\r]/);
      }),
    );
  });

  test('is cut at a word', () => {
    const title = titleFromPrompt(`explain ${'why the cache of this program '.repeat(5)}`);
    expect(title).toMatch(/^explain why .*\w…$/);
    expect('explain why the cache of this program why the cache of this program '.repeat(3)).toContain(
      title.slice(0, -1),
    );
  });
});

test('the title of a session is the one that was set, then that of the agent, then one derived from the task', () => {
  const task_description = 'please fix the login page';
  expect(titleOf({ task_description })).toBe('fix the login page');
  expect(titleOf({ task_description, title: 'Login page' })).toBe('Login page');
  expect(titleOf({ task_description, title: 'Login page', renamed: 'The blank page' })).toBe('The blank page');
  expect(titleOf({ task_description, title: ' ', renamed: '' })).toBe('fix the login page');
});

test('the title of a commit is its message if somebody worded one', () => {
  const session = { task_description: 'please fix the login page' };
  expect(commitTitle('please fix the login page', session)).toBe('fix the login page');
  expect(commitTitle('Saved before starting new task: please fix the login page', session)).toBe('fix the login page');
  expect(commitTitle('Show the login page again', session)).toBe('Show the login page again');
});

describe('the sentence that a list shows of a message', () => {
  test.each([
    ['All done. Shall I also update the docs? I can do it now.', 'Shall I also update the docs?'],
    ['Which one?\n\n- `a`\n- **b**', 'Which one?'],
    ['Tell me the port', 'Tell me the port'],
  ])('that asks, of %j, is %j', (text, sentence) => expect(questionIn(text)).toBe(sentence));

  test.each([
    ['I changed it. **All tests pass.**', 'All tests pass.'],
    ['Done:\n\n```ts\nconst a = 1;\n```\n', 'Done:'],
    ['# Result\n\nEverything in `src/a.ts` works', 'Everything in src/a.ts works'],
  ])('that comes last, of %j, is %j', (text, sentence) => expect(lastSentence(text)).toBe(sentence));

  test('has no Markdown, and keeps names with underscores and stars', () => {
    expect(withoutMarkdown('> *a* and snake_case_name, 2 * 3 * 4')).toBe('a and snake_case_name, 2 * 3 * 4');
  });

  test.each([
    [{ kind: 'Running' }, null],
    [{ kind: 'AwaitingUser', question: 'Ready. Which port?', asked_at: 1 }, 'Which port?'],
    [{ kind: 'PendingComplete', summary: 'Added it. Tests pass.' }, 'Tests pass.'],
    [{ kind: 'PendingComplete', summary: '' }, null],
    [{ kind: 'Interrupted', user_message: '**wait**' }, 'wait'],
    [{ kind: 'Complete' }, null],
    [{ kind: 'Aborted', reason: 'Superseded' }, 'Superseded'],
  ] as const)('of the state %j is %j', (state, sentence) => expect(whereStopped(state)).toBe(sentence));
});

describe('short ids', () => {
  const ids = ['01a226a9-9902-7a82-8000-856aa2da8f70', '01a226a9-9826-7b2a-8000-12a7b2ae32b2'];

  test('are the last six characters while no other id ends alike', () => {
    expect([...shortIds(ids).values()]).toEqual(['da8f70', 'ae32b2']);
  });

  test('grow until no other id ends alike, and each names one id alone', () => {
    const uuid = fc.tuple(fc.stringMatching(/^[0-9a-f]{8}$/), fc.stringMatching(/^[01]{12}$/));
    fc.assert(
      fc.property(fc.uniqueArray(uuid, { minLength: 1, maxLength: 40, selector: (one) => one.join() }), (parts) => {
        const all = parts.map(([time, end]) => `${time}-0000-7000-8000-${end}`);
        for (const [id, short] of shortIds(all)) {
          expect(short.length).toBeGreaterThanOrEqual(SHORTEST_ID);
          expect(all.filter((one) => one.replaceAll('-', '').endsWith(short))).toEqual([id]);
        }
      }),
    );
  });

  test.each([
    ['da8f70', [ids[0]]],
    ['8f70', [ids[0]]],
    ['f70', []],
    ['01a226a9', ids],
    ['01A226A9-98', [ids[1]]],
    [ids[0] as string, [ids[0]]],
    ['ffffff', []],
  ])('the piece %s names %j', (piece, found) => expect(idsMatching(ids, piece)).toEqual(found));
});

test.each([
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [7_199, '119 minutes ago'],
  [7_200, '2 hours ago'],
  [2 * 86_400 - 1, '47 hours ago'],
  [13 * 86_400, '13 days ago'],
  [14 * 86_400, '2 weeks ago'],
  [400 * 86_400, '13 months ago'],
  [800 * 86_400, '2 years ago'],
  [-5, 'just now'],
])('an age of %i seconds is %j', (age, words) => expect(ageInWords(1_000_000_000 - age, 1_000_000_000)).toBe(words));

test('an open session is paused after five minutes, and an ended one is completed only if its work was done', () => {
  const after = (idle: number) => openStatus({ last_activity: 1_000 }, 1_000 + idle);
  expect([after(0), after(299), after(300)]).toEqual(['active', 'active', 'paused']);
  expect(endedStatus({ kind: 'Complete' })).toBe('completed');
  expect(endedStatus({ kind: 'PendingComplete', summary: '' })).toBe('completed');
  expect(endedStatus({ kind: 'Aborted', reason: '' })).toBe('completed');
  expect(endedStatus({ kind: 'Running' })).toBe('paused');
  expect(endedStatus({ kind: 'AwaitingUser', question: '', asked_at: 1 })).toBe('paused');
});
