// Tests messages beside the agent's words before: an answer to its question, or the end of the task.
import { describe, expect, test } from 'vitest';
import type { StateKind } from '../../src/core/state.ts';
import { type Classification, classifyMessage } from '../../src/language/index.ts';

type Row = readonly [message: string, lastMessage: string];

const rows = (state: StateKind, classification: Classification, table: readonly Row[]): void => {
  test.each(table)(`%j beside %j is ${classification}`, (message, lastMessage) => {
    expect(classifyMessage({ state, message, lastMessage }).classification).toBe(classification);
  });
};

describe('an answer in the words of the question', () => {
  rows('AwaitingUser', 'Response', [
    ['halt it', 'The old worker is still up. Halt it, or let it finish?'],
    ['abort them', 'Four uploads hang. Abort them or retry?'],
    ['cancel', 'Should the status be `cancelled` or `failed`?'],
    ['Stop', 'What should happen when the disk is full?\n\n1. Retry\n2. Stop\n3. Ask'],
    ['stop', 'Are the timers stopped or kept?'],
    ['stop', 'Tell me whether the daemon shall stop or restart.'],
    ['quit', 'What should pressing Escape print?'],
    ['scrap that', 'There is a half finished draft. Scrap that, or build on it?'],
    ['取消', '按钮上写“取消”还是“返回”？'],
    ['another topic', 'Publish to the existing topic, or create another topic?'],
    ['new project', 'Put it into the current project or a new project?'],
  ]);
});

describe('an answer in the words of a sentence beside the question', () => {
  rows('AwaitingUser', 'Response', [
    ['cancel it', 'I can wait for the job or cancel it. Which one?'],
    ['abort', 'The rebase has conflicts. I can abort or continue. What do you prefer?'],
    ['abort it', 'The rebase has conflicts. I can abort or continue. What do you prefer?'],
    ['stop it', 'There is a running dev server on port 3000. I could stop it. OK?'],
    ['stop', "I'll stop the dev server when done. Which port should it use?"],
    ['stop the job', 'The job hangs. What do you prefer?'],
    ['stop the task', 'I could stop the background task or wait. Which one?'],
  ]);
});

describe('an answer in other words for the end that the question offers', () => {
  const answers = ['abort it', 'stop it', 'cancel it', 'halt it', 'scrap it', 'call it off', 'abort', 'ok, stop it'];
  const questions = [
    'I can wait for the CI run or cancel it. Which one?',
    'The import job is still running. Should I keep waiting or stop it?',
    'There is a rebase in progress. Abort it, or continue with it?',
    'The dev server is using port 3000. Should I kill the process or use another port?',
    'Three workers hang. I could terminate them. What do you prefer?',
    'There is a stash from last week. Drop it or apply it?',
  ];
  rows(
    'AwaitingUser',
    'Response',
    questions.flatMap((question) => answers.map((answer): Row => [answer, question])),
  );
  rows('AwaitingUser', 'Response', [
    ['forget it', 'The order has status open. What should happen with it when the user leaves?'],
    ['forget about it', 'The old draft PR #12 conflicts with this. What should I do with it?'],
    ['scrap it', 'There is a half-written migration. What do I do about it?'],
    ['cancel', 'What title should the dialog have?'],
    ['New task', 'What should the button say?'],
  ]);
  rows('AwaitingUser', 'Unclear', [
    ['Never mind', 'What should the button say?'],
    ['Forget it', 'Which text goes on the button?'],
    ['stop', 'What shall I call the method?'],
    ['cancel', 'What do you want to call the new command?'],
    ['stop', 'How should I call the method that ends polling?'],
    ['cancel', "What's the name of the event?"],
    ['abort', 'What is the default action on timeout?'],
    ['stop', 'How should the worker react to SIGTERM?'],
    ['abort immediately', 'The handler is in. How should the worker react to SIGTERM?'],
    ['stop everything', 'What should happen when the user presses Ctrl-C?'],
    ['cancel everything', 'The upload failed three times. What should we do then?'],
  ]);
  rows('AwaitingUser', 'Response', [
    ['abort', 'Should the endpoint be called /cancel or /abort?'],
    ['STOP', 'Which key phrase unsubscribes an SMS user?'],
    ['STOP', "What's the safe word for the e2e bot?"],
  ]);
  rows('AwaitingUser', 'Abandon', [
    ['never mind', 'Should I keep the cache or drop it?'],
    ['stop', 'Should I keep the old name or use a new one?'],
    ['cancel the task', 'The import job is still running. Should I keep waiting or stop it?'],
    ['abandon the task', 'Wait or abort?'],
    ['cancel', 'I closed the old connection. Which retries should I use?'],
    ['cancel the task, we go with auth0', 'Which login provider should it use?'],
  ]);
  rows('AwaitingUser', 'NewTask', [['New task: write the docs', 'What should the button say?']]);
});

