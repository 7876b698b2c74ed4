// Tests which ends of a turn wait for the user, and which show questions, ask approval of what is done, or want nothing.
import { describe, expect, test } from 'vitest';
import { questionIn } from '../../src/language/questions/question.ts';

const rows = (waits: boolean, texts: readonly string[]): void => {
  test.each(texts)('%s', (text) => {
    expect(questionIn(text) !== null).toBe(waits);
  });
};

describe('questions that are what the work is about', () => {
  rows(false, [
    'Done. The FAQ now answers:\n1. How do I log in?\n2. How do I reset my password?',
    'The form now asks:\n- What is your name?\n- What is your e-mail?',
    'Added three survey questions to questions.json:\n\n* How old are you?\n* Where do you live?',
    "I've written the FAQ. It has these questions:\n\n1. How do I install it?\n2. Is it free?",
    "I've put the interview questions into a file:\n1. Why this job?\n2. What do you like?",
    'The help page now covers:\n\n- What is a workspace?\n- Who can see my data?\n\nAll tests pass.',
    'The dialog now asks: Are you sure?',
    '> Should I use tabs?\n\nSpaces, as you said. All files are reformatted.',
    '> Should I use tabs?\nSpaces, as you said. All files are reformatted.',
  ]);
  rows(true, [
    'I have two questions about the form:\n- What is the name?\n- Is it public?',
    'The spec has three open questions:\n- Is it public?\n- Who owns it?',
    'I wrote down two questions:\n- Is it public?\n- Who owns it?',
    'I updated the parser, but need your input:\n- Is it public?\n- Who owns it?',
    'The behaviour has changed, should I:\n\n1. Delete the file?\n2. Or keep it?',
    'The change includes a migration, do you want:\n1. a dry run?\n2. the real one?',
    'My question to you:\n\n> Should I use tabs or spaces?',
    '> Should I use tabs or spaces?\n\nI need your decision on this.',
  ]);
});

describe('approval and a look at finished work', () => {
  rows(false, [
    'All done! Ready for review?',
    'The feature is implemented. Ready for testing?',
    'Everything is implemented. Sound good?',
    'Done, the docs are updated. Sounds good?',
    'Fixed. Could you verify?',
    'The fix is deployed. Could you check it on your end?',
    'Fixed. Want to give it a try?',
    'I moved the button. Can you take a look?',
    'I pushed the branch. Would you like to review it?',
    'It works now. Wanna try it?',
    'All done. Could you take a look when you have time?',
    'Fixed. Can you check it on your end whenever you get a chance?',
    'I pushed the branch. Could you please review it, when you are back?',
    'The docs are written. Would you take a quick look at your leisure?',
  ]);
  rows(true, [
    'Could you verify?',
    'I need the key. Could you take a look when you have time?',
    'I pushed the branch. Could you take a look at the failing test when you have time?',
    'The draft is written. Could you review it when you have time, before I start?',
    'I cannot reproduce it. Could you check?',
    'I fixed the typo. Can you check whether the old name is still used?',
    'I added logging. Could you run it again and paste the output?',
    'I updated the plan. Want to review it before I start?',
    'I moved the file. Ready for the next one?',
    'I compared the two, the second is faster. Sound good?',
    'I read the code. My idea: cache it. Sound good?',
    'The plan is written. Sound good?',
  ]);
});

describe('approval of finished work in other words', () => {
  rows(false, [
    'Added the login test. Is the name fine?',
    'Updated both. Are the new names ok?',
    'The docs are updated. Do they read well?',
    'The icons are replaced. Do they all look right now?',
    'Implemented. Is everything as expected?',
    'The tests are written. Are they what you had in mind?',
    "It's all wired up. Would you mind taking a look?",
    'Added the flag. Would you mind giving it a quick spin?',
    'The hero image is in. What do you say?',
    "It's fixed. What do you think of it?",
  ]);
  rows(true, [
    'Is the name fine?',
    "I'd rename it to `retry`. Is the name fine?",
    'Added the test. Is the name fine, or should I rename it?',
    'Added the flag. Is the default right for production?',
    'There are two libraries. Do they work on Windows?',
    'I found both. Do they look right?',
    'Here is my plan. What do you say?',
    'I compared both ways. What do you say?',
    "The bug? It's in the parser. What do you think?",
    'Would you mind sending me the log?',
  ]);
});

