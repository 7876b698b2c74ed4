// Many texts at once are found like each alone, without comparing each with each.
import { expect, it, vi } from 'vitest';
import { literalFinder, type Stretch } from '../../src/core/stretches.ts';

const token = (index: number): string => `ghp_${(index * 7_919 + 1_000_003).toString(36).padStart(36, 'x')}`;
const tokens = Array.from({ length: 300 }, (_, index) => token(index));
const text = Buffer.from(`${tokens.join('\n')} ghp_ ${tokens.join('')}`);
const order = (one: Stretch, other: Stretch): number => one.start - other.start || one.end - other.end;

it('finds many texts with one beginning, and compares few with each place', () => {
  const finder = literalFinder(new Map(tokens.map((one) => [one, `#${one}`])));
  const compare = vi.spyOn(Buffer.prototype, 'compare');
  const found = finder.find(text);
  const compared = compare.mock.calls.length;
  compare.mockRestore();
  expect(found).toHaveLength(2 * tokens.length);
  expect(compared).toBeLessThan(10 * tokens.length);
});

it('finds many texts of many lengths just as one by one', () => {
  const texts = tokens.map((one, index) => (index % 3 === 0 ? one.slice(-5) : index % 3 === 1 ? `${one}"ü` : one));
  const all = literalFinder(new Map(texts.map((one) => [one, one])));
  const where = Buffer.concat([text, Buffer.from(texts.join('')), Buffer.from(JSON.stringify(texts))]);
  const alone = [...new Set(texts)].flatMap((one) => literalFinder(new Map([[one, one]])).find(where));
  expect(all.find(where).sort(order)).toEqual(alone.sort(order));
});
