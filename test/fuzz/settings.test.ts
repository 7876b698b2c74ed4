// settings.json with anything in it: settings, or one line that names the file and the line of the mistake.
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, readSettings } from '../../src/history/store/settings.ts';
import { DEFAULT_REDACT } from '../../src/secrets/settings.ts';
import { anyText, fc } from '../support/property.ts';
import { harms, runs, spoilt, valueOr, within } from './fuzz.ts';

const KEYS = Object.keys(DEFAULT_SETTINGS);
const GOOD: Record<string, unknown[]> = {
  ask_threshold: ['1h', 60, '2d'],
  auto_compact_threshold: ['7d', 700_000, '3w'],
  auto_compact_message_template: ['idle {duration}', '', '}{"fsync":1'],
  fsync: [true, false],
  snapshot_limit: [0, '64KiB', '1 MiB'],
  redact: [{}, { off: ['jwt'], allow: ['x'] }, { patterns: [{ name: 'own', pattern: 'a{1,9}' }], content: 'all' }],
  auto_pause: ['5m', 300, 'off'],
  conversations: [null, 'docs/sessions'],
  mirrors: [[], ['docs/sessions', 'notes']],
  snapshots: [true, false, { command: ['snapshot'], timeout: '9s' }],
  questions: ['unfinished', 'always', 'never'],
  alias: [{}, { last: 'log -1 --stat' }],
  context: [{}, { tail_turns: 3 }, { auto: false, summarizer: 'extract' }],
  models: [{}, { 'big-1': { context: 200_000 } }],
  classifier: [null, { command: ['judge'] }, { command: ['node', 'judge.mjs'], timeout: '5s' }],
};
/** Keys that take an object; keys in it that are unknown are named, not refused. */
const OBJECTS = ['redact', 'alias', 'context', 'models'];
/** Keys that take a list. */
const LISTS = ['mirrors'];
/** Types of the settings that have more of them than their default. */
const TYPES: Record<string, string[]> = {
  conversations: ['object', 'string'],
  auto_pause: ['object', 'number'],
  snapshots: ['boolean', 'object'],
};
const other = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>({ fsync: 1 }, ['snapshot_limit'], 'fsync', '"ask_threshold":', [{}, { ask_threshold: [] }]),
);
const pairs = fc.array(
  fc.oneof(
    fc.constantFrom(...KEYS).chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...(GOOD[key] as unknown[])))),
    fc.tuple(fc.oneof(anyText(8), fc.constantFrom('colour', '__proto__', 'constructor', '{', 'fsync ')), other),
  ),
  { maxLength: 6 },
);
const unknownOnly = (list: [string, unknown][]): [string, unknown][] =>
  list.filter(([key, value]) => KEYS.includes(key) || JSON.stringify(value) !== undefined);

/** A document with every pair on lines of its own; gives the line that each begins on, from 1. */
function written(list: readonly [string, unknown][], indent: number): { text: string; lines: number[] } {
  let text = '{\n';
  const lines: number[] = [];
  for (const [index, [key, value]] of list.entries()) {
    lines.push(text.split('\n').length);
    text += ` ${JSON.stringify(key)}: ${JSON.stringify(value, null, indent)}${index + 1 < list.length ? ',' : ''}\n`;
  }
  return { text: `${text}}\n`, lines };
}

const MESSAGE = /^\/s\.json, line (\d+): [^\n\r]{1,600}$/;
const read = (text: string) =>
  valueOr(['invalid_settings', 'damaged'], () => within(2_000, () => readSettings(text, '/s.json')));

test('names an invalid value of a key with its line', () => {
  const bad = fc
    .tuple(fc.constantFrom(...KEYS), fc.constantFrom<unknown>(null, [], {}, -1, [{ fsync: true }], { a: ['\n'] }))
    // Null and an empty object are valid values of some keys.
    .filter(([key, value]) => !['classifier', 'conversations'].includes(key) || value !== null)
    .filter(
      ([key, value]) => !OBJECTS.includes(key) || value === null || Array.isArray(value) || typeof value !== 'object',
    )
    .filter(([key, value]) => !LISTS.includes(key) || JSON.stringify(value) !== '[]');
  fc.assert(
    fc.property(pairs, bad, fc.nat(6), fc.nat(2), (list, wrong, place, indent) => {
      // The first wrong one is told: of a key that comes twice only the last counts.
      const before = unknownOnly(list)
        .slice(0, place)
        .filter(([key]) => !KEYS.includes(key) || key !== wrong[0]);
      const after = unknownOnly(list)
        .slice(place)
        .filter(([key]) => key !== wrong[0]);
      const { text, lines } = written([...before, wrong, ...after], indent);
      const result = read(text);
      if (!('error' in result)) return expect.fail(text);
      expect(MESSAGE.exec(result.error.message)?.[1], text).toBe(String(lines[before.length]));
      expect(result.error.message).toContain(`"${wrong[0]}" takes `);
      return undefined;
    }),
    runs(600),
  );
});

test('a line that breaks the JSON is named', () => {
  const broken = fc.constantFrom(
    '!',
    'oops',
    "'a': 1,",
    '"a" "b"',
    '"not ended',
    '-',
    '"a": 01,',
    '"\t": 1,',
    '"\\x": 1,',
    '/* */',
  );
  fc.assert(
    fc.property(pairs, broken, fc.nat(9), fc.nat(2), (list, line, place, indent) => {
      const { text, lines } = written(unknownOnly(list), indent);
      const at = [2, ...lines][place % (lines.length + 1)] as number;
      const rows = text.split('\n');
      rows.splice(at - 1, 0, line);
      const result = read(rows.join('\n'));
      if (!('error' in result)) return expect.fail(rows.join('\n'));
      expect(MESSAGE.exec(result.error.message)?.[1], rows.join('\n')).toBe(String(at));
      return undefined;
    }),
    runs(600),
  );
});

test('anything at all gives settings or one line', () => {
  let taken = 0;
  const damaged = fc
    .tuple(pairs, harms)
    .map(([list, harm]) => spoilt(Buffer.from(written(unknownOnly(list), 1).text), harm).toString('utf8'));
  fc.assert(
    fc.property(fc.oneof(damaged, anyText(80), fc.json()), (text) => {
      const result = read(text);
      if ('error' in result) {
        const line = Number(MESSAGE.exec(result.error.message)?.[1]);
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(text.split('\n').length);
        return;
      }
      taken += 1;
      const { settings, unknown } = result.value;
      expect(Object.keys(settings)).toEqual(KEYS);
      for (const key of KEYS) {
        const types = TYPES[key] ?? [typeof DEFAULT_SETTINGS[key as 'fsync']];
        expect(types).toContain(typeof settings[key as 'fsync']);
      }
      expect(settings.auto_compact_threshold).toBeGreaterThanOrEqual(settings.ask_threshold);
      const strange = Object.entries(JSON.parse(text)).flatMap(([key, value]) => {
        if (!KEYS.includes(key)) return [key];
        const inner = key === 'redact' ? Object.keys(value as object) : [];
        return inner.filter((name) => !Object.hasOwn(DEFAULT_REDACT, name)).map((name) => `redact.${name}`);
      });
      expect(unknown).toEqual(strange);
    }),
    runs(1_500),
  );
  expect(taken).toBeGreaterThan(100);
});
