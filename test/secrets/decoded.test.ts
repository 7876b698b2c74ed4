// Values of decoded JSON are redacted as the text of it is: what stands around a secret counts, whether it is parsed or not.
import { describe, expect, test } from 'vitest';
import { redactText, redactValue } from '../../src/secrets/redact.ts';
import { LONGEST_MATCH } from '../../src/secrets/rule.ts';
import { redactedText } from '../../src/secrets/stream.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';
import { labelOf } from '../support/secrets-text.ts';

const chance = new Chance(47);
const basic = (): string => Buffer.from(fill('deploy:{20:b}', chance)).toString('base64');

/** A JSON text, with and without what is secret in it. */
function parts(template: string): { json: string; secret: string } {
  const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
  return { json: before + secret + after, secret };
}

const decoded = (json: string): string =>
  JSON.stringify(redactValue(JSON.parse(json), undefined, labelOf).value as unknown);
const asText = (json: string): string => redactText(json, undefined, labelOf).text;

/** Every way to write the same. */
const WAYS: Readonly<Record<string, (json: string) => string>> = {
  decoded,
  'as a line': (json) => JSON.stringify(JSON.parse(asText(json))),
  'over many lines': (json) => JSON.stringify(JSON.parse(asText(JSON.stringify(JSON.parse(json), null, 2)))),
  'in JSON': (json) => JSON.stringify(JSON.parse(JSON.parse(asText(JSON.stringify({ t: json }))).t)),
};

const SAME: readonly string[] = [
  `{"auths":{"ghcr.io":{"auth":"«${basic()}»"}}}`,
  '{"data":{".dockerconfigjson":"«eyJ{60:b}»"}}',
  '{"headers":{"Cookie":"session=«{20:b}»"}}',
  '{"headers":{"Authorization":"«{40:h}»"}}',
  '{"headers":[["x-api-key","«{20:b}»"]]}',
  '{"Name":"DB_PASSWORD","Value":"«{20:b}»"}',
  '{"ParameterKey":"DBPassword","ParameterValue":"«{20:b}»"}',
  '["sshpass","-p","«{20:b}»","ssh","h"]',
  '["curl","-s","-u","admin:«{20:b}»","https://x.example.net"]',
  '["curl","--user=admin:«{20:b}»"]',
  '["mysql","-uroot","-p«{20:b}»"]',
  '["redis-cli","-h","cache","-a","«{20:b}»"]',
  '["docker","login","-u","u","-p","«{20:b}»"]',
  '["/usr/bin/mongosh","-u","root","-p","«{20:b}»"]',
  '{"cookies":[{"name":"sessionid","value":"«{20:b}»"}]}',
  '{"password":{"value":"«{20:b}»"}}',
  '{"db_password":{"sensitive":true,"type":"string","value":"«{20:b}»"}}',
  '{"keyName":"key1","permissions":"FULL","value":"«{86:s}==»"}',
  '{"db":{"password":«9302847561029384»}}',
];

