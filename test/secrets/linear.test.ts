// No text makes a rule slow: told from the shape of every pattern, and tried with a megabyte made for it.
import { describe, expect, test } from 'vitest';
import { isSecretPath, secretFileIn } from '../../src/secrets/file-references.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { costOf, linearPattern, MOST_LENGTH, MOST_STEPS } from '../../src/secrets/linear.ts';
import { RULES } from '../../src/secrets/matcher.ts';
import { NAME_KEYWORDS } from '../../src/secrets/name-keywords.ts';
import { KEY_KEYWORDS } from '../../src/secrets/private-key.ts';
import { LONGEST_MATCH } from '../../src/secrets/rule.ts';
import { withoutSecretResults } from '../../src/secrets/search-results.ts';
import { isSecretFile } from '../../src/secrets/secret-files.ts';
import { piecesWithoutSelections, withoutSelections } from '../../src/secrets/selections.ts';
import { withoutSecretFiles } from '../../src/secrets/withheld.ts';
import { Chance, sampleOf } from '../support/secrets-corpus.ts';

describe('what a pattern costs', () => {
  test.each([
    ['abc', 3, 3],
    ['a?b', 2, 2],
    ['[a-z]{2,5}', 5, 5],
    ['(?:ab){3}', 6, 6],
    // The next character cannot begin inside the repeat: one way only.
    ['[a-z]{1,9}-', 10, 10],
    // It can: every length is tried.
    ['[a-z]{1,9}b', 18, 10],
    ['[a-z]{1,9}[a-z]{1,9}!', 9 + 9 * (9 + 1), 19],
    ['(?:a|b)c', 3, 2],
    ['(?<=x{3})a\\d', 5, 5],
  ])('%s: %d steps over %d characters', (pattern, steps, length) => {
    expect(costOf(pattern)).toEqual({ steps, length });
  });

  test.each(['a*', 'a+b', 'a{2,}', '(?:a{1,3}){1,40}b', '(?:a|a){1,40}b', '(?:a?){50}b', '(?:x{0,9}){0,9}y'])(
    '%s is beyond every bound',
    (pattern) => expect(costOf(pattern).steps).toBeGreaterThan(1e6),
  );

  test.each([
    // A number that begins with what no number has is looked at from one place.
    ['INT-[0-9]{1,900}', 8, 904],
    ['INT-[0-9]{1,900}-[0-9]{1,900}', 15, 1805],
    // Such a match may begin at each of the characters.
    ['INT-[A-Z-]{1,900}', 904, 904],
    ['[0-9]{1,900}-INT', 904, 904],
    ['(?:INT|EXT)[0-9]{1,900}', 906, 903],
  ])('%s: %d steps over %d characters, by what it begins with', (pattern, steps, length) => {
    expect(costOf(pattern)).toEqual({ steps, length });
  });

  test('counts letters of both cases as one where case does not matter', () => {
    expect(costOf('[a-z]{1,9}B').steps).toBe(10);
    expect(costOf('[a-z]{1,9}B', 'i').steps).toBe(18);
  });

  test.each(['(a)\\1', '(?<n>a)\\k<n>', '\\p{L}', '(', '[', 'a)'])('refuses to compute the cost of %s', (pattern) => {
    expect(() => costOf(pattern)).toThrow();
  });
});

/** Patterns of somebody's own, and what each cannot let go of soon. */
const OWN: readonly [pattern: string, bounded: string, unit: string][] = [
  ['INT-\\d+', 'INT-\\d{1,960}', '0'],
  ['[a-z]+@acme\\.io', '[a-z]{1,960}@acme\\.io', 'a'],
  ['ACME-[A-Z0-9]+', 'ACME-[A-Z0-9]{1,960}', 'ACME-0'],
  ['ACME-[A-Z0-9-]+\\b', 'ACME-[A-Z0-9-]{1,960}\\b', 'ACME-'],
  ['acme_[a-z]*?_end', 'acme_[a-z]{0,960}?_end', 'acme_a'],
  ['acme\\.[\\w-]+\\.[\\w-]+\\.[\\w-]{20,}!', 'acme\\.[\\w-]{1,960}\\.[\\w-]{1,960}\\.[\\w-]{20,960}!', 'acme.a'],
  ['[a-z]+\\.[a-z]+!', '[a-z]{1,960}\\.[a-z]{1,960}!', 'a.'],
  ['ID-[0-9]{1,4000}x', 'ID-[0-9]{1,4000}x', 'ID-0'],
  ['(?<=key: )\\S+', '(?<=key: )\\S{1,960}', 'key: '],
  ['\\+{2}[*+]+z', '\\+{2}[*+]{1,960}z', '+'],
];