describe('a report offers nothing', () => {
  const reports = [
    'Done. The login form validates e-mail addresses on blur. I also updated the snapshot tests.',
    'Done.\n\nThe flag also works on Windows.',
    'Fertig. Ich habe auch die Tests angepasst.',
  ];
  const messages = ["never mind, we don't need this anymore", 'forget it', "don't bother"];
  rows(
    'PendingComplete',
    'Abandon',
    reports.flatMap((report) => messages.map((message): Row => [message, report])),
  );
});

const PERMISSION = 'May I use Bash: npm publish?';
const LONG_COMMAND = `May I use Bash: cat > notes.md\n${'One more line of notes.\n'.repeat(60)}?`;
const PLAN = 'Shall I go on with this plan?\n\n1. Move the parser, or copy it\n2. Delete the old one';
const LONG_PLAN = `Shall I go on with this plan?\n\n${'- Move one more module to the package\n'.repeat(60)}`;
const WHAT_WITH = 'A dev server is already running on port 3000. What should I do with it?';

describe('leave is refused, and not the task', () => {
  const all = (messages: readonly string[], lastMessages: readonly string[]): Row[] =>
    messages.flatMap((message) => lastMessages.map((lastMessage): Row => [message, lastMessage]));
  const stops = ['stop', 'abort', 'cancel', 'cancel it', 'no, cancel', 'ok, stop', 'abbrechen', '取消'];
  rows('AwaitingUser', 'Response', all(stops, [PERMISSION, LONG_COMMAND, PLAN, LONG_PLAN]));
  rows('AwaitingUser', 'Response', all(['scrap it', 'no, scrap that', 'drop it'], [PLAN, LONG_PLAN]));
  rows('AwaitingUser', 'Response', all(['stop it', 'stop', 'cancel it', 'kill it'], [WHAT_WITH]));
  rows('AwaitingUser', 'Response', [
    ['stop, no', 'Should I also delete the old migrations?'],
    ['no, forget it', PERMISSION],
    ['cancel', 'Is it okay to push?'],
    ['stop', 'I want to empty the cache. OK?'],
    ['stop', 'Proceed?'],
    ['stop', 'Do you want to proceed?'],
    ['cancel it', 'Should I restart the worker?'],
  ]);
  const ends = ['never mind', 'cancel the task', 'abandon this session', "let's drop the whole thing"];
  const reasons = ['forget about the whole thing', 'stop everything'];
  rows('AwaitingUser', 'Abandon', all([...ends, ...reasons], [PERMISSION, LONG_PLAN, 'Which jitter strategy?']));
  rows('AwaitingUser', 'Abandon', all(['forget it'], [LONG_PLAN, 'Which jitter strategy?']));
  rows('AwaitingUser', 'Abandon', [
    ['never mind', WHAT_WITH],
    ['cancel it, nobody needs it', PERMISSION],
    ['stop working on this', PERMISSION],
    ['abort mission', PERMISSION],
    ['cancel the task', 'I can wait for the job or cancel it. Which one?'],
    ['Cancel', 'Which jitter strategy?'],
    ['Stop', 'Which jitter strategy?'],
  ]);
});

