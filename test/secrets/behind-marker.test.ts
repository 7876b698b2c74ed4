// Behind a marker, code and values are told from each other as they were before, and nothing changes the second time.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';

const found = (text: string): string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));

/** All that is found is what `«` and `»` stand around. */
function expectMarked(template: string): void {
  const [before = '', secret = '', after = ''] = template.split(/[«»]/);
  expect(found(before + secret + after)).toEqual([secret].filter((one) => one !== ''));
}

const SECRET = 'Kalomi42!x';
const DOTTED = 'aB3.xY9.zQ2';

describe('behind a marker', () => {
  const marker = '[redacted:secret:00c0ffee]';

  test.each([
    'see [redacted: below, X-Api-Key: «yg9yQ3rT7wLm2KpZ8s»',
    'see [redacted:secret:none], X-Api-Key: «yg9yQ3rT7wLm2KpZ8s»',
    `Authorization: Bearer ${marker}, X-Api-Key: «yg9yQ3rT7wLm2KpZ8s»`,
    `X-Api-Key: ${marker}, X-Db-Password: «${DOTTED}», Host: db`,
    `set: {user=${marker}} db_password=«Xk9qW2zLp81mN»`,
    `user=${marker} db_password=«${DOTTED}» host=db`,
    `{user=${marker}, db_password=«${DOTTED}»}`,
    `User(name=${marker}, password=«${DOTTED}», age=3)`,
    `{User:${marker} Password:«${DOTTED}» Host:x}`,
    `--set db.user=${marker},db.password=«${DOTTED}»,db.x=1`,
    `"Server=a;db.user=${marker};db.password=«${DOTTED}»;"`,
    `Password=«${DOTTED}»;User=${marker}`,
    `user: ${marker}, password: «${DOTTED}», host: db`,
    `auth: { user: ${marker}, password: «${DOTTED}» }`,
    `- token: ${marker} # password: «${DOTTED}»`,
    `token="${marker}" PASSWORD="«+Zk3xQ9vB7mT2pL8R4wY=»"`,
    `token="${marker}" password="«+aB3xY9+»"`,
    `t="${marker}",x=a?"password: «${SECRET}»":b`,
  ])('a value is found: %s', expectMarked);

  const secrets = [
    SECRET,
    'Kalo#mi9',
    'sk-proj-aB3kZ9qX2pL7bQ8wX3yZaB3kZ9qX2pL7bQ8w',
    `${'aB3kZ9qX2pL7b'.repeat(24)}Q8`,
  ];
  const code = [
    'x=a?`password`:b.kind===`text`',
    'x=a?"Enter the password":b.k2Q9z',
    'x=a ? cfg.password : cfg.b2Xy9z',
    'x={password:b4.z7.kX2Qq9,token:Q4z}',
    'f({user:e.u,password:b4.z7.kX2Qq9})',
    'f({ password: cfg.b2Xy9z })',
    "x={'password':a1.b2Xy9,'token':t2}",
    'x={password:kZ9xQ2(3)}',
    'const{password:aE3k9Z,token:kZ9}=e',
    'e.k(),e.password=t.b2Xy9,n.x=3',
    'let password=aE3.kZ9,b=2;',
    'switch(e){case"password":t.k2=e.Zq9;break}',
    'a.createElement("label",null,"Password:"),K?a.createElement("b"):0',
    't("Enter the (new) password: "+e.k2Z9x+", ")',
  ];

  test.each(code)('code stays what it was: %s', (statement) => {
    for (const value of secrets) {
      for (const line of [
        `e=>f({password:"${value}"});${statement}`,
        `e=>f({password:"${value}",n:!0,...e}),${statement}`,
        `e=>{${'k.q(1);'.repeat(50)}k({secret:'${value}',password:"${value}"});${statement}`,
      ])
        for (const text of [line, JSON.stringify({ text: line })]) {
          const once = redactText(text, undefined, () => '00c0ffee').text;
          expect(once).toMatch(/\[redacted:/);
          expect(redactText(once, undefined, () => '00c0ffee').text).toBe(once);
          // Code in front of it is no value.
          expect(once.slice(once.lastIndexOf('00c0ffee]'))).toContain(
            text === line ? statement : JSON.stringify(statement).slice(1, -1),
          );
        }
    }
  });

  test('a secret with signs of code in it makes none of what follows', () => {
    for (const value of ['aB3x=>9kZ', 'aB3x(){9kZ', 'aB3({x9kZ'])
      for (const quote of ['"', "'"]) {
        const line = `user=joe,password=${quote}«${value}»${quote},db.password=«${DOTTED}»,x=1`;
        const [text, secrets] = [line.replace(/[«»]/g, ''), [value, DOTTED]];
        expect(found(text)).toEqual(secrets);
        expect(found(text.replace(value, marker))).toEqual([DOTTED]);
      }
  });

  test('what it may have taken was no value either', () => {
    expect(found(`${marker}"password":t.k7=e.Mmlt+1;`)).toEqual([]);
    expect(found(`${marker}"Enter the password":b.k2Q9z`)).toEqual([]);
    expect(found(`${marker}{password:aE3k9Z,token:kZ9}=e`)).toEqual([]);
  });
});
