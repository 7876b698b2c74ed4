// Values that stand not right beside their names: other attributes, members or lines are between.
import { describe, expect, test } from 'vitest';
import { costOf } from '../../src/secrets/linear.ts';
import { linkPatterns } from '../../src/secrets/name-value-links.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { LONGEST_CONTEXT, LONGEST_MATCH } from '../../src/secrets/rule.ts';
import { redactedText } from '../../src/secrets/stream.ts';
import { Chance } from '../support/secrets-corpus.ts';
import { expectFoundFrom, expectNone } from '../support/secrets-found.ts';
import { labelOf } from '../support/secrets-text.ts';

const chance = new Chance(31);
const expectFound = expectFoundFrom(chance);

describe('among other attributes, members and lines', () => {
  test.each([
    '<password type="x">«aB3x~kQ9mZr7T»</password>',
    '{"t":"<password type=\\"x\\">«aB3x~kQ9mZr7T»</password>"}',
    '<password\n  encrypted="false">«aB3x~kQ9mZr7T»</password>',
    '<apiKey scope="all" v="2">«{32:b}»</apiKey>',
    '<wsse:Password Type="https://docs.example.net/profile-1.0#PasswordText">«aB3x~kQ9mZr7T»</wsse:Password>',
    '<setting id="password" secure="1">«aB3x~kQ9mZr7T»</setting>',
    '<property name="password" type="string" value="«aB3x~kQ9mZr7T»"/>',
    '<property name="password"\n  type="string"\n  value="«aB3x~kQ9mZr7T»"/>',
    '<env name="API_TOKEN" force="true">«{32:b}»</env>',
    '{"Parameter": {"Name": "/prod/db/password", "Type": "SecureString", "Value": "«kR7~vB2xQm9_Tz4w»"}}',
    '{"t":"{\\"Name\\": \\"/prod/db/password\\",\\n \\"Type\\": \\"SecureString\\",\\n \\"Value\\": \\"«kR7~vB2xQm9_Tz4w»\\"}"}',
    '{"name":"DB_PASSWORD","sensitive":true,"value":"«kR7~vB2xQm9_Tz4w»"}',
    '{"id":1,"key":"DB_PASSWORD","target":["production"],"value":"«kR7~vB2xQm9_Tz4w»"}',
    "{ name: 'DB_PASSWORD', value: '«kR7~vB2xQm9_Tz4w»' }",
    '- name: DB_PASSWORD\n  sync: false\n  value: «kR7~vB2xQm9_Tz4w»',
    '{"t":"+{\\n+\\t\\t\\"name\\": \\"DB_PASSWORD\\",\\r\\n+\\t\\t\\"type\\": \\"x\\",\\r\\n+\\t\\t\\"value\\": \\"«kR7~vB2xQm9_Tz4w»\\""}',
    '<property name="password" a="1" b="2" c="3" d="4" value="«aB3x~kQ9mZr7T»"/>',
    '{"t":"name: DB_PASSWORD\\n12\\t \\tb value: «kR7~vB2xQm9_Tz4w»"}',
    '- key: "DB_PASSWORD"\n  sync: false\n  scope: all\n  value: "«kR7~vB2xQm9_Tz4w»"',
  ])('%j', expectFound);

  test.each([
    '<password type="string">password1</password>',
    '<password type="x"><value ref="db2"/></password>',
    '<div id="password" class="hint">Abc123!x</div>',
    '<label for="password" title="a">Kalomi42!x</label>',
    'password type="x">aB3x~kQ9mZr7T',
    '<a title="token" rel="x">v2-beta</a>',
    '<input name="password" class="a" placeholder="Kalomi42!x">',
    '<input name="password" type="password"> <option id="x" value="Kalomi42!x">',
    '{"name":"password","label":{"a":1},"value":"Kalomi42!x"}',
    '{"name":"password"},{"id":"x","value":"Kalomi42!x"}',
    '{"type":"password","id":"x","title":"y","value":"Kalomi42!x"}',
    "{ name: 'nextPageToken', sync: true, value: 'q8ZkP2vX9rT4mW7yB1nC6dF3' }",
    "{ name: 'password', value: 'password' }",
    '<property name="password" a="1" b="2" c="3" d="4" e="5" value="Kalomi42!x"/>',
    '<property name="password" a="1"value="Kalomi42!x"/>',
    '- name: DB_PASSWORD\n- name: HOST2\n  value: Kalomi42!x',
    '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: a\n  value: Kalomi42!x',
    'password\n  sync: false\n  value: Kalomi42!x',
  ])('finds no secret in %j', expectNone);
});