describe('patterns of somebody’s own', () => {
  test.each(OWN)('%s is used as %s', (pattern, bounded) => {
    expect(linearPattern(pattern)).toBe(bounded);
    expect(() => new RegExp(bounded)).not.toThrow();
  });

  test.each([
    ['(a+)+b', 'it can read the same text in too many ways'],
    ['(.*)*', 'it can read the same text in too many ways'],
    ['a*a*a*b', 'it can read the same text in too many ways'],
    ['(x|x)*y', 'it can read the same text in too many ways'],
    ['[a-z]+-[a-z]+-[a-z]+!', '2883 steps at one place, and 2000 are the most'],
    ['(a)\\1', 'It has \\1.'],
    ['INT-\\d+-\\d+-\\d+-\\d+-\\d+', 'looks at 4808 characters, and 4096 are the most'],
    ['INT-\\d{5000}', 'looks at 5004 characters'],
  ])('%s is refused, for %s', (pattern, why) => expect(() => linearPattern(pattern)).toThrow(why));
});

describe('every rule', () => {
  test.each(RULES.map((rule) => [rule.name, rule] as const))('%s is bounded and has its keywords', (_, rule) => {
    const { steps, length } = costOf(rule.pattern, rule.flags);
    expect(length).toBeLessThanOrEqual(LONGEST_MATCH);
    // A long match may take as many steps as it has characters; beyond that there is no room for trying again.
    expect(steps).toBeLessThanOrEqual(Math.max(2 * length, 3 * MOST_STEPS));
    for (const word of rule.keywords) {
      expect(word).toMatch(/^[ -~]{2,}$/);
      if (rule.anyCase) expect(word).toBe(word.toLowerCase());
    }
    expect(rule.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test('names are taken once', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
    expect(RULES.length).toBeGreaterThanOrEqual(45);
  });

  test('own patterns may cost less than those built in', () => {
    expect(MOST_STEPS).toBeLessThan(LONGEST_MATCH);
    expect(MOST_LENGTH).toBeLessThan(LONGEST_MATCH);
  });
});

/** A text of a length that makes a rule try as often and as long as it can. */
function hostile(keywords: readonly string[], sample: string, length: number): string {
  const word = keywords[0] ?? '';
  const units = [
    // The keywords, over and over, with nothing or a little of what may continue a match.
    keywords.join(''),
    `${word}${'aA0'.repeat(100)}`,
    `${word}${'-'.repeat(300)}`,
    `${word}="${'\\'.repeat(300)}`,
    // Almost a match, over and over.
    `${sample.slice(0, -1)}~`,
  ];
  // A stretch of each, and one match that does not end: what grows faster than its text does so in a stretch as well.
  const stretch = length / (units.length + 1);
  const texts = units.map((unit) => unit.repeat(Math.ceil(stretch / unit.length)).slice(0, stretch));
  return [...texts, sample.slice(0, -1) + 'aA0'.repeat(stretch / 3)].join('\n');
}

const near = (rule: string): string => sampleOf(rule, 0, new Chance(1)).text;
const subjects: [string, readonly string[], string][] = [
  ...RULES.map(({ name, keywords }): [string, readonly string[], string] => [name, keywords, near(name)]),
  ['private-key', KEY_KEYWORDS, near('private-key')],
  ['private-key headings', ['-----BEGIN RSA PRIVATE KEY-----'], near('private-key')],
  ['password', ['password'], near('password')],
  ['secret', NAME_KEYWORDS, near('secret')],
  ['expressions', [',password:b4.z7.kX2Qq9', 'f(password=b4.z7-kX2Qq9,'], 'x=a?"password":b4.z7.kX2Qq9===e'],
  ['brackets before expressions', [')}]password:b4.z7.kX2Qq9,'], `{password:${'b4.z7+'.repeat(80)}k,`],
  ['escapes of JSON', ['\\u0041', '\\/', '\\\\u0022password\\\\u0022:'], 'pass\\u0077ord=aB3\\/xY9zQ2kL'],
  ['escapes of URLs', ['%41+', '%%41', '&a=%70assword%3D'], 'password%3Dab+cd%2541e'],
  ['escapes of both', ['%5C%2F', '%5Cu0041+', '\\u00255C%2F'], 'mysql%3A%5C%2F%5C%2Fa%3AkT7vQz2Lr9%40b'],
  [
    'escaped quotes',
    ['\\u0022password\\u0022:\\u0022a\\\\u0022', '\\\\"'],
    '\\u0022password\\u0022:\\u0022Xk9qW2zLp81',
  ],
  ['last words', ['a:', 'echo "a:', '47db8506-16b1-'], 'echo "deploy:kT7vQz2Lr9mX'],
  [
    'keys in base64, wrapped',
    [`LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk${'aB3'.repeat(12)}\n`, `\n${'aB3'.repeat(25)}\n+`],
    `LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk${'aB3'.repeat(12)}\n${`${'aB3/'.repeat(18)}\n`.repeat(200)}`,
  ],
  // Each has all that follows for its value.
  ['names and signs in a row', ['password='], 'password=aB3x9kZ2Lm8pQ7'],
  ['names and escaped signs in a row', ['api_key=%3D+'], 'api_key=%3D+aB3x9kZ2Lm8pQ7'],
  ['machines in a row', ['machine a login b password '], 'machine a login b password Zk2Lm8pQ7x9'],
  ['attributes in a row', ['<password a="b" ', '<a id="password" a="b" '], '<password a="b" b="c">aB3x~kQ9mZr7T'],
  ['members in a row', ['"name":"password",', '"a":1,'], '"name":"password","a":1,"b":[2],"value":"aB3x~kQ9mZr7T'],
  ['lines in a row', ['- name: password\n', '  a: 1\n'], '- name: password\n  a: 1\n  value: aB3x~kQ9mZr7T'],
  ['lines of passwords', ['password: aB3;', '\npassword=aB3x9(Zk'], 'password: aB3x9;Zk2Lm8pQ7'],
  ['parts of substitutions', ["'s/s|s#(password=a)b/c|d#", 's/password=.*|'], "'s|password=.*|password=Zk2Lm8pQ7x9|"],
  ['elements', ['<a b="', '<p k="a.password">b4.z7.kX2Qq9'], '<p k="a.password">b4.z7.kX2Qq9</p>'],
  [
    'markers before expressions',
    ['[redacted:a:123456],password:b4.z7.kX2Qq9,'],
    '[redacted:a:123456],"password":b4.z7.kX2Qq9',
  ],
  [
    'texts around expressions',
    ['"\\n\\\\n', `password="+b4.z7.kX2!q9+"`, "'password='-b4.z7.kX2!q9-'"],
    't("Password: "+b4.z7.kX2!q9+"',
  ],
  ['markers', ['[redacted:', '[redacted:a:123456'], '[redacted:password:00c0ffee]'],
];

const TAGS = [
  ...['<', '<file path=".env">', '<file path="path="', '<file name=".env" ', '</file>', '<file path=".env">a</file>'],
  ...['<system-reminder>\nNote: ', ' was modified,', '<ide_selection>The user selected the lines 1 to 2 from '],
  ...['Called the Read tool with the following input: {', '}', '<path>.env</path>\n<type>file</type>\n<content>'],
];

/** With the end of a text looked at as that of one which goes on. */
const find = (text: string): unknown => findSecrets(text, undefined, true);

/** Searches for files known to hold secrets, and texts that are hard for each. */
const FILES: [string, (text: string) => unknown, readonly string[]][] = [
  ['a name', isSecretFile, ['gcp_key', '-firebase-adminsdk-', 'client_secret-', 'a/', '.env.', '-', '~']],
  ['a path', isSecretPath, ['file://', '?', '/v1/', '.', 'a']],
  ['tags', withoutSelections, TAGS],
  ['tags in pieces', inPieces, TAGS],
  [
    'what a search found',
    withoutSecretResults,
    ['.env:1:a\n', '-1', ' ', '.env:\n1:a\n', '--- ', 'File: .env\n', 'a.b-1-', '/'],
  ],
  [
    'what a tool took',
    (text) => secretFileIn({ input: text, command: text }),
    ['*** ', '*** Begin Patch\n', '*** Add File: a\n', ' ', '\n', 'apply_', '{"input":', '[{', '{"path":"a"},'],
  ],
  [
    'JSON in a text',
    (text) => withoutSecretFiles({ data: { raw: `[{"path":".env"},"${text}",{}]`, text } }),
    ['","', 'a', '\\\\', '\\"', '",{"a":"b"},"'],
  ],
  [
    'lists and differences',
    (text) => withoutSecretFiles({ data: { unified_diff: text, texts: [text, { text }] } }),
    ['diff --git ', '\ndiff --git ', '\n--- a', '\n--- a\n+++ b', '\n@@ ', ...TAGS],
  ],
];

const repeated = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Each of what is hard over and over, and all of it at once, which is as long as what is asked for. */
const mixed = (units: readonly string[], length: number): string[] => [
  ...units.map((unit) => repeated(unit, length / GROWTH)),
  repeated(units.join(''), length),
];

function inPieces(text: string): void {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / PIECE);
  const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(index * PIECE, (index + 1) * PIECE));
  for (const piece of piecesWithoutSelections(pieces)) expect(piece.length).toBeGreaterThan(0);
}
const PIECE = 1000;

