// However the hooks of a recorded conversation, its transcript, a copy of it and a kill follow each other: each event is kept once.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { aloneOf, expectEachOnce, interleaving } from '../agents/support/each-once.ts';
import { dayOfDocument, recordedDays } from '../agents/support/interleavings.ts';
import { fc } from '../support/property.ts';
import { ROOT } from '../support/store.ts';
import { runs } from './fuzz.ts';

const SHARED = join(ROOT, '..', 'shared');
const hasRecorded = existsSync(join(SHARED, 'payloads'));
const days = [
  ...(hasRecorded ? ['claude-code', 'codex', 'gemini', 'pi'].flatMap((agent) => [...recordedDays(SHARED, agent)]) : []),
  dayOfDocument(join(ROOT, 'fixtures', 'opencode', 'door.json')),
];

describe(`each event once${hasRecorded ? '' : ' (recorded days skipped: there are none beside the project)'}`, () => {
  test.each(days.map((day) => [day.name, day] as const))(
    '%s',
    async (_name, day) => {
      const alone = await aloneOf(day);
      await fc.assert(
        fc.asyncProperty(interleaving, (each) => expectEachOnce(day, alone, each)),
        runs(day.hooks.length > 20 ? 6 : 14),
      );
    },
    1_800_000,
  );
});
