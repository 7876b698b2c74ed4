// Values that stand not right beside their names: other attributes, members or lines are between.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/core/redaction/find.ts';
import { Chance, fill } from '../../support/secrets-corpus.ts';

const chance = new Chance(31);
/** What is found in a template, and what should be: `«` and `»` stand around it. */
function look(template: string): { found: string[]; secret: string } {
  const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
  const text = before + secret + after;
  return { found: findSecrets(text).map(({ start, end }) => text.slice(start, end)), secret };
}
function expectFound(template: string): void {
  const { found, secret } = look(template);
  expect(found).toEqual([secret]);
}
const expectNone = (text: string): void =>
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([]);

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
    '- name: DB_PASSWORD\n- name: HOST2\n  value: Kalomi42!x',
    '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: a\n  value: Kalomi42!x',
    'password\n  sync: false\n  value: Kalomi42!x',
  ])('but not %j', expectNone);
});