/** Measures the work of the processor, in milliseconds. */
function workOf(work: () => unknown): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** Below this a measure is noise. */
const NOISE = 25;
/** Factor between the lengths of two texts in a row. */
const GROWTH = 8;
/** Lengths of texts: quadratic work shows at the first of them; at the last it would never end. */
const LENGTHS = [15_625, 125_000, 1_000_000];
/** Those of patterns that take a thousand steps at each place: more of them tell no more. */
const COSTLY = LENGTHS.slice(0, 2);

function expectLinear(
  look: (text: string) => unknown,
  textsOf: (length: number) => string[],
  lengths: readonly number[] = LENGTHS,
): void {
  const before: number[] = [];
  for (const length of lengths) {
    for (const [index, text] of textsOf(length).entries()) {
      const work = workOf(() => look(text));
      // Eight times the text; a square would be sixty-four times the work.
      const growth = work / Math.max(NOISE, before[index] ?? 0);
      if (work > 24 * NOISE) expect(growth, `${length} of ${text.slice(0, 60)}`).toBeLessThan(24);
      before[index] = work;
    }
  }
}

describe('a megabyte made to be slow', () => {
  test.each(subjects)('%s comes to its end, and its work grows with the text alone', (_, keywords, sample) => {
    expectLinear(find, (length) => [hostile(keywords, sample, length)]);
  });

  test.each(OWN)('%s: the same', (pattern, _, unit) => {
    const options = { own: [{ name: 'own', pattern }] };
    expectLinear(
      (text) => findSecrets(text, options),
      (length) => [repeated(unit, length), `${unit}${unit.charAt(0).repeat(length)}`].slice(unit.length === 1 ? 1 : 0),
      COSTLY,
    );
  });

  test.each(FILES)('%s: the same', (_, look, units) => {
    expectLinear(look, (length) => mixed(units, length));
  });
});
