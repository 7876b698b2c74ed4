// Offers at the end of an agent's message.
import { describe, expect, test } from 'vitest';
import { isOffered, viewOf } from '../../src/language/view.ts';

const viewAfter = (lastMessage: string) =>
  viewOf({ state: 'PendingComplete', message: 'yes', lastMessage, task: null });

describe('an offer', () => {
  test.each([
    ['Done. WANT ME TO add tests?', true],
    ['Done. Let me know if you need more.', true],
    ['Done. Ready for review.', true],
    ['Done. Part 2 is next.', true],
    ['Done. The parts are sorted.', false],
    ['Done. I canned the idea.', false],
    ['Logging is in.', false],
    ['', false],
  ])('%j: %s', (lastMessage, expected) => {
    expect(isOffered(viewAfter(lastMessage))).toBe(expected);
  });
});
