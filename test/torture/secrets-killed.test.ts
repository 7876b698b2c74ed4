// Commands that write secrets, killed at many of their calls: test/cli/secrets.test.ts kills them at a few.
import { beforeAll, expect, test } from 'vitest';
import type { Repo } from '../support/cli.ts';
import { isKilledCleanly, KILLED, modeAt, seededSession } from '../support/seeded.ts';

let base: Repo;
beforeAll(() => {
  base = seededSession();
});

test.each(KILLED)('ctx %s, killed, leaves no secret', { timeout: 300_000 }, (_name, line, input) => {
  let killed = 0;
  for (let at = 1; at < 400; at += at < 12 ? 5 : 29) {
    if (isKilledCleanly(base, at, line, input)) killed += 1;
    else if (modeAt(at) === 'kill') break;
  }
  expect(killed).toBeGreaterThan(1);
});
