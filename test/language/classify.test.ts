// Tests the classification of a message: sentences by state, laws for every message, and the cost.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STATE_KINDS, type StateKind } from '../../src/core/state.ts';
import { CLASSES, type Classification, classifyMessage } from '../../src/language/index.ts';
import { PATTERNS } from '../../src/language/patterns.ts';
import { HEAD, readPart, TAIL } from '../../src/language/words.ts';
import { costOf, MOST_LENGTH, MOST_STEPS } from '../../src/secrets/linear.ts';
import { EXPLAINED } from './explained-messages.ts';
import { NEAR_MISSES } from './near-misses.ts';
import { SELF_ANSWERED } from './self-answered.ts';
import { SENSES } from './senses.ts';
import { SENTENCES, type State } from './sentences.ts';
import { WITH_REASONS } from './with-reasons.ts';

/** Words that rules look at, to be put together at random. */
const WORDS = SENTENCES.flatMap(([, , sentences]) => sentences.split(/\s+/));

/** A pattern with classes of Unicode, which the reader of patterns does not know, as others that cost the same. */
const asciiOf = (source: string): string =>
  source
    .replace(/\\p\{[^}]+\}/g, 'é')
    .replace(/\\u\{[^}]+\}/g, 'é')
    .replace(/\\u[0-9a-f]{4}/g, 'é');

const stateOf = (state: State) => (state === 'none' ? null : state);

describe.each([...SENTENCES, ...NEAR_MISSES, ...WITH_REASONS, ...SENSES, ...SELF_ANSWERED, ...EXPLAINED])(
  'in %j, %s',
  (states, classification, sentences) => {
    test.each(sentences.split('\n').flatMap((message) => states.map((state) => [message, state] as const)))(
      '%s (%s)',
      (message, state) => {
        expect(classifyMessage({ state: stateOf(state), message }).classification).toBe(classification);
      },
    );
  },
);

describe('what holds for every message', () => {
  const states: readonly (StateKind | null)[] = [null, ...STATE_KINDS];
  const anyInput = fc.record({
    state: fc.constantFrom(...states),
    message: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' ')),
    ),
    lastMessage: fc.option(fc.string({ unit: 'binary', maxLength: 200 })),
    task: fc.option(fc.string({ maxLength: 50 })),
  });

  test.each(['👍', '🎉 👍', '  ✅ '])('quotes a message of symbols alone as it is: %s', (message) => {
    const { reason } = classifyMessage({ state: 'PendingComplete', message, lastMessage: 'Done.' });
    expect(reason).toContain(`“${message.trim()}”`);
  });

  test('it has a class, a confidence and one printable line of reason', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { classification, confidence, reason } = classifyMessage(input);
        expect(CLASSES).toContain(classification);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThan(1);
        expect(reason).toMatch(/^[^\p{Cc}]{8,160}[.?]$/u);
      }),
      { numRuns: 500 },
    );
  });

  test('white space around it changes nothing', () => {
    const space = fc
      .array(fc.constantFrom(' ', '\n', '\t', '\r\n', '\u00a0'), { maxLength: 6 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(anyInput, space, space, (input, before, after) => {
        const padded = { ...input, message: before + input.message + after };
        expect(classifyMessage(padded)).toEqual(classifyMessage(input));
      }),
      { numRuns: 300 },
    );
  });

  test('looks for an answer only if the agent had asked, and for a confirmation only if the session is finished', () => {
    const inState = (state: StateKind | null, message: string) => classifyMessage({ state, message }).classification;
    expect(inState('AwaitingUser', 'exponential, please')).toBe('Response');
    expect(inState('Running', 'exponential, please')).toBe('Modification');
    expect(inState('PendingComplete', 'commit and push')).toBe('Confirmation');
    expect(inState('Interrupted', 'commit and push')).toBe('Modification');
  });
});

