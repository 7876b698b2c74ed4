// Tests leave-takings behind finished work: that is an end of the task before it is finished, and behind it approval or unclear.
import { describe, expect, test } from 'vitest';
import type { StateKind } from '../../src/core/state.ts';
import { classifyMessage } from '../../src/language/index.ts';

const DONE = 'Fixed: the cookie was missing. All 14 tests pass.';

const rows = (classification: string, states: readonly StateKind[], messages: readonly string[]): void => {
  test.each(states.flatMap((state) => messages.map((message) => [state, message] as const)))(
    '%s: %s',
    (state, message) => {
      const lastMessage = state === 'PendingComplete' ? DONE : null;
      const found = classifyMessage({ state, message, lastMessage, task: 'Fix the login' });
      expect(found.classification).toBe(classification);
    },
  );
};

describe('with praise or thanks it approves', () => {
  rows(
    'Confirmation',
    ['PendingComplete'],
    [
      "ok thanks, I'll take it from here",
      "I'll take it from here, thanks",
      'ok we can stop here, thanks',
      "good, let's stop here for today",
      'Works. Stopping here.',
    ],
  );
});

describe('by itself, or with what may be anything, it is unclear', () => {
  rows(
    'Unclear',
    ['PendingComplete'],
    [
      "let's stop here",
      'stop here',
      'we can stop now',
      "I'll take it from here",
      "Looks like it's not broken anymore, so we can stop here. Cheers",
      'stop here, this is not what I wanted',
    ],
  );
});

describe('ends the task with a reason, or if nothing is finished', () => {
  rows(
    'Abandon',
    ['PendingComplete'],
    [
      'stop',
      'stop working on this',
      "we can stop here, I don't need it anymore",
      "let's stop here, the ticket was cancelled",
      "never mind, I'll do it myself",
    ],
  );
  rows('Abandon', ['Running', 'AwaitingUser', 'Interrupted'], ["let's stop here", 'we can stop here']);
  rows(
    'Abandon',
    ['Running', 'AwaitingUser', 'Interrupted'],
    ["let's not do this at all", 'laisse tomber, annule tout'],
  );
});

describe('with work behind it, it is none', () => {
  rows(
    'Modification',
    ['PendingComplete'],
    ["let's stop here and commit", 'stop here, commit', 'stop the server here'],
  );
});
