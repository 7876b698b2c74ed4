// Tests the reader of hooks and trust in Codex's settings, in every form that TOML has for them: pure functions on texts.
import { describe, expect, test } from 'vitest';
import { reviewOf } from '../../src/agents/codex/review.ts';

const ACME = '/home/dev/acme_http.js';
const HOOKS = '/home/dev/.codex/hooks.json';
const review = (config: string) => reviewOf([config], HOOKS, ['/link', ACME]);

test('reads the reviewed hooks, their places and the trusted projects from the settings of Codex', () => {
  const config = [
    '[hooks.state]',
    `[hooks.state."${HOOKS}:session_start:0:0"]`,
    'trusted_hash = "sha256:aa"',
    `[hooks.state.'${HOOKS}:stop:1:0']  # a comment`,
    'enabled = true',
    "trusted_hash='sha256:bb'",
    `[hooks.state."${HOOKS}:user_prompt_submit:0:0"]`,
    'enabled = true',
    `[hooks.state."${HOOKS}:interrupt:0:0"]`,
    'enabled = false',
    'trusted_hash = "sha256:bb"',
    `[hooks.state."${HOOKS}:pre_compact:0:0"]`,
    'trusted_hash = ""',
    `[hooks.state."/other/hooks.json:stop:0:0"]`,
    'trusted_hash = "sha256:cc"',
    `[projects."${ACME}"]`,
    'trust_level = "trusted"',
    '[other]',
    'trust_level = "untrusted"',
  ].join('\r\n');
  expect(review(config)).toEqual({ events: ['SessionStart:0:0', 'Stop:1:0'], trusted: true });
});

test.each([
  ['', null],
  [`[projects."${ACME}"]\ntrust_level = "untrusted"`, false],
  [`\ufeff[projects."${ACME}"]\ntrust_level = "trusted"`, true],
  ['[projects."/elsewhere"]\ntrust_level = "trusted"', null],
  ['[projects."/li\\u006ek"]\ntrust_level = "trusted"', true],
  ['[projects]\n"/link" = { trust_level = "trusted" }', true],
  ['projects."/link".trust_level = "trusted"', true],
  ['[projects]\n"/link".trust_level = "trusted"', true],
  ['projects = { "/link" = { trust_level = "trusted" } }', true],
  ['[ projects . "/link" ]\ntrust_level = """trusted"""', true],
  ['notes = """\n[projects."/link"]\ntrust_level = "trusted"\n"""', null],
  ["notes = '''\n[projects.\"/link\"]\ntrust_level = \"trusted\"\n'''", null],
  ['projects = ["/link"]', null],
  ['projects = 1979-05-27\nhooks = 99999999999999999999', null],
  ['[projects]\n"/link" = "trusted"', null],
])('%j: trusted %s', (config, trusted) => expect(review(config)).toEqual({ events: [], trusted }));

test.each([
  ['an inline table', `[hooks.state]\n"${HOOKS}:stop:1:0" = { trusted_hash = "sha256:aa" }`],
  ['dotted keys', `hooks.state."${HOOKS}:stop:1:0".trusted_hash = "sha256:aa"`],
  ['a header with spaces', `[ hooks . state . "${HOOKS}:stop:1:0" ]\ntrusted_hash = "sha256:aa"`],
  ['a header behind hooks of its own', `[[hooks.Stop]]\n[hooks.state.'${HOOKS}:stop:1:0']\ntrusted_hash = "sha256:aa"`],
])('a hook that was passed, as %s', (_, config) => {
  expect(review(config)).toEqual({ events: ['Stop:1:0'], trusted: null });
});

test('an entry in a text of several lines is none', () => {
  const config = `notes = """\n[hooks.state."${HOOKS}:stop:1:0"]\ntrusted_hash = "sha256:aa"\n"""`;
  expect(review(config)).toEqual({ events: [], trusted: null });
});

describe('refuses text that is not TOML with the number of the line and without its content', () => {
  test.each([
    ['[projects."/li\\xnk"]\ntrust_level = "trusted"', /^line 1: it is not TOML \([^\n]+\)$/],
    ['token = "s3cret"\nkey = s3cret', /^line 2: it is not TOML \([^\n]+\)$/],
    ['a = 1\na = 2', /^line 2: it is not TOML \([^\n]+\)$/],
    [`a = ${'['.repeat(100_000)}`, /^line 1: it is not TOML \([^\n]+\)$/],
  ])('%#', (config, message) => {
    expect(() => review(config)).toThrow(SyntaxError);
    expect(() => review(config)).toThrow(message);
    expect(() => review(config)).not.toThrow(/s3cret/);
  });
});
