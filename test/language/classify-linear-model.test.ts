// What messages lean to that no rule reads: the tokens, the features, and weights that say why.
import { expect, test } from 'vitest';
import { classifyMessage } from '../../src/language/classify.ts';
import { featuresOf, tokensOf } from '../../src/language/features.ts';
import { leanOf, weightsOf } from '../../src/language/linear-model.ts';
import { viewOf } from '../../src/language/message-view.ts';
import { WEIGHTS } from '../../src/language/weights.ts';

test.each([
  ['Works fine now!', ['works', 'fine', 'now', '!']],
  ["don’t, I'll see", ["don't", "i'll", 'see']],
  ['see #12, PLAT-2231 and https://x.example/a?b=c', ['see', '<ticket>', '<ticket>', 'and', '<url>']],
  ['in src/app.ts or my_file, `npm` 3.5x', ['in', '<path>', 'or', '<path>', '<name>', '<number>', '<number>', 'x']],
  ['either/or? a / b', ['<path>', 'a', 'b']],
  ['why:\n```ts\nconst a = 1;\n```\nbad', ['why', '<code>', 'bad']],
  ['添加日志', []],
  ['', []],
])('the tokens of %j', (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});

test('a long message is looked at up to 200 tokens', () => {
  expect(tokensOf('a '.repeat(1000))).toHaveLength(200);
});

test('the features of a message', () => {
  const lastMessage = 'The parser reads tickets now.';
  const features = (message: string, state: 'PendingComplete' | null): string[] =>
    [...featuresOf(viewOf({ state, message, lastMessage }))].sort();
  expect(features('Fix the parser', 'PendingComplete')).toEqual(
    [
      ...[
        '#1',
        '=PendingComplete',
        '^fix',
        '^fix the',
        'fix',
        'fix the',
        'parser',
        'parser$',
        'the',
        'the parser',
        '~2',
      ],
      ...[':>request', ':request', ':request>'],
    ].sort(),
  );
  expect(features('hm', null)).toEqual([':>', '#0', '=null', '^hm', 'hm', 'hm$', '~0'].sort());
  const kinds = features('good, also it flickers. a nice idea. why?', null).filter((one) => one.startsWith(':'));
  expect(kinds).toEqual(expect.arrayContaining([':approve>also', ':also', ':ask>']));
});

test('each feature has three whole numbers, once, and is found by its name', () => {
  const tables = Object.entries(WEIGHTS);
  const records = tables.flatMap(([first, table]) =>
    table
      .replaceAll('\n', '')
      .slice(1)
      .split('|')
      .map((record) => [first, ...record.split('\t')]),
  );
  expect(records.length).toBeGreaterThan(1000);
  expect(new Set(records.map(([, feature]) => feature)).size).toBe(records.length);
  for (const [first, feature = '', ...numbers] of records) {
    const own = numbers.map(Number);
    expect({ first, feature, own }).toEqual({ first: feature.charAt(0), feature, own: weightsOf(feature) });
    expect(own.length === 3 && own.every(Number.isInteger), feature).toBe(true);
  }
});

test('what has no weights, and no more than the beginning or the end of what has, is not found', () => {
  expect(WEIGHTS.w).toContain('|works great\t');
  for (const feature of ['works gr', 'orks great', 'great\t', '漢', 'constructor', '|'])
    expect(weightsOf(feature), feature).toBe(null);
  expect(weightsOf('')).toHaveLength(3);
});

const AFTER = 'I double-buffer it now, and all 14 tests pass.';

test.each([
  ['PendingComplete', 'ran it 50x overnight, 0 flakes. closing the issue', 'Confirmation'],
  ['PendingComplete', 'Hm, reading the diff I do not think we want this at all. Discard the branch.', 'Abandon'],
  ['Running', 'not gonna happen, mgmt said no. drop it', 'Abandon'],
  ['PendingComplete', 'write me a bash script that renames all jpgs in a folder', 'NewTask'],
  ['AwaitingUser', 'nope, not doing this. sorry for the detour, drop the whole thing', 'Abandon'],
] as const)('%s: %j is %s, and it says which words speak for it', (state, message, classification) => {
  const told = classifyMessage({
    state,
    message,
    lastMessage: state === 'AwaitingUser' ? 'Want me to vendor it?' : AFTER,
  });
  expect(told).toMatchObject({ classification, reason: expect.stringMatching(/sounds like .*: “/) });
});

test('of a word or two, or of none that it knows, it says nothing', () => {
  for (const message of ['about this', '添加日志 添加日志 添加日志', '10 20 30'])
    expect(classifyMessage({ state: 'PendingComplete', message }).classification).toBe('Modification');
});

test('shares add up to less than one, and are the same each time', () => {
  const view = viewOf({ state: 'PendingComplete', message: 'works fine now' });
  const { shares } = leanOf(view);
  const sum = shares.Confirmation + shares.Abandon + shares.NewTask;
  expect(sum).toBeLessThan(1);
  expect(leanOf(viewOf({ state: 'PendingComplete', message: 'works fine now' })).shares).toEqual(shares);
});
