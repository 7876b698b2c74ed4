// Words that would end the task, and are the answer where the agent asked about one thing.
import { describe, expect, test } from 'vitest';
import { type Classification, classifyMessage } from '../../src/language/index.ts';

/** Every message beside every question is of one class. */
const all = (classification: Classification, messages: readonly string[], questions: readonly string[]): void => {
  const table = messages.flatMap((message) => questions.map((question) => [message, question] as const));
  test.each(table)(`%j beside %j is ${classification}`, (message, lastMessage) => {
    expect(classifyMessage({ state: 'AwaitingUser', message, lastMessage }).classification).toBe(classification);
  });
};

const NEEDED = [
  'Is the IE11 polyfill still required?',
  'I think the cron entry is unused. Is it still needed?',
  'Do we still need the staging bucket?',
];
const DEEDS = ['Delete it?', 'Shall I delete it?', 'Should I bring the old route back?', 'May I use Bash: rm -r tmp?'];
const WHAT_WITH = ['What shall I do with the half-finished branch?', 'What about the old fixtures?'];
const CHOICES = ['Keep the old endpoint, or should I remove it?', 'Should I keep the old name or use a new one?'];
const OPEN = ['Which database should it use?', 'Where should the logs go?'];

const NEEDLESS = [
  'no longer needed',
  'not needed any more',
  "we don't need it any more",
  'we no longer need it',
  "no, we don't need that anymore",
];
const IDIOMS = ['forget it', 'forget about it', "don't bother", 'scratch that'];

describe('what nobody needs is the thing that was asked about', () => {
  all('Response', NEEDLESS, [...NEEDED, ...DEEDS, ...WHAT_WITH, ...CHOICES]);
  all('Unclear', NEEDLESS, [...OPEN, '']);
});

describe('"forget it" is said of a thing where the agent asked about one', () => {
  all('Response', IDIOMS, [...NEEDED, ...DEEDS, ...WHAT_WITH]);
  all('Unclear', ['forget it', 'forget about it'], [...CHOICES, 'Is the deadline on Friday?']);
});

describe('the task ends all the same', () => {
  const ends = ['cancel the whole thing', 'stop, abandon this task', 'forget it, we found another solution'];
  all('Abandon', ['never mind'], [...NEEDED, ...DEEDS, ...CHOICES, ...OPEN]);
  all('Abandon', ends, [...NEEDED, ...DEEDS, ...WHAT_WITH, ...CHOICES, ...OPEN]);
  all(
    'Abandon',
    ['forget it', 'forget about it'],
    ['Shall I go on?', 'Should I continue with the migration?', ...OPEN],
  );
  all('Abandon', ["never mind, we don't need it anymore", 'the task is no longer needed, cancel it'], OPEN);
});
