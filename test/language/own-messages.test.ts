// Ending needs an explicit sign: how precise Abandon, Confirmation and NewTask are on messages labelled before the rules read them.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { StateKind } from '../../src/core/state.ts';
import { type Classification, classifyMessage } from '../../src/language/index.ts';

interface Row {
  half: 'tuning' | 'held_out';
  kind: string;
  label: Classification;
  alt: Classification | null;
  state: StateKind;
  assistant_last_message: string;
  user_message: string;
  first?: boolean;
}

const OWN = new URL('own-messages.jsonl', import.meta.url);
/** Messages of real sessions, which are not part of the project. */
const LABELLED = new URL('../../../shared/classify/labelled.jsonl', import.meta.url);
const rowsOf = <T>(file: URL | string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

const ROWS = rowsOf<Row>(OWN);
const read = (row: Row) =>
  classifyMessage({
    state: row.state,
    message: row.user_message,
    lastMessage: row.assistant_last_message,
    beginsConversation: row.first,
  });
const isRight = (row: Row, classification: Classification): boolean =>
  classification === row.label || classification === row.alt;

const ENDING = ['Abandon', 'Confirmation', 'NewTask'] as const;

describe.each(['tuning', 'held_out'] as const)('the half %s of the messages', (half) => {
  const rows = ROWS.filter((row) => row.half === half);

  test.each(ENDING)('%s is never said of a message that is something else', (ending) => {
    const said = rows.filter((row) => read(row).classification === ending);
    expect(said.length).toBeGreaterThan(10);
    expect(said.filter((row) => !isRight(row, ending)).map((row) => row.user_message)).toEqual([]);
  });

  test('most ends, approvals and other tasks with a sign are found', () => {
    const ends = rows.filter((row) => (ENDING as readonly string[]).includes(row.label));
    const found = ends.filter((row) => isRight(row, read(row).classification));
    expect(found.length / ends.length).toBeGreaterThan(0.7);
  });

  test('nine of ten messages are classified as labelled, or nearly so', () => {
    const right = rows.filter((row) => isRight(row, read(row).classification));
    expect(right.length / rows.length).toBeGreaterThan(0.88);
  });
});

describe('what merely leans to an end', () => {
  const states = ['Running', 'Interrupted', 'PendingComplete'] as const;
  const messages = [
    'leave the sidebar for later, first do the GDPR ticket (#902)',
    'put the plugin thing aside, I need you to hotfix the tax rounding in release 3.1',
    'next: set up renovate for all our repositories',
    'cancel that, and undo what you did so far',
    'ok closing this. for the next task I want you to read the architecture notes',
    'warnings can wait. we got a security report about the upload form, fix that on a fresh branch',
    "revert everything, we're not going to ship this",
    'undo all of it, we decided not to build this',
    'stop, no new service. Close this.',
    'Stop. No more work on this. Please close it.',
    'the project is dead, you can put it all back',
    'Abandon the upgrade. The app gets rewritten next year, and the board does not want to pay for both.',
    'next, fail2ban for ssh and nginx auth',
    "hmm no. revert everything and let's forget about it",
    'stop, close this',
    'nobody uses the new form yet, so there is no need to keep the old one',
    'remove the package left-pad',
    'delete the branch feature/x',
    'could you create a script to back up the database every night?',
  ];
  test.each(messages.flatMap((message) => states.map((state) => [state, message] as const)))(
    '%s: "%s" continues the task, or is asked about',
    (state, message) => {
      const { classification } = classifyMessage({ state, message, lastMessage: 'Done. The tests pass.' });
      expect(['Modification', 'Unclear']).toContain(classification);
    },
  );

  test.each([
    ['Interrupted', 'stop, close this', '“stop”'],
    ['PendingComplete', 'great, but the header is off', '“great”'],
    ['PendingComplete', 'next up, the error case', '“next up”'],
  ] as const)(
    '%s: "%s" is a change, with a confidence below one half and the words that lean',
    (state, message, words) => {
      const { classification, confidence, reason } = classifyMessage({ state, message, lastMessage: 'Done.' });
      expect({ classification, isSure: confidence >= 0.5 }).toEqual({ classification: 'Modification', isSure: false });
      expect(reason).toContain(words);
    },
  );
});

describe('the first prompt of a conversation that begins again', () => {
  const of = (message: string, beginsConversation: boolean) =>
    classifyMessage({ state: 'Interrupted', message, task: 'Rewrite the login form', beginsConversation })
      .classification;

  test.each([
    'fix the flaky test in scheduler.test.ts',
    'the upload fails for files > 2GB',
    'Add a dark mode toggle to the settings page',
  ])('"%s" is another task there, and a change within the conversation', (message) => {
    expect(of(message, true)).toBe('NewTask');
    expect(of(message, false)).toBe('Modification');
  });

  test.each(['continue where we left off', 'carry on', 'the login form rewrite, add the tests', 'fix it'])(
    '"%s" continues the task',
    (message) => expect(of(message, true)).not.toBe('NewTask'),
  );
});

describe.skipIf(!existsSync(LABELLED))('the labelled messages of real sessions (skipped if they are absent)', () => {
  const rows = () => (existsSync(LABELLED) ? rowsOf<Row & { assistant_last_message_excerpt: string }>(LABELLED) : []);

  test('lose nothing but other tasks without a sign', () => {
    const wrong = rows().filter((row) => {
      const { user_message: message, assistant_last_message_excerpt: lastMessage, state } = row;
      return !isRight(row, classifyMessage({ state, message, lastMessage }).classification);
    });
    expect(rows().length).toBeGreaterThan(200);
    expect(wrong.filter(({ label, alt }) => label !== 'NewTask' && alt !== 'NewTask')).toEqual([]);
    expect(wrong.length).toBeLessThanOrEqual(5);
  });
});