describe('a heading in the form of a question, with its answer below', () => {
  rows(false, [
    'What changed?\n\n- a.ts: retry\n- b.ts: logging',
    '**What changed?**\n\n- a.ts: retry\n- b.ts: logging',
    'Retry is in.\n\n## What did I change?\n\n1. a.ts\n2. b.ts',
    "What's new in this version?\n\n- retry\n- logging",
    'Which files were changed?\n\n- a.ts\n- b.ts',
    'It works.\n\nHow to test it?\n\n- npm test',
    'Why?\n\n- the cache was stale',
  ]);
  rows(true, [
    'What should change?\n\n- the name\n- the port',
    'Which files should I change?\n\n- a.ts\n- b.ts',
    'How should it work?\n\n- at once\n- later',
    'What is the new name?\n\n- a\n- b',
    'What do you want changed?\n\n- a\n- b',
  ]);
});

describe('wishes for what only the user knows', () => {
  rows(true, [
    'How should I handle the 3 failing tests? They failed before my change, so I did not touch them.\n\nLet me know.',
    'Which of the two should I keep? Both are used in the tests.\n\nTell me what you prefer.',
    'Two questions:\n- Is it public?\n- Who owns it?\n\nLet me know.',
    "I need your input on the naming: `userId` or `user_id`?\n\nI'm fine with either.",
    'I need your decision on the schema.',
    'Please provide the path of the config file so that I can continue.',
    'Please provide the credentials in `.env` so that I can continue.',
    'Please provide the API key.',
    'Please paste the error message.',
    'To go on I need to know which region you use.',
    'So I need to know how many workers you run.',
    'I need the name of the bucket before I can continue.',
    'Before I can continue, I need the bucket name.',
    'I need access to the staging cluster before I can go on.',
  ]);
  rows(false, [
    'I need to know the state here, so I added a flag.',
    'All tests pass. I need the file twice, so I kept it open.',
    'Done. I need no more than the path, and it is in the config.',
    'I needed the name of the bucket before I could continue; it is in `.env`.',
    'The form needs to know which region you use.',
    'Users must provide the API key.',
    'Done. Please share your feedback.',
    'Done. Please provide the key via `API_KEY` when you run it.',
    'If it fails, please provide the log.',
    'Fixed.\n\nLet me know what you think.',
    'Why did it fail? Because the cache was stale.\n\nLet me know.',
  ]);
});

test('long texts are read soon', () => {
  const started = performance.now();
  for (const piece of [
    'before i ',
    'to go on ',
    'i need the a ',
    'please provide so i ',
    '> a?\n',
    'now asks a ',
    'test it again ',
    'Options: ',
    'or a (default ',
    'item a ',
    '**Option A:** a\n',
  ])
    for (const lead of ['', 'I need ', 'Please provide the ', 'Can you '])
      for (const end of ['', '?', ':\n- a?']) questionIn(`Done. ${lead}${piece.repeat(3000)}${end}`);
  expect(performance.now() - started).toBeLessThan(2000);
});