describe('where a text is cut between a name and its value', () => {
  test.each(linkPatterns().map((pattern) => [pattern.source, pattern] as const))(
    'the name is still looked at, with as much before it: %s',
    (_, { source, flags }) => {
      expect(costOf(source, flags.replace('y', '')).length).toBeLessThan(LONGEST_CONTEXT / 2);
    },
  );

  const secret = 'kR7~vB2xQm9_Tz4w';
  const slashes = (count: number): string => '\\'.repeat(count);
  const quote = `${slashes(31)}"`;
  /** As far apart as each may be, and as what is not looked at any more. */
  const most = `${`    ${slashes(15)}n`.repeat(6)}${' '.repeat(24)}`;
  const more = ` ${`${slashes(31)}n`.repeat(23)}`;
  const attributes = (apart: string): string =>
    `${apart}${'a'.repeat(41)}=${quote}${'b'.repeat(160)}${quote}`.repeat(4);
  const members = (apart: string): string =>
    `,${apart}${quote}${'a'.repeat(24)}${quote}:    ${quote}${'b'.repeat(60)}${quote}`.repeat(4);
  const texts = (apart: string): [name: string, text: string][] => [
    [
      'a value among attributes',
      `<a name=${quote}password${quote}${attributes(apart)}${apart}value        =        ${quote}${secret}${quote}/>`,
    ],
    ['an element', `<password${attributes(apart)}    >${secret}</password>`],
    ['an element with a name', `<a id=${quote}password${quote}${attributes(apart)}    >${secret}</a>`],
    [
      'a value among members',
      `{name: ${quote}DB_PASSWORD${quote}${members(apart)},${apart}${quote}value${quote}:    ${quote}${secret}${quote}}`,
    ],
  ];
  const below = (unit: string, times: number): [name: string, text: string] => [
    'a value below its name',
    `name: DB_PASSWORD\n${unit.repeat(times)}${'a'.repeat(19)} value:    ${secret}\n`,
  ];

  /** Length at which a stream outputs a stretch. */
  const STRETCH = 131_072;
  const GIVEN_BACK = STRETCH - 2 * LONGEST_MATCH - 256;
  function expectSameCut(text: string, isFound: boolean): void {
    const whole = redactText(`\n${text}\n`, undefined, labelOf).text;
    expect(whole.includes(secret)).toBe(!isFound);
    const begin = 1 + text.search(/password/i);
    const end = 1 + text.indexOf(secret);
    for (let cut = begin; ; cut = Math.min(end, cut + 331)) {
      const before = 'x '.repeat(GIVEN_BACK / 2).slice(cut);
      const full = `${before}\n${text}\n${' x'.repeat(STRETCH / 2)}`;
      const stream = redactedText(undefined, labelOf);
      const out = stream.push(full.slice(0, STRETCH));
      expect(out.length).toBe(GIVEN_BACK);
      expect(out + stream.push(full.slice(STRETCH)) + stream.end()).toBe(
        `${before}${whole}${' x'.repeat(STRETCH / 2)}`,
      );
      if (cut === end) break;
    }
  }

  test.each([...texts(most), below(`${'a'.repeat(120)}${slashes(31)}t`, 3)])('%s is found all the same', (_, text) =>
    expectSameCut(text, true),
  );
  test.each([...texts(more), below(`${slashes(31)}t`, 140)])('%s is not where it is further away', (_, text) =>
    expectSameCut(text, false),
  );
});
