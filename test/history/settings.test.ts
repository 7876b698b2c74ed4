// settings.json: every key, what it takes, and errors that name file and line.
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../../src/history/store/settings.ts';
import { DEFAULT_REDACT } from '../../src/secrets/settings.ts';
import { errorOf } from '../support/store.ts';

const read = (document: unknown): Settings => readSettings(JSON.stringify(document)).settings;

test('every key is optional', () => {
  expect(readSettings('{}')).toEqual({ settings: DEFAULT_SETTINGS, unknown: [] });
  expect(DEFAULT_SETTINGS).toEqual({
    ask_threshold: 86_400,
    auto_compact_threshold: 604_800,
    auto_pause: 300,
    auto_compact_message_template: 'Auto-saved: session idle for {duration}',
    conversations: null,
    mirrors: [],
    fsync: true,
    snapshot_limit: 1_048_576,
    snapshots: false,
    redact: { off: [], allow: [], allow_patterns: [], patterns: [], content: 'text' },
    questions: 'unfinished',
    classifier: null,
    alias: {},
    context: {},
    models: {},
  });
});

const OWN = { name: 'ours', pattern: 'our-[0-9a-f]{16}' };

describe('what a key takes', () => {
  test.each<[keyof Settings, unknown, unknown]>([
    ['ask_threshold', '1h', 3_600],
    ['ask_threshold', 60, 60],
    ['ask_threshold', '60', 60],
    ['ask_threshold', 0, 0],
    ['auto_compact_threshold', '30d', 2_592_000],
    ['auto_compact_threshold', 700_000, 700_000],
    ['auto_compact_message_template', '', ''],
    ['auto_compact_message_template', 'idle {duration}', 'idle {duration}'],
    ['auto_pause', '10m', 600],
    ['auto_pause', 90, 90],
    ['auto_pause', 'off', null],
    ['fsync', false, false],
    ['classifier', null, null],
    ['classifier', { command: ['judge', '-q'] }, { command: ['judge', '-q'], timeout: 2 }],
    ['classifier', { command: ['judge'], timeout: '5s' }, { command: ['judge'], timeout: 5 }],
    ['snapshots', true, true],
    ['snapshots', { command: ['keep'] }, { command: ['keep'], timeout: 60 }],
    ['snapshot_limit', 0, 0],
    ['snapshot_limit', 65_536, 65_536],
    ['snapshot_limit', '65536', 65_536],
    ['snapshot_limit', '64KiB', 65_536],
    ['snapshot_limit', '64 kib', 65_536],
    ['snapshot_limit', '2MiB', 2_097_152],
    ['snapshot_limit', '1GiB', 1_073_741_824],
    ['redact', false, false],
    ['redact', 'off', false],
    ['redact', {}, DEFAULT_REDACT],
    ['redact', { off: ['jwt', 'environment'] }, { ...DEFAULT_REDACT, off: ['jwt', 'environment'] }],
    ['redact', { allow: ['hunter2!'], content: 'all' }, { ...DEFAULT_REDACT, allow: ['hunter2!'], content: 'all' }],
    ['redact', { allow_patterns: ['test-[a-z]{1,20}'] }, { ...DEFAULT_REDACT, allow_patterns: ['test-[a-z]{1,20}'] }],
    ['redact', { patterns: [OWN], off: ['ours'] }, { ...DEFAULT_REDACT, patterns: [OWN], off: ['ours'] }],
  ])('%s: %j', (key, value, expected) => {
    expect(read({ [key]: value })).toEqual({ ...DEFAULT_SETTINGS, [key]: expected });
  });
});