describe('a wish for what only the user has, or decides', () => {
  rows(true, [
    'Paste the stack trace and I will look.',
    "Send me the log file, and I'll check.",
    'Share the output of `npm test` and I can dig deeper.',
    'Waiting for your answer.',
    "I'll wait for your decision on the jitter.",
    'I need the API key before I can go on. Please paste it here.',
    'To finish I need your Stripe key; please send it.',
    'I am blocked: the password for the test database is missing.',
    "I can't continue without access to the staging database.",
    'I cannot proceed until the migration is reviewed.',
    'I have two options:\n\n1. Full\n2. Equal\n\nYour call.',
  ]);
  rows(false, [
    'Retry is in. Paste it into your settings and you are done.',
    'Everything is in place; please paste the snippet into your settings.',
    'Done. Please restart the server to see it.',
    'I was blocked by the lock, so I waited.',
    'Two requests are blocked now, as they should be.',
    'Users cannot continue without a password.',
    'Your call is now retried three times.',
    'The queue no longer waits for your reply to come back.',
    'The form is up: share the link with your team.',
    'It was your call to drop Node 18, so I removed it.',
    'The CLI prints the menu and is then waiting for your input.',
    'The button now shows a spinner while it is waiting for your response.',
    'I changed the label to: Waiting for your answer',
    'The dev server is running and waiting for your call.',
    'All tests pass. It is up to you.',
    'Send the file and then we will see it in the list.',
  ]);
});

describe('a question over its choices', () => {
  rows(true, [
    'How should I resolve conflicts?\n\nOptions:\n- last write wins\n- ask the user',
    'How should I resolve conflicts?\nChoices:\n- last write wins\n- ask the user',
    'Where do the fixtures go?\n\n**Possible options**\n\n1. test/fixtures\n2. next to the test',
    'Who may see the report?\n\n## Alternatives\n\n**A.** admins\n\n**B.** everyone',
    'I need a decision: should the job or the worker own the lock?\n\nOptions:\n\n**A.** the job\n**B.** the worker',
    'Would you like me to:\n1. Delete the files\n2. Archive them',
    'Tests pass.\n\nShould I:\nA) Save\nB) Discard',
    'Do you want me to:\n- A) delete the files\n- B) archive them',
    'Which would you like:\n1. flat\n2. nested',
    'How should I proceed:\n1. Rebase\n2. Merge',
    'Let me know how you want to proceed.',
    'The branch has diverged. Let me know how you would like me to handle it.',
    'I need a decision: should the job or the worker own the lock?\n**A.** the job\n**B.** the worker',
    'Which cache?\n\n**Option A:** LRU\n**Option B:** none',
    "Where do the fixtures go?\n\n**Choices**\n\n* test/fixtures\n* next to the test\n\nI'd go with the first.",
  ]);
  rows(false, [
    'The command takes these flags.\n\nOptions:\n- --json\n- --quiet',
    'What I would do next:\n1. Rebase\n2. Merge',
    'How the parts should work together:\n- the queue\n- the worker',
    'It is in. Let me know how it goes.',
    'All done. Let me know how you like it!',
    'Implemented.\n\n**A.** the parser\n**B.** the printer',
    'Everything is merged. Does this look good?\n\nOptions:\n- dark\n- light',
    'The command has two modes.\n\nOption A: fast\nOption B: safe',
  ]);
});

describe('text after a question that says how to answer it, or what happens then', () => {
  rows(true, [
    'Which port? (default 8080)',
    'Which folder? (recommended: `src`)',
    'What name? (e.g. `orders`)',
    'Which shell? [default: bash]',
    'How many workers? (I would use 4)',
    "Am I right that v1 clients are gone? I'd remove their code path next.",
    'Is it correct that nobody uses the export? Then I would delete it.',
    "Do I understand correctly that only admins see it? I'd hide the tab.",
  ]);
  rows(false, [
    'Why did it fail? (the cache was stale)',
    'Is it true that it leaks? No, the pool is closed.',
    'All done. Anything else? (I also fixed the typo)',
  ]);
});

describe('a text of the work that is a question', () => {
  rows(false, [
    'The survey is longer, and its last item is now: Would you recommend us?',
    'Done. The banner text is now: Ready to start?',
    'The page title was changed to: Need help?',
  ]);
  rows(true, [
    'What is left to decide is now: Should we drop Node 18?',
    'The open item is now: Should we drop Node 18?',
  ]);
});
