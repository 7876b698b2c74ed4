/** Endings with their reason, tasks announced in vague words, and approval with a condition or a change: of our own writing. */
import type { Classification } from '../../../src/core/classify/classes.ts';
import type { State } from './sentences.ts';

/** Sentences, a line each, that are of one class in each of these states. */
export const WITH_REASONS: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  // Other tasks, and help with this one.
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `Different thing: the backup takes hours, find out why
new thing: write a bot that greets contributors
ok, something different: we need a press kit
different job: measure the cold start
switch to ticket OPS-31
begin with a new feature: saved searches
I have another job for you: sort the bug reports
before we continue, a new task: renew the licence
now to something else: write a press kit`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `different thing: it flickers
new thing shows up in the list, hide it
new job queue please
switch to the other branch
a different job name please
make it something different
start a new session when the token expires
begin a new task for every row
different job`,
  ],
  [['AwaitingUser'], 'Response', 'something different: "Home"\nnew thing: a banner'],
  [['none'], 'NewTask', 'can you help me set up the linter?'],
  [['PendingComplete'], 'Modification', 'could you help me test this on a phone?'],
  [['PendingComplete'], 'Clarification', 'can you help me understand the lock?\ndo all of them pass now?'],
];
