// Words that only look like a slip of others, numbers, and announcements that go on with what was just spoken of.
import { describe, expect, test } from 'vitest';
import type { StateKind } from '../../src/core/state.ts';
import { classifyMessage } from '../../src/language/index.ts';

type Row = readonly [state: StateKind | null, classification: string, messages: readonly string[]];

const classOf = (state: StateKind | null, message: string, lastMessage: string | null = null): string =>
  classifyMessage({ state, message, lastMessage, task: 'Add a retry to the client' }).classification;

describe('corrects a typing slip, and not a word of its own', () => {
  const rows: Row[] = [
    ['Running', 'Abandon', ['cancle', 'abrot', 'cancl that', 'abort', 'forgett it', 'forgte it']],
    [
      'Running',
      'Modification',
      ['sorry about that', 'about this', 'well, about that', 'about 10', 'cancer', 'aborts', 'cancels'],
    ],
    ['PendingComplete', 'Confirmation', ['prefect', 'thakns', 'perfcet!', 'lokos good', 'graet']],
    [
      'PendingComplete',
      'Modification',
      ['sorry about that', 'no, about', 'about it', 'words', 'thinks', 'tanks', 'greet', 'locks good'],
    ],
  ];
  test.each(
    rows.flatMap(([state, classification, messages]) => messages.map((one) => [state, one, classification] as const)),
  )('%s: %s', (state, message, classification) => expect(classOf(state, message)).toBe(classification));

  test('what answers the question of the agent is its answer', () => {
    expect(classOf('AwaitingUser', 'about', 'Which page should I link: about or contact?')).toBe('Response');
    expect(classOf('AwaitingUser', 'about 10', 'How many users should it simulate?')).toBe('Response');
  });
});

describe('a number is no praise but as a mark', () => {
  const rows: Row[] = [
    [
      'PendingComplete',
      'Modification',
      ['10', 'no, 10', 'ok 10', '10%', '10 is better', "no, it's 10", 'sorry, 10', 'task 10'],
    ],
    ['PendingComplete', 'Confirmation', ['10/10', '10/10, great work']],
    [null, 'NewTask', ['Task 10', '10 more rows']],
  ];
  test.each(
    rows.flatMap(([state, classification, messages]) => messages.map((one) => [state, one, classification] as const)),
  )('%s: %s', (state, message, classification) =>
    expect(classOf(state, message, 'The default is 5 now.')).toBe(classification),
  );
});

describe('the end of finished work', () => {
  test.each([
    ["that'll be all", 'Confirmation'],
    ["that'd be all, thanks", 'Confirmation'],
    ["Thanks, I'll get back to you", 'Modification'],
    ["thanks, I'll be back", 'Modification'],
    ["Thanks, I'll take it from here", 'Confirmation'],
  ])('%s', (message, classification) => expect(classOf('PendingComplete', message)).toBe(classification));

  test('what has no word that counts is quoted as it is', () => {
    const { reason } = classifyMessage({ state: 'PendingComplete', message: 'it is what\n it is' });
    expect(reason).toContain('“it is what it is”');
  });
});

describe('a message that continues the last topic is no other task', () => {
  const LAST = "I've added the retry logic to src/http.ts. The delay is now read from the config.";
  const rows: Row[] = [
    [
      'PendingComplete',
      'Modification',
      [
        "Now let's add logging to the retries",
        "now let's make the max delay configurable as well",
        "let's do something else for the delay",
        "next let's write the retry tests",
      ],
    ],
    ['Running', 'Modification', ['switch topic names in the form to uppercase', 'change topics in the menu to tags']],
    ['AwaitingUser', 'Response', ["let's do something else: squash them"]],
    [
      'PendingComplete',
      'NewTask',
      [
        "Now let's add connection pooling",
        'Perfect. Now for something else: add dark mode to the settings page',
        "Let's put this aside and work on the billing bug",
        'Can you start on a new feature: dark mode',
        'Nouveau sujet : corrige la page de login',
        'Nuevo tema: arregla el login',
      ],
    ],
    [
      'Running',
      'NewTask',
      ['switch topics', "let's switch topic to the billing page", "Let's put this aside and work on the login"],
    ],
  ];
  test.each(
    rows.flatMap(([state, classification, messages]) => messages.map((one) => [state, one, classification] as const)),
  )('%s: %s', (state, message, classification) => expect(classOf(state, message, LAST)).toBe(classification));
});

