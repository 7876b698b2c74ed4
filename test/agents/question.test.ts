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
    'Should the log show the newest entry first? (yes/no)',
    'Drop the table? [y/N]',
    "What should happen when the file exists already: overwrite, skip or fail?\n\nI haven't changed anything yet.",
    "What is the limit for an empty cart? The ticket doesn't say, and two tests contradict each other.",
    "Some questions:\n\n- Is the API public?\n- Who owns the schema?\n\nI'll start once I know these.",
    'Two decisions:\n1. naming: `dry_run` or `check`?\n2. on or off?\n\nMy suggestion is `dry_run`, off.',
    "To go on I need you to run `gcloud auth login`, then tell me when it's done.",
    "Ready to run it against production. Type 'yes' to go ahead.",
    'Is the old endpoint still in use? If so I have to keep its signature.',
    'Which status is meant? The ticket says 409, the handler says 422.',
    "What should an empty list show?\n\n- nothing\n- a hint\n\nI'd go for the hint.",
    'Two things are open:\n\n1. May guests vote?\n2. Is the limit per user?\n\nOnce I know that I can finish it.',
    'Should times be kept in UTC? I recommend it.\n\n| option | cost |\n|---|---|\n| UTC | none |\n| local | some |',
    'Please start the database on this machine and let me know, then I go on.',
    'I need one more detail: the name of the queue.',
    'Please tell me the name of the bucket.',
    'Tell me which cache you want:\n1. Redis\n2. Memcached',
    'Two questions about the test cases:\n\n1. Should I cover the empty list?\n2. Do you want fixtures?',
    'I have questions on the database entries:\n- Should old ones be kept?\n- May I delete the rest?',
    'Ist das der richtige Ordner?',
    'Gefällt dir Blau oder Rot?',
  ])('%s', (text) => {
    expect(endsInQuestion(text)).toBe(true);
  });

  test('is kept with its choices, whether they stand below or above', () => {
    const above = 'Two ways:\n\nA) a mutex\nB) a cache\n\nWhich one do you prefer?';
    expect(questionIn(above)).toBe('A) a mutex\nB) a cache\n\nWhich one do you prefer?');
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
    'Done. The page has these entries:\n\n- How do I install it?\n- Where is it kept?',
    'Fertig. Passt das so?',
    'Terminé. Cela vous convient ?',
    'I could not make it fail again, so I only added a test. Does everything look right?',
    'Everything is done. Please start it once and let me know if you find anything.',
    'I fixed the login bug. Please restart the server and let me know if it works.',
    'Implemented. Please open the page and tell me what you think.',
    'If something breaks, please open an issue or let me know.',
    'I need a few more inputs on the form, so I added three.',
    'The API can now tell me the number of open tickets, which the page shows.',
    'What happens if the token is expired? If so, the client refreshes it and retries.',
    'Does it retry? If not configured otherwise, three times.',
    'How does it work now? Once we have the token, we call the API with it.',
    'What about Windows? I suggest using WSL there; it is in the README.',
    'Why did it fail? The README says one thing and the code says another. I fixed the code.',
    '## What did I do?\n- fixed the parser\n- fixed the printer',
    'How do I run it?\n1. npm install\n2. npm start',
    'Is that what you wanted?',
    'How does this look?',
    'Does that make sense?',
    'Are you happy with this?',
    'Why did it fail? Because the cache was stale.',
    "Why did it fail? Because the cache was stale, and I didn't say so.",
    'The tests pass. Want to know what the cause was? A missing `await`. It is fixed in 3 places.',
    'Listo, todos los tests pasan. ¿Algo más?',
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

describe('approval asked before the work is a question', () => {
  test.each([
    'Is it okay to delete the old table?',
    'Are you OK with this approach before I start?',
    'I have not changed anything yet. Does that work for you?',
    "Does that match what you had in mind? I'll implement it then.",
    'Does this plan look good? I will start once you approve.',
    'Here is my plan:\n\n1. Move the parser.\n2. Delete the old one.\n\nDoes this look good?',
    'I would split the module in two and keep the old name. Does that make sense?',
    "I'd put the lock around the whole write. Is that okay?",
    'Nothing is written yet. Is this what you wanted?',
    'The schema is only a sketch, no code has been changed so far. Does it look right?',
    'OK to drop the column?',
    'Okay if I rename the flag?',
    'Good to proceed?',
    'Ready to start?',
    'Are you happy with the direction?',
    'Are you okay with me removing the cache?',
    'Is this acceptable? It will delete all old backups.',
    'Does this proposal work for you?',
    'The first half is done. Does it look good, or should I split it?',
    'Shall I merge it? Does this look good?',
    'Okay to merge?',
    "Does that match what you had in mind?\n\nI'll implement it then.",
    'Does that work for you if we drop the index?',
    'Does it make sense to keep both names?',
    'Does this look good so far?',
    'Does that sound good?',
    'It goes live once you approve. Does it look right?',
    'It waits for your approval. Does it look good?',
    'The second half is still to be done. Is this okay?',
    'Next comes the client. Does this look good?',
    'Let me know if the plan works.',
    'Give me the go-ahead.',
    'Tell me what is wrong before I go on.',
    "Does that sound right? I haven't touched the code yet.",
    'Two files would change. Is that okay?',
    'Do these steps look right?\n\nI will run them one by one.',
    'Each worker takes a lease.\n\nDoes this section look right so far?',
    'A worker that is late loses its turn.\n\nDoes the lifecycle look right?',
    'May I read the file again? I could begin with it. Does this look good?',
    'Looks good? Then I will move on to the client.',
    'Any questions before I begin?',
    'Any concerns before I run the migration?',
    'Is there anything else I should know before we start?',
    "I'll start with the tests. Any objections, or is that fine?",
    'I plan to keep both columns for a release. Does that work?',
    'Next I will touch the public types. Is that okay?',
    'I propose a queue between the two. How does that look?',
    'Does it make sense to split this into two commits?',
    'I could cache the answer for a minute. Is that good?',
    'The migration has not been run yet.\n\nDoes everything look right?',
    'My suggestion is to drop Node 18.\n\nIs this okay with you?',
    'Is everything clear so that I can proceed?',
    'Does this look correct before committing?',
    'Does this outline cover everything?\n\nI will write the chapters once you agree.',
    'Let me know if I should proceed.',
    'Please review the plan and let me know.',
    "Please confirm and I'll start.",
    "Let me know if this approach works, and I'll implement it.",
    'The plan is above. Give me the go-ahead and I will begin.',
  ])('%s', (text) => {
    expect(endsInQuestion(text)).toBe(true);
  });
});

describe('approval of finished work is none', () => {
  test.each([
    'Does this look good?',
    "Let me know if you'd like any changes.",
    'Retry is in. Looks good?',
    'I renamed the flag in all six files, and the tests pass. Does that work for you?',
    'The table is deleted. Is that okay?',
    'I have implemented the plan. Does everything look right?',
    'All steps of the plan are done. Are you happy with the result?',
    'I followed the approach of the other module. Does that make sense?',
    'The export works now. Is this what you had in mind?',
    'I removed the cache, and the suite is green.\n\nDoes that match what you wanted?',
    'It is merged. Any questions?',
    'The page loads in 200 ms now. Better?',
    'Fixed the typo. All good?',
    'The docs are updated. Good to go?',
    'The branch is rebased. Ready to merge?',
    'Both tests pass. Is everything clear?',
    "If anything is off, I'll fix it. Does this look good?",
    "I can also add docs if you'd like. Does this look good?",
    'The fix is in, with a test. Does it look good to you?',
    'The retry waits 200 ms, then 400 ms. Does that make sense?',
    'The release notes are written. Is there anything else?',
    "Done. Let me know if you'd like me to add tests.",
    'Done. Feel free to ask if you want changes.',
    'I replaced the loop.\n\n- `a.ts`: uses a map\n- `b.ts`: uses it too\n\nDoes this look right?',
    'The client will retry three times. Does this look good?',
    'I moved the check before the write. Does that look right?',
    'The old name is kept for one release. Is that fine?',
    'The list is now sorted as planned. Does it look okay?',
    'All 40 tests pass. Are you satisfied with this?',
    'The report is in `out/`. Does it answer your question?',
    'I confirmed with a debugger that the lock is held before I patched it.',
    'Review done. The plan holds.',
    'The PR is open: https://example.org/1. Does everything look OK?',
    'Done! Are these the results you expected?',
    'Cleaned up and committed. Are we all set?',
    'I moved the header to the left. Does the new layout look good?',
    '### Step 1: Load and Review Plan',
    'I will read the file again and review the plan.',
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
    `${'once you should i okay to no not the plan '.repeat(3000)} is it okay?`,
    'Is it okay? '.repeat(10_000),
  ]) {
    endsInQuestion(text);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});