describe.each(Object.entries(WAYS))('%s', (way, redact) => {
  test.each(SAME)('%s', (template) => {
    const { json, secret } = parts(template);
    const text = redact(json);
    expect(text).not.toContain(secret);
    // The text around it stays, and a number has the quotes of a text now.
    const bare = text.replace(/\[redacted:[a-z-]+:[0-9a-f]+\]/, '');
    expect(bare, way).toBe(JSON.stringify(JSON.parse(json.replace(/^(.*":)[0-9]{16}/, '$1""').replace(secret, ''))));
  });
});

describe('decoded alone', () => {
  test.each(['{"passwords":["a","«{20:b}»"]}', '{"api_keys":["«{32:h}»"]}', '{"db":{"password":«93028475»}}'])(
    '%s',
    (template) => {
      const { json, secret } = parts(template);
      expect(decoded(json)).not.toContain(secret);
    },
  );

  test.each([
    '{"password_min":93028475,"tokens":93028475}',
    '{"password":12345678}',
    '{"password":1769040000123}',
    '{"password":4096}',
    '{"author":"k8Zr2Lw9Qx4Tn6Vbk8Zr2Lw9"}',
    '{"session_id":"k8Zr2Lw9Qx4Tn6Vbk8Zr2Lw9"}',
    '{"name":"session","value":"k8Zr2Lw9Qx4Tn6Vbk8Zr2Lw9"}',
    '["git","log","-p","a1b2c3d4e5f6"]',
    '["grep","-u","file:Kalomi42x"]',
    '["password","Kalomi42!x","created_at2"]',
    '{"AWS::AppSync::ApiKey":"ff2b807a577495b0"}',
    '{"cache_key":"password:config:479086"}',
  ])('finds no secret in %s', (json) => expect(decoded(json)).toBe(json));

  test('keeps structure whatever is around it', () => {
    const options = {
      placeOf: () => ({ own: new Map([['auth', /^/]]), inside: new Map(), other: null, keepsWords: true }),
    };
    const value = { auth: basic(), inner: { cookie: 'a=1' } };
    expect(redactValue(value, options, labelOf).value).toBe(value);
  });

  test('what is found in both ways is counted once', () => {
    const { value, findings } = redactValue(
      { cookie: fill('connect.sid=s%3A{32:u}.{43:b}; session={40:b}', chance) },
      undefined,
      labelOf,
    );
    expect(value.cookie).toMatch(/^connect\.sid=\[redacted:[^\]]+\]; session=\[redacted:[^\]]+\]$/);
    expect(findings).toEqual({ 'session-cookie': 2 });
  });
});

describe('a number of JSON', () => {
  const own = [{ name: 'account', pattern: '4567' }];
  const redact = (text: string): string => redactText(text, { own }, () => '00c0ffee').text;

  test.each([
    ['{"pin":123456789,"n":1}', '{"pin":"[redacted:account:00c0ffee]","n":1}'],
    ['{"pin": -4567.25 }', '{"pin": "[redacted:account:00c0ffee]" }'],
    ['{\n  "pin":\n    4567\n}', '{\n  "pin":\n    "[redacted:account:00c0ffee]"\n}'],
    ['{"t":"{\\"pin\\":14567}"}', '{"t":"{\\"pin\\":\\"[redacted:account:00c0ffee]\\"}"}'],
    [
      '{"t":"{\\n \\"password\\": 9302847561029384\\n}"}',
      '{"t":"{\\n \\"password\\": \\"[redacted:password:00c0ffee]\\"\\n}"}',
    ],
    // No JSON: nothing but the secret changes.
    ['pin: 14567', 'pin: 1[redacted:account:00c0ffee]'],
    ['the "pin": 14567 of ours', 'the "pin": 1[redacted:account:00c0ffee] of ours'],
    ['{"pin":"14567"}', '{"pin":"1[redacted:account:00c0ffee]"}'],
    ['{"pin":14567abc}', '{"pin":1[redacted:account:00c0ffee]abc}'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  test('is allowed by what the pattern matched', () => {
    expect(redactText('{"pin":14567}', { own, allow: ['4567'] }, labelOf).text).toBe('{"pin":14567}');
  });
});

test('a number of JSON across the place where a stretch of a stream ends', () => {
  const own = [{ name: 'account', pattern: '4567' }];
  const once = redactText('{"pin":123456789,"n":1}', { own }, () => '00c0ffee').text;
  const before = '.'.repeat(131_072);
  for (let shift = 0; shift < 48; shift += 1) {
    const stream = redactedText({ own }, () => '00c0ffee');
    // The stream is sure of what is so far from its end.
    const after = '.'.repeat(2 * LONGEST_MATCH + 256 - shift + 12);
    const text = stream.push(`${before}{"pin":123456789,"n":1}${after}`) + stream.end();
    expect(text === before + once + after, String(shift)).toBe(true);
  }
});
