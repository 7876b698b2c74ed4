// Tests that values are made of things one by one: each when it is asked for, and no other one is looked at.
import { expect, test } from 'vitest';
import { mapped } from '../../src/agents/shared/document/mapped.ts';

test('is made as it is asked for, and lets go of what it is made from', () => {
  const told: string[] = [];
  const things = function* (): Generator<number> {
    try {
      for (let thing = 1; thing <= 3; thing += 1) {
        told.push(`thing ${thing}`);
        yield thing;
      }
    } finally {
      told.push('closed');
    }
  };
  const made = mapped(things(), (thing) => {
    told.push(`made ${thing}`);
    return 2 * thing;
  });
  for (const double of made) if (double === 4) break;
  expect(told).toEqual(['thing 1', 'made 1', 'thing 2', 'made 2', 'closed']);
  expect([...mapped([1, 2, 3], (thing) => 2 * thing)]).toEqual([2, 4, 6]);
});
