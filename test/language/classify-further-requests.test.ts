// Words that lean to an end, to approval or to another task, and only add something or send the agent on.
import { describe, expect, test } from 'vitest';
import type { StateKind } from '../../src/core/state.ts';
import { classifyMessage } from '../../src/language/index.ts';

const EXPORT = 'The export button now creates a CSV file with all visible columns.';

const rows = (classification: string, states: readonly StateKind[], messages: readonly string[]): void => {
  test.each(states.flatMap((state) => messages.map((message) => [state, message] as const)))(
    '%s: %s',
    (state, message) => {
      const lastMessage = state === 'PendingComplete' ? EXPORT : null;
      expect(classifyMessage({ state, message, lastMessage, task: 'Add an export' }).classification).toBe(
        classification,
      );
    },
  );
};

describe('what ends in "as well" or "too" adds a thing', () => {
  rows(
    'Modification',
    ['PendingComplete'],
    [
      'hidden columns as well pls',
      'quotes around strings as well',
      'all of them as well',
      'all the others as well',
      'orders as well, thanks',
      'the header row as well please',
      'invoices and refunds too, thanks',
      'great, the totals as well please',
    ],
  );
  rows(
    'Confirmation',
    ['PendingComplete'],
    [
      'works well in firefox as well, thanks',
      'tested it on windows as well, all good',
      'the docs look great as well, thank you',
    ],
  );
});

describe('a message that sends the agent to the next step does not stop the agent', () => {
  rows(
    'Modification',
    ['Running', 'Interrupted', 'PendingComplete'],
    [
      "i'll do the docs myself, you do the code",
      "i'll do the frontend myself, you do the backend",
      "I'll handle the migration myself, you only write the model",
      "I'll take care of the translations myself, you just finish the form",
    ],
  );
  rows(
    'Modification',
    ['Interrupted'],
    [
      'you were in the wrong branch. switch to develop and go on',
      'you are on the wrong branch',
      "you're in the wrong folder",
      'the vendor already ships types, no need for ours, delete them',
      'the client no longer wants the icons, remove those',
    ],
  );
  rows(
    'Abandon',
    ['Running', 'Interrupted'],
    ["I'll do it myself", 'wrong branch. Forget everything', 'you can stop here, we decided against the whole thing'],
  );
});

describe('a name is no other task', () => {
  rows(
    'Modification',
    ['Running'],
    [
      'moving on, db.ts please',
      'moving on, `db.ts`',
      'unrelated to that, the header is called X-Id',
      'unrelated: the flag is named --dry-run',
    ],
  );
  rows(
    'NewTask',
    ['Running'],
    [
      'unrelated to that, the login page is broken on Safari for all users since Monday',
      'Unrelated: write a script that is called nightly and prunes the old branches',
    ],
  );
});