describe('what a key does not take is refused with file, line and what it takes', () => {
  const durations = [-1, 1.5, 'soon', '1.5h', true, null, [], {}, '', 1e300];
  const redactions = [true, 'on', 1, null, [], ['a']];
  const sizes = [-1, 1.5, '1MB', 'big', true, null, [], {}, '-1KiB', '1.5MiB'];
  test.each<[keyof Settings, unknown]>([
    ...durations.map((value) => ['ask_threshold', value] as [keyof Settings, unknown]),
    ...durations.map((value) => ['auto_compact_threshold', value] as [keyof Settings, unknown]),
    ...[...durations, 0, '0', 'never'].map((value) => ['auto_pause', value] as [keyof Settings, unknown]),
    ...sizes.map((value) => ['snapshot_limit', value] as [keyof Settings, unknown]),
    ...redactions.map((value) => ['redact', value] as [keyof Settings, unknown]),
    ...[1, true, null, [], {}].map((value) => ['auto_compact_message_template', value] as [keyof Settings, unknown]),
    ...[0, 1, 'true', 'no', null, [], {}].map((value) => ['fsync', value] as [keyof Settings, unknown]),
  ])('%s: %j', (key, value) => {
    const text = `{\n  "other": 1,\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}\n}\n`;
    const error = errorOf(() => readSettings(text, '/p/.ctx/settings.json'));
    expect(error.code).toBe('invalid_settings');
    expect(error.message).toMatch(/^\/p\/\.ctx\/settings\.json, line 3: /);
    expect(error.message).toContain(`"${key}" takes `);
    expect(error.message).toContain(`not ${JSON.stringify(value)}`);
    expect(error.hint).toBeTruthy();
  });
});

describe('a file that is no settings at all', () => {
  test.each<[string, string, RegExp]>([
    ['', 'damaged', /^settings\.json, line 1: it is empty$/],
    ['{"fsync": tr', 'damaged', /^settings\.json, line 1: /],
    ['[]', 'invalid_settings', /^settings\.json, line 1: it is not a JSON object$/],
    ['null', 'invalid_settings', /^settings\.json, line 1: it is not a JSON object$/],
    ['"x"', 'invalid_settings', /^settings\.json, line 1: it is not a JSON object$/],
    ['{\n\n  "fsync": true,\n}', 'damaged', /^settings\.json, line 4: /],
    ['{\n  "fsync": true\n  "snapshot_limit": 1\n}', 'damaged', /^settings\.json, line 3: /],
  ])('%j', (text, code, message) => {
    const error = errorOf(() => readSettings(text));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});
test('a mistake is named by its own line, in one line', () => {
  const error = errorOf(() => readSettings('{\n  "fsync": true,\n  "snapshot_limit": big\n}\n'));
  expect(error.message).toMatch(/^settings\.json, line 3: [^\n]+$/);
});
test.each<[string, number]>([
  ['{"a": "fsync",\n"fsync": 1}', 2],
  ['{"a": {"fsync": 1},\n"b": ["fsync", {"fsync": [2]}],\n\n"fsync": 1}', 4],
  ['{"fsync": true,\n"fsync": 1}', 2],
  ['{"\\"": "{[",\n"\\u0066sync"\n: 1}', 2],
  ['{"fsync": true,\n"a": "not ended\n}', 2],
  ['{"a": -\n}', 1],
  ['{"a": 1', 1],
])('the line of the mistake, not one like it: %j', (text, line) => {
  expect(errorOf(() => readSettings(text)).message).toMatch(new RegExp(`^settings.json, line ${line}: [^\n]{1,300}$`));
});
test('a long file with a mistake at its end is refused at once, and a long value is not repeated', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `"key ${index}": ${index},\n`).join('');
  const started = performance.now();
  expect(errorOf(() => readSettings(`{${many}"x": y}`)).message).toMatch(/^settings\.json, line 50001: .{1,300}$/);
  expect(performance.now() - started).toBeLessThan(3_000);
  const long = `{"snapshot_limit": "${'\u2028x'.repeat(9_000)}"}`;
  expect(errorOf(() => readSettings(long)).message).toMatch(/^settings\.json, line 1: [^\u2028]{1,300}$/);
});
test('asking that was put too late is named by its own line', () => {
  const error = errorOf(() => readSettings('{\n\n  "ask_threshold": "30d"\n}'));
  expect(error.message).toMatch(/^settings\.json, line 3: /);
});