describe('what the agent offered or wanted is refused, and not the task', () => {
  rows('AwaitingUser', 'Response', [
    ['hmm no. forget it', 'Should soft delete be part of this change?'],
    ['cancel all of it', 'Two deployments are queued. Should I cancel them?'],
    ['drop everything', 'Which tables may I empty?'],
    ['drop all of it, the tests rebuild the data', 'May I drop the test database?'],
    ['nvm, found it myself', 'Which port does the dev server use?'],
    ['something more important: performance', 'What matters most to you?'],
  ]);
  rows('AwaitingUser', 'Response', [
    ["nah, don't bother", "Want me to bump the copyright year while I'm at it?"],
    ['never mind, forget about it', 'Do you want me to also sort the imports?'],
    ['forget it', 'I could also write a migration guide. Interested?'],
    ['egal', 'Tabs oder Leerzeichen?'],
    ['no, scrap that', 'Should I rename the folder?'],
    ['never mind', 'Could you send me the log once more?'],
    ["nevermind, it's in the vault", 'Where are the credentials stored?'],
    ['nee, lass gut sein', 'Soll ich auch die Doku anpassen?'],
    ['不用了', '要不要顺便修复这个警告？'],
    ['laisse tomber', 'Je dois aussi corriger les fautes ?'],
    ['olvídalo', '¿Quieres que también actualice los tests?'],
  ]);
  rows('AwaitingUser', 'Unclear', [
    ['stop', 'Should I also rename the tests?'],
    ['stop', 'Should I use the stopwatch helper?'],
    ['cancel', 'Would you like me to add tests?'],
  ]);
  const ways = [
    'Which strategy would you like me to use for the client?',
    'So, how would you like me to handle errors?',
    'For the tests, which runner would you like me to set up?',
    'What would you like me to do next?',
    'Do you want me to use a queue or a cron job?',
    'Do you want me to proceed with this approach?',
    'Do you want me to continue?',
  ];
  rows(
    'AwaitingUser',
    'Abandon',
    ['Never mind', 'Cancel', 'Stop'].flatMap((message) => ways.map((way): Row => [message, way])),
  );
  const offers = [
    'I found where it leaks memory; want me to file an issue?',
    'All 14 tests pass. When it is merged, would you like me to update the changelog?',
    'Now that we know what failed, would you like me to add a regression test?',
    'If you know which version broke it, great; otherwise, would you like me to bisect?',
    'Would you like me to use the staging key to send a test mail?',
  ];
  rows(
    'AwaitingUser',
    'Response',
    offers.map((offer): Row => ['never mind', offer]),
  );
  rows(
    'PendingComplete',
    'Confirmation',
    offers.map((offer): Row => ['never mind', `The parser is done. ${offer}`]),
  );
  const deeds = [
    'Should I start the dev server?',
    'Should I keep the backup file?',
    'Should I start the migration on the production database?',
    'Should I go and delete the old branch?',
    'Should I use sudo to remove it?',
    'Should I continue with the force push?',
    'Do you want me to retry the deploy to production?',
    'Do you want me to finish the docs?',
  ];
  rows(
    'AwaitingUser',
    'Unclear',
    ['stop', 'cancel'].flatMap((message) => deeds.map((deed): Row => [message, deed])),
  );
  rows('PendingComplete', 'Confirmation', [
    ['never mind', 'All is done. Want me to also update the docs?'],
    ["don't bother", 'The parser works. Should I add a benchmark as well?'],
  ]);
});

describe('the task ends if nothing of the kind was asked', () => {
  rows('AwaitingUser', 'Abandon', [
    ['Never mind', 'Should I use exponential or linear backoff?'],
    ['Cancel', 'Should I use exponential or linear backoff?'],
    ['Stop', 'Which database do you prefer?\n\n1. Postgres\n2. SQLite'],
    ['never mind', 'Do you want me to continue with the migration?'],
    ['never mind', 'Should I look at it?'],
    ['stop', 'I timed it with the stopwatch. Which unit should it print?'],
    ['cancel', 'May I ask which database you prefer?'],
    ['stop', 'How can we reproduce it?'],
    ['cancel the task', 'I stopped halfway through the task. Which part should come first?'],
    ['stop', 'What should I do next?'],
    ['cancel this task', 'Wait for the job or use another runner?'],
    ['stop everything', 'Should I also rename the tests?'],
    ['forget the entire thing', 'Should I also rename the tests?'],
    ["never mind, we don't need it anymore", 'Which database should it use?'],
    ['cancel it, the feature was dropped', 'Should I also rename the tests?'],
  ]);
  rows('AwaitingUser', 'NewTask', [['different topic: the site is down', 'Should I also rename the tests?']]);
});

describe('what "it" is', () => {
  rows('Running', 'Modification', [
    ['shut it down', 'The watcher process still runs.'],
    ['kill it', 'A stray container holds the lock.'],
  ]);
  rows('PendingComplete', 'Modification', [['drop it', 'Nobody calls `tmp`; I would drop it.']]);
  rows('PendingComplete', 'Confirmation', [['merge them', 'I opened two PRs, one for each package.']]);
  rows('PendingComplete', 'Modification', [['merge them', 'The settings stand in two files now.']]);
  rows('Running', 'Unclear', [['kill it', 'Now I will update the handler.']]);
});

describe('more is to come', () => {
  rows('PendingComplete', 'Response', [['ok', 'The first half is there. I can begin with the second one now.']]);
});

describe('yes to what asks approval of finished work', () => {
  rows('PendingComplete', 'Confirmation', [
    ['yes', 'OK to close this out?'],
    ['approve', 'All tests pass. Approve?'],
    ['yes, it works', 'Can you confirm it works on your end?'],
    ['no', 'Do you want any changes?'],
    ['yes', 'Happy with the result, or should I tweak something?'],
  ]);
  rows('PendingComplete', 'Response', [['yes', 'All set! Would you like me to adjust anything?']]);
});

describe('what comes next, unless the agent was just at it', () => {
  rows('PendingComplete', 'NewTask', [['next up: rate limiting for the API', 'The parser is finished.']]);
  rows('PendingComplete', 'Modification', [
    ['next up: rate limiting for the API', 'The retry is in. Rate limiting comes next.'],
    ["forget this, let's work on the retry loop instead", 'I looked at the retry loop and the parser.'],
  ]);
});
