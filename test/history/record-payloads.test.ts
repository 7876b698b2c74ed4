// A record made light: what its long texts leave behind, and what is written for them.
import { expect, test } from 'vitest';
import type { StoredRecord } from '../../src/core/records/record.ts';
import type { ObjectWriter } from '../../src/git/objects/payload.ts';
import { compactRecord } from '../../src/history/chain/record-payloads.ts';
import { sha256 } from '../../src/platform/hash.ts';

/** A keeper that tells what it was given. */
function listener(): ObjectWriter & { written: string[] } {
  const written: string[] = [];
  return {
    written,
    write: (_type, content) => `${written.push(content.toString('utf8'))}`.padStart(40, '0'),
  };
}

const LONG = 'What the user said when they cut in. '.repeat(200);
const note = (id: string, content: string): StoredRecord => ({ version: 1, id, kind: 'note', at: 1, content });

test('a long text that is in two records one after the other is written once, and each names it as its own', () => {
  const keeper = listener();
  const names = ['one', 'two'].map((id) => {
    const { record, payloads } = compactRecord(keeper, note(id, LONG));
    expect(record.content).toMatchObject({ payload: `${id}-content`, sha256: sha256(LONG), bytes: LONG.length });
    expect(payloads.map(({ oid }) => oid)).toEqual(['1'.padStart(40, '0')]);
    return payloads.map(({ name }) => name);
  });
  expect(keeper.written).toEqual([LONG]);
  expect(names).toEqual([['one-content'], ['two-content']]);
});

test('a text that is too large to be held is written each time', () => {
  const keeper = listener();
  for (const id of ['one', 'two']) compactRecord(keeper, note(id, 'x'.repeat(65_537)));
  expect(keeper.written).toHaveLength(2);
});

test('another text is written by itself, and another keeper is given all of its own', () => {
  const [keeper, other] = [listener(), listener()];
  for (const text of [LONG, `${LONG}!`, LONG]) compactRecord(keeper, note('one', text));
  expect(keeper.written).toEqual([LONG, `${LONG}!`, LONG]);
  compactRecord(other, note('one', LONG));
  expect(other.written).toEqual([LONG]);
});

test('a value that goes as a whole takes its long texts along: by themselves nothing would name them', () => {
  const keeper = listener();
  const message = { text: LONG, rows: Array.from({ length: 3000 }, (_, row) => ({ name: `row ${row}` })) };
  const { record, payloads } = compactRecord(keeper, { version: 1, id: 'one', kind: 'message', at: 1, message });
  expect(record.message).toMatchObject({ payload: 'one-value-message', encoding: 'json' });
  expect(payloads.map(({ name }) => name)).toEqual(['one-value-message']);
  expect(keeper.written).toEqual([JSON.stringify(message)]);
});

test('two values that would have one name are both kept', () => {
  const keeper = listener();
  const [first, second] = ['first', 'second'].map((word) => Array.from({ length: 1500 }, (_, at) => `${word} ${at}`));
  const whole = { version: 1, id: 'one', kind: 'my.tool', at: 1, 'exit-codes': first, exit_codes: second } as const;
  const { record, payloads } = compactRecord(keeper, whole as unknown as StoredRecord);
  expect(payloads.map(({ name }) => name)).toEqual(['one-value-exit_codes', 'one-value-exit_codes-2']);
  expect(keeper.written).toEqual([JSON.stringify(second), JSON.stringify(first)]);
  expect(record).toMatchObject({
    'exit-codes': { payload: 'one-value-exit_codes-2', sha256: sha256(JSON.stringify(first)) },
    exit_codes: { payload: 'one-value-exit_codes', sha256: sha256(JSON.stringify(second)) },
  });
});