describe('what is wanted somewhere, or still, is no approval', () => {
  test.each([
    ['release it in the finally', 'Modification'],
    ['close it in the handler', 'Modification'],
    ['ja bitte', 'Response'],
    ['oui svp', 'Response'],
    ['merge it', 'Confirmation'],
    ['ship it', 'Confirmation'],
    ['push it to main', 'Confirmation'],
    ['ja, passt', 'Confirmation'],
  ])('%s', (message, classification) => expect(classOf('PendingComplete', message)).toBe(classification));
});

describe('what people type in a hurry, beside what only looks like it', () => {
  const AFTER = 'Saved filters can be renamed now.';
  test.each([
    ['PendingComplete', 'NewTask', 'gut. als nächstes die Rechnungen, da fehlt jede Prüfung'],
    ['PendingComplete', 'Modification', 'next, the saved filters in the sidebar'],
    ['PendingComplete', 'NewTask', 'perfect. new feature request from sales: customers want to schedule reports'],
    ['PendingComplete', 'Modification', 'could you create a script to rename them every night?'],
    ['PendingComplete', 'Modification', 'next: add tests'],
    ['PendingComplete', 'Modification', 'ok but why do we send two mails? only one please'],
    ['PendingComplete', 'Confirmation', 'that should be fine for now, thx'],
    ['PendingComplete', 'Modification', 'utf-8'],
    ['PendingComplete', 'Modification', 'ok then rename the key as well'],
    ['PendingComplete', 'Modification', 'well, rename those'],
    ['PendingComplete', 'Modification', "use that, and sort them\ne: /app/Foo.kt: (18, 9): 'onDone' overrides nothing"],
    ['PendingComplete', 'Confirmation', 'the login works fine now'],
    ['PendingComplete', 'Confirmation', 'tested on 3 boards all good'],
    ['PendingComplete', 'Modification', 'text green'],
    ['PendingComplete', 'Confirmation', 'push and open an MR'],
    ['PendingComplete', 'Confirmation', 'lgtm, squash it into the previous commit'],
    ['PendingComplete', 'Confirmation', 'good stuff, pushing'],
    ['PendingComplete', 'Confirmation', 'it works!! omg'],
    ['PendingComplete', 'Confirmation', '[Image #1] looks good'],
    ['PendingComplete', 'Confirmation', '+1'],
    ['PendingComplete', 'Modification', '+12 -3'],
    ['PendingComplete', 'Modification', '[Image #1] the sidebar is cut off'],
    ['PendingComplete', 'Clarification', '[Pasted text #1 +30 lines] what does this mean'],
    ['PendingComplete', 'Clarification', 'link?'],
    ['PendingComplete', 'Clarification', 'if legacy still uses it why did you remove it from package.json'],
    ['Interrupted', 'Clarification', "hang on what's in dist"],
    [null, 'NewTask', 'moin, kannst du mir die Tests schreiben? steht in src/cart'],
  ] as const)('%s, %s: %s', (state, classification, message) =>
    expect(classifyMessage({ state, message, lastMessage: AFTER }).classification).toBe(classification),
  );

  test.each([
    ['Response', 'cursor', 'By offset or by cursor?'],
    ['Unclear', 'hmm', 'By offset or by cursor?'],
    ['Clarification', 'coyote what', 'Should coyote time be included?'],
  ])('%s: %s, asked %j', (classification, message, lastMessage) =>
    expect(classifyMessage({ state: 'AwaitingUser', message, lastMessage }).classification).toBe(classification),
  );
});
