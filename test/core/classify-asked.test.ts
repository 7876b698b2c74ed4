// What a message is beside what the agent said before: an answer to its question, or the end of the task.
import { describe, expect, test } from 'vitest';
import { type Classification, classifyMessage } from '../../src/core/classify/classify.ts';
import type { StateKind } from '../../src/core/state.ts';

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
  rows('AwaitingUser', 'Unclear', [['stop', 'Should I also rename the tests?']]);
  rows('PendingComplete', 'Confirmation', [
    ['never mind', 'All is done. Want me to also update the docs?'],
    ["don't bother", 'The parser works. Should I add a benchmark as well?'],
  ]);
});

describe('the task ends where nothing of the kind was asked', () => {
  rows('AwaitingUser', 'Abandon', [
    ['Never mind', 'Should I use exponential or linear backoff?'],
    ['Cancel', 'Should I use exponential or linear backoff?'],
    ['Stop', 'Which database do you prefer?\n\n1. Postgres\n2. SQLite'],
    ['never mind', 'Do you want me to continue with the migration?'],
    ['never mind', 'Should I look at it?'],
    ['stop', "I'll stop the dev server when done. Which port should it use?"],
    ['stop', 'Should I use the stopwatch helper?'],
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
  rows('Running', 'Unclear', [['kill it', 'Now I will update the handler.']]);
});

describe('more is to come', () => {
  rows('PendingComplete', 'Response', [['ok', 'The first half is there. I can begin with the second one now.']]);
});