test('compacting may not come before asking; the same moment is fine', () => {
  expect(read({ ask_threshold: '7d' }).ask_threshold).toBe(604_800);
  const error = errorOf(() => readSettings('{\n "ask_threshold": "2d",\n "auto_compact_threshold": "1d"\n}'));
  expect(error.message).toBe('settings.json, line 3: "auto_compact_threshold" is below "ask_threshold"');
});

test('keys that this version does not know are reported, not refused', () => {
  const text =
    '{"colour":["a"],"redact":{"of":["jwt"]},"fsync":false,"__proto__":{"snapshot_limit":1},"constructor":1,"toString":2}';
  const { settings, unknown } = readSettings(text);
  expect(unknown).toEqual(['colour', 'redact.of', '__proto__', 'constructor', 'toString']);
  expect(settings).toEqual({ ...DEFAULT_SETTINGS, fsync: false });
});

test.each(['INT-\\d+', '[a-z]+@acme\\.io', 'ACME-[A-Z0-9]+'])('a pattern may repeat without a bound: %s', (pattern) => {
  const redact = { patterns: [{ ...OWN, pattern }], allow_patterns: [pattern] };
  expect(readSettings(JSON.stringify({ redact })).settings.redact).toMatchObject(redact);
});

describe('what "redact" does not take is refused with the key within it', () => {
  test.each<[unknown, string]>([
    [{ off: 'jwt' }, '"redact.off" takes a list of names of rules, and nothing else'],
    [{ off: ['jwt', 'jvt'] }, '"redact.off" names no rule: jvt'],
    [{ allow: [1] }, '"redact.allow" takes a list of texts, and nothing else'],
    [{ allow: [''] }, '"redact.allow" takes a list of texts, and nothing else'],
    [{ allow_patterns: 'a' }, '"redact.allow_patterns" takes a list of patterns, and nothing else'],
    [{ allow_patterns: ['(a+)+b'] }, '"redact.allow_patterns": The pattern (a+)+b could take too long'],
    [{ allow_patterns: ['('] }, '"redact.allow_patterns": The pattern ( cannot be used.'],
    [{ patterns: ['a'] }, '"redact.patterns" takes a list of {"name": …, "pattern": …}, and nothing else'],
    [{ patterns: [{ name: 'a' }] }, '"redact.patterns" takes a list of {"name": …, "pattern": …}'],
    [{ patterns: [{ ...OWN, pattern: '(x|x)*y' }] }, '"redact.patterns": The pattern (x|x)*y could take too long'],
    [{ patterns: [{ ...OWN, name: 'Our Rule' }] }, '"redact.patterns": A rule is named in kebab-case, not Our Rule.'],
    [
      { patterns: [{ ...OWN, name: 'github-token' }] },
      '"redact.patterns": There is a rule github-token already: give yours another name.',
    ],
    ...['a?', '\\b', '^', '(?=a)', 'a|b{0,2}', '(?:a?)(?:b?)$'].map((pattern): [object, string] => [
      { patterns: [{ ...OWN, pattern }] },
      `"redact.patterns": A pattern must match at least one character, and ${pattern} may match none.`,
    ]),
    [
      { patterns: [{ ...OWN, pattern: '' }] },
      '"redact.patterns": A pattern must match at least one character, and an empty one may match none.',
    ],
    [{ patterns: [OWN, { ...OWN, pattern: 'b' }] }, `"redact.patterns" has two patterns of the name ${OWN.name}`],
    [{ content: 'binary' }, '"redact.content" takes "text" or "all", and nothing else'],
  ])('%j', (value, why) => {
    const error = errorOf(() => readSettings(`{\n  "redact": ${JSON.stringify(value)}\n}`));
    expect(error.code).toBe('invalid_settings');
    expect(error.message).toContain(`settings.json, line 2: ${why}`);
    expect(error.hint).toBeTruthy();
  });
});
