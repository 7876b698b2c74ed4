/** What an agent may offer: the words that are looked for first, and the pattern that decides. */
import { describe, expect, test } from 'vitest';
import { isOffered, OFFERING, viewOf } from '../../src/language/message-view.ts';
import { PATTERNS } from '../../src/language/patterns.ts';

/** The alternatives of a pattern, each up to its first group. */
function leadsOf(source: string): string[] {
  const inside = source.replace(/^\\b\(\?:/, '').replace(/\)\\b$/, '');
  const leads: string[] = [];
  let [depth, lead, isOver] = [0, '', false];
  for (const character of inside) {
    if (character === '(') [depth, isOver] = [depth + 1, true];
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) {
      leads.push(lead);
      [lead, isOver] = ['', false];
    } else if (!isOver) lead += character;
  }
  return [...leads, lead];
}

const viewAfter = (lastMessage: string) =>
  viewOf({ state: 'PendingComplete', message: 'yes', lastMessage, task: null });

describe('an offer', () => {
  test('each that the pattern knows has words in it that are looked for', () => {
    const leads = leadsOf(PATTERNS.offer.source);
    expect(leads.length).toBeGreaterThan(10);
    for (const lead of leads)
      expect(
        OFFERING.some((words) => lead.includes(words)),
        lead,
      ).toBe(true);
  });

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
