// Which last messages of an agent put a question to the user, and which only ask whether finished work is well.

import { describe, expect, test } from 'vitest';
import { endsInQuestion, questionIn } from '../../src/core/question.ts';
import { fc } from '../support/property.ts';

describe('a question waits for the user', () => {
  test.each([
    'Which jitter strategy do you want?',
    'All tests pass.\n\nShall I go on with the next step?',
    'I found two ways.\n\n1. **Full**: from 0 to the delay.\n2. **Equal**: half of it fixed.\n\nWhich one do you prefer?',
    'When should `ended_at` be set?\n\nA) Only on stop\nB) On every checkpoint\nC) Both',
    'Should I:\n1. Commit this batch as it is?\n2. Move it to a package first?',
    'Want me to fix this as part of this change, or track it separately?',
    'Would you like me to commit these changes?',
    'Which approach do you prefer? I would suggest **A** for now, it is simpler.',
    'Should we drop the check in `open()`? The storage can hold several sessions already.',
    'Do you want the old name kept?\n\nI lean towards keeping it, callers outside use it.',
    'Want me to run these? (I would push the branch and leave the installs to you.)',
    'What should the message be?\n\n```sh\ngit commit --amend -m "new"\n```',
    'Is that acceptable, or do you want me to look for another way?',
    'Does this structure look right before I write the whole design?',
    '**Ready for feedback.** Which of the three comes first?',
    'Two files use it. Please let me know which one is right.',
    'Soll ich die Tests auch anpassen?',
    '続けますか？',
    'Is 30 s enough? 🤔',
    'What do you think?',
  ])('%s', (text) => {
    expect(endsInQuestion(text)).toBe(true);
  });
});

describe('no question', () => {
  test.each([
    '',
    '   \n\n ',
    'All 3 tests pass.',
    'Done. Does this look good?',
    'Everything is in place.\n\nDoes this look good to you?',
    'Looks good?',
    'The tests pass. Is this okay?',
    'Fixed. Anything else?',
    'Fixed. Is there anything else I can help you with?',
    'Fixed. Let me know if you want changes.',
    'Done. Let me know if anything is unclear, or should I say: happy testing!',
    'Done. Any questions?',
    'Is that what you wanted?',
    'How does this look?',
    'Does that make sense?',
    'Are you happy with this?',
    'Why did it fail? Because the cache was stale.',
    'What changed? Only the base of the delay. All tests pass.',
    'The prompt asks "Overwrite the local file?" and waits.',
    'The dialog now shows:\n\n```\nOverwrite the local file?\n```',
    'It logs `ready?` now.',
    'See https://example.org/search?q=retry',
    'Should I commit? That was the question you raised first.\n\nI looked at both ways and took the second.\n\nAll tests pass now.',
    '## What about errors?\n\nThey are published on a channel of their own.',
  ])('%s', (text) => {
    expect(endsInQuestion(text)).toBe(false);
  });
});

test('the question is told with its block and its options, without what was said before', () => {
  const options = '1. **Full**: anything from 0 to the delay.\n2. **Equal**: half the delay, and a random half.';
  const text = `Yes, all 40 workers wait the same.\n\nWhich jitter strategy do you want?\n\n${options}`;
  expect(questionIn(text)).toBe(`Which jitter strategy do you want?\n\n${options}`);
  expect(questionIn('It is done. Shall I commit?')).toBe('It is done. Shall I commit?');
});

test('any text is answered, and soon', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      expect(typeof endsInQuestion(text)).toBe('boolean');
    }),
    { numRuns: 500 },
  );
  const started = performance.now();
  for (const text of [
    '?'.repeat(100_000),
    '```\n'.repeat(30_000),
    '- a? '.repeat(30_000),
    '“'.repeat(50_000),
    '*'.repeat(50_000),
  ]) {
    endsInQuestion(text);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});