describe('what the agent said before', () => {
  const classify = (state: StateKind, message: string, lastMessage: string) =>
    classifyMessage({ state, message, lastMessage }).classification;

  test('yes to an offer of more is no approval of what is there', () => {
    expect(classify('PendingComplete', 'yes', 'All done. The tests pass.')).toBe('Confirmation');
    expect(classify('PendingComplete', 'yes', 'All done. Let me know if you want me to add docs.')).toBe('Response');
    expect(classify('PendingComplete', 'no', 'All done. Anything else?')).toBe('Confirmation');
    expect(classify('PendingComplete', 'no', 'All done.')).toBe('Modification');
  });

  test('what comes next is a task of its own unless the agent was just at it', () => {
    const message = "now let's build the export dialog";
    expect(classify('PendingComplete', message, 'The parser is finished.')).toBe('NewTask');
    expect(classify('PendingComplete', message, 'Next comes the export dialog.')).toBe('Modification');
    expect(classify('PendingComplete', "now let's test it", 'The parser is finished.')).toBe('Modification');
  });

  test('another thing is a task of its own unless the agent just spoke of it', () => {
    const message = 'different thing: the importer needs a flag';
    expect(classify('PendingComplete', message, 'The mails are sent.')).toBe('NewTask');
    expect(classify('PendingComplete', message, 'The importer is finished.')).toBe('Modification');
  });

  test('"close it" closes the work unless the agent just spoke of what can be closed', () => {
    expect(classify('PendingComplete', 'close it', 'The parser is finished.')).toBe('Confirmation');
    expect(classify('PendingComplete', 'close it', 'The dialog stays open now.')).toBe('Modification');
  });

  test('a plan that waits for approval is changed, not answered', () => {
    expect(classify('AwaitingUser', 'we need no tests for that', '[ExitPlanMode] the plan')).toBe('Modification');
    expect(classify('AwaitingUser', 'we need no tests for that', 'Shall I?')).toBe('Response');
  });
});

describe('what is typed beside what is pasted', () => {
  test.each<[string, Classification]>([
    ['```\nstop\ncancel\n```', 'Modification'],
    ['why does this fail?\n$ npm test\nFAIL src/a.test.ts (2 s)\n  at run (a.ts:3)', 'Clarification'],
    ['TypeError: x is not a function\n    at main (a.ts:1:1)', 'Modification'],
    ['the user said "never mind" and it crashed', 'Modification'],
    ['rename `cancel` to `abort`', 'Modification'],
    [
      'looks good\nimport { stop } from "../core/a";\nexport function cancel() {\n  stop();\n}\n// never mind',
      'Confirmation',
    ],
    ['fix(this);', 'Modification'],
    [
      'looks good\nimport {\n  neverMind,\n  stopNow,\n} from "../core/a";\nconst { cancel } = this.stop;',
      'Confirmation',
    ],
    ['looks good;\n- but rename it;', 'Modification'],
    ['- add the tests;\n- stop the old run;', 'Modification'],
    ['<user_query>\nlooks good\n</user_query>', 'Confirmation'],
    ['> looks good\n\nno, this was about the other file', 'Modification'],
    ['{"looks": "good"}', 'Modification'],
  ])('%j is %s', (message, classification) => {
    expect(classifyMessage({ state: 'PendingComplete', message }).classification).toBe(classification);
  });
});

describe('what it costs', () => {
  test('a message of a megabyte is read at its beginning and its end alone', () => {
    for (const piece of ['a', 'but ', 'stop. ', '"', '`', '?', '中', '\n', 'also ', '👍', "'.", '$ x\n']) {
      const message = `Please add this. ${piece.repeat(1_000_000 / piece.length)} and that`;
      const part = readPart(message);
      expect(part.length).toBeLessThanOrEqual(HEAD + TAIL + 1);
      expect(classifyMessage({ state: 'Running', message })).toEqual(
        classifyMessage({ state: 'Running', message: part }),
      );
    }
  });

  test('the end of a long message counts', () => {
    const log = 'the log says that it waited again and again\n'.repeat(2000);
    expect(classifyMessage({ state: 'Running', message: `${log}what does that mean?` }).classification).toBe(
      'Clarification',
    );
  });

  test.each(Object.entries(PATTERNS))('the pattern %s takes a bounded number of steps at each place', (_, pattern) => {
    const { steps, length } = costOf(asciiOf(pattern.source), pattern.flags.replace(/[gu]/g, ''));
    expect(steps).toBeLessThanOrEqual(MOST_STEPS);
    expect(length).toBeLessThanOrEqual(MOST_LENGTH);
  });

  test('all patterns are in patterns.ts, except those of single characters', () => {
    const folder = fileURLToPath(new URL('../../src/language/', import.meta.url));
    const others = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'patterns.ts');
    const literals = others.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/[(=,] ?(\/(?![/*]).+?\/[gimu]*)[.,);]/g)].map(
        ([, found]) => found,
      ),
    );
    expect(literals.filter((literal) => !/^\/(\[[^\]]+\]|\\s)\+?\/[gu]*$/.test(literal ?? ''))).toEqual([]);
  });
});
