// Tests which words report something done.
import { expect, test } from 'vitest';
import { tellsOfWork } from '../../src/core/work-done.ts';

test.each([
  ['Logging is in.', true],
  ['The tests are now green', true],
  ['(they were all fixed)', true],
  ['It is what it is.', false],
  ['This is instead of that.', false],
  ["I've added logging.", true],
  ['So I have now added it', true],
  ['we wrote it', true],
  ["We've\nadded it", false],
  ['I need the path', false],
  ['We need it fixed', false],
  ["It's based on what I based it on", false],
  ['I red it', false],
  ['The i added', true],
  ['hi added', false],
  ['Fixed the cache', true],
  ['All done.', true],
  ['all of it is open', false],
  ['The setting', false],
  ['It passes', true],
  ['bypasses', false],
  ['It knows', false],
  ['now', true],
  ['', false],
])('%j: %j', (text, told) => {
  expect(tellsOfWork([text])).toBe(told);
  expect(tellsOfWork(['Nothing.', text])).toBe(told);
});
