// Tests that findings in the latest texts are found again, whatever came in between; there are no more of them than there is room for.
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { engineOf, RecentResults, type RedactionOptions } from '../../src/secrets/options.ts';
import { redactValue } from '../../src/secrets/redact.ts';

const said = `export DB_PASSWORD=Zq7vNw3LmX0bRt8yKd2c ${'and so it goes on '.repeat(8)}`;

test('a text is looked at once, with what was found', () => {
  const options: RedactionOptions = {};
  const first = findSecrets(said, options);
  expect(first).toHaveLength(1);
  expect(findSecrets(`${said.slice(0, 9)}${said.slice(9)}`, options)).toBe(first);
});

test('searches a continued text again, since it may end with the beginning of a secret', () => {
  const options: RedactionOptions = { grows: (key) => key === 'begun' };
  const text = `${'word '.repeat(20)}ghp_Zq7vNw3LmX0bRt8y`;
  expect(findSecrets(text, options)).toEqual([]);
  const { value } = redactValue({ said: text, begun: text }, options, () => '000000');
  expect(value.said).toBe(text);
  expect(value.begun).not.toBe(text);
});

test('a text that a value holds is known to the next one', () => {
  const options: RedactionOptions = {};
  const text = 'plain words of an agent '.repeat(4);
  redactValue({ said: text }, options, () => '000000');
  expect(engineOf(options).recent.get(text)).toEqual([]);
});

test('the oldest go first, and neither short nor very long ones come in', () => {
  const lately = new RecentResults<number>();
  const texts = Array.from({ length: 40 }, (_, index) => String(index).padEnd(20_000, '.'));
  for (const [index, text] of texts.entries()) lately.put(text, index);
  expect(texts.filter((text) => lately.get(text) !== undefined).length).toBeLessThanOrEqual(13);
  expect(lately.get(texts[39] as string)).toBe(39);
  expect(lately.get(texts[0] as string)).toBeUndefined();
  for (const text of ['short', 'x'.repeat(40_000)]) {
    lately.put(text, 1);
    expect(lately.get(text)).toBeUndefined();
  }
});
