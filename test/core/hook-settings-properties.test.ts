// Whatever stands in the settings: an install and an uninstall leave it as it was, and a second install changes nothing.
import { createScanner, parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { hasOwnHooks, installHooks, uninstallHooks, type WantedHook } from '../../src/core/hook-settings.ts';
import { fc } from '../support/property.ts';

const command = "'/usr/bin/node' '/opt/ctx/dist/ctx.cjs' hook codex";
const WANTED: WantedHook[] = [
  { event: 'Stop', command, timeout: 30 },
  { event: 'Tool', matcher: 'Ask', command, timeout: 10 },
  { event: 'End', command, timeout: 3 },
];
const install = (text: string): string => installHooks(text, WANTED, { file: '/s.json' });
const uninstall = (text: string, before: string | null): string | null =>
  uninstallHooks(text, before, WANTED, { file: '/s.json' });

const TRIVIA = [
  '',
  '',
  '',
  ' ',
  '\n',
  '\n  ',
  '\r\n\t',
  ' // {"hooks"\n',
  '/* , */',
  '\n    // ]}\r\n',
  '  /* a\n */ ',
];

/** JSON as a person might have written it: `choices` say what stands between the tokens. */
function written(value: unknown, choices: readonly number[]): string {
  let at = 0;
  const choose = (): number => choices[at++ % choices.length] as number;
  const trivia = (): string => TRIVIA[choose() % TRIVIA.length] as string;
  const list = (open: string, parts: string[], close: string): string => {
    const trailing = parts.length > 0 && choose() % 3 === 0 ? `${trivia()},` : '';
    return `${open}${parts.map((part) => trivia() + part + trivia()).join(',')}${trailing}${trivia()}${close}`;
  };
  const print = (item: unknown): string => {
    if (Array.isArray(item)) return list('[', item.map(print), ']');
    if (typeof item !== 'object' || item === null) return JSON.stringify(item);
    const pairs = Object.entries(item).map(
      ([key, inner]) => `${JSON.stringify(key)}${trivia()}:${trivia()}${print(inner)}`,
    );
    return list('{', pairs, '}');
  };
  return trivia() + print(value) + trivia();
}

const anything = fc.jsonValue({ maxDepth: 2 });
const handler = fc.oneof(anything, fc.record({ type: fc.constant('command'), command: fc.string() }));
const group = fc.oneof(
  anything,
  fc.record(
    { matcher: fc.constantFrom('', '*', 'Ask'), hooks: fc.array(handler, { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
);
const events = fc.dictionary(
  fc.constantFrom('Stop', 'Tool', 'End', 'Other', '__proto__'),
  fc.array(group, { maxLength: 3 }),
);
const document = fc
  .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'Stop', '', '"'), anything), fc.option(events, { nil: undefined }))
  .map(([others, hooks]) => ({ ...others, ...(hooks && { hooks }) }));
const settings = fc
  .tuple(document, fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }), fc.constantFrom('', '\ufeff'))
  .map(([value, choices, mark]) => mark + written(value, choices));

/** Tokens and comments of a text, without the white space and the commas between them. */
function tokens(text: string): string[] {
  const scanner = createScanner(text.replace(/^\ufeff/, ''));
  const found: string[] = [];
  // 5 is a comma, 14 and 15 are line ends and blanks, 17 is the end.
  for (let kind = scanner.scan(); kind !== 17; kind = scanner.scan()) {
    if (![5, 14, 15].includes(kind)) found.push(scanner.getTokenValue());
  }
  return found;
}

function isPartOf(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}

const runs = { numRuns: 500 };

test('an install is readable, adds and takes nothing away, and a second one changes nothing', () => {
  fc.assert(
    fc.property(settings, (before) => {
      const after = install(before);
      expect(hasOwnHooks(after)).toBe(true);
      expect(isPartOf([...before].join(''), after)).toBe(true);
      expect(install(after)).toBe(after);
      const { hooks, ...others } = parse(after.replace(/^\ufeff/, ''));
      const { hooks: old = {}, ...same } = parse(before.replace(/^\ufeff/, ''));
      expect(others).toEqual(same);
      for (const [event, groups] of Object.entries(old)) {
        expect(hooks[event].slice(0, (groups as unknown[]).length)).toEqual(groups);
      }
    }),
    runs,
  );
});

test('an uninstall brings back what was there, byte for byte', () => {
  fc.assert(
    fc.property(settings, (before) => {
      expect(uninstall(install(before), before)).toBe(before);
    }),
    runs,
  );
});

test('where somebody has changed the file meanwhile, an uninstall takes our hooks alone', () => {
  fc.assert(
    fc.property(settings, (before) => {
      const change = (text: string): string =>
        text.replace(/^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|\ufeff)*\{/, '$&"new": /* x */ 1,');
      const after = uninstall(change(install(before)), before) ?? '';
      expect(tokens(after)).toEqual(tokens(change(before)));
      expect(hasOwnHooks(after)).toBe(false);
    }),
    runs,
  );
});
