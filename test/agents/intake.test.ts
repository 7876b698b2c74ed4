// However the hooks of a conversation, its transcript, a copy of it and a kill follow each other: each event is kept once. More, and recorded days: test/fuzz/intake.test.ts.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fc } from '../support/property.ts';
import { ROOT } from '../support/store.ts';
import { aloneOf, expectEachOnce, interleaving } from './support/each-once.ts';
import { Conversation, dayOfDocument, dayOfOurs } from './support/interleavings.ts';

test.each(
  [dayOfOurs(), dayOfDocument(join(ROOT, 'fixtures', 'opencode', 'door.json'))].map((day) => [day.name, day] as const),
)('%s', async (_name, day) => {
  const alone = await aloneOf(day);
  expect([alone.hooks.calls.size, alone.transcript.messages.size].every((size) => size >= 4)).toBe(true);
  await fc.assert(
    fc.asyncProperty(interleaving, (each) => expectEachOnce(day, alone, each)),
    { numRuns: 15 },
  );
});

test('a hook that reports each event twice, and a transcript that is read after it, and before', async () => {
  const day = dayOfOurs();
  const kept = async (turns: Parameters<Conversation['run']>[0], isHooksFirst: boolean): Promise<unknown> => {
    const conversation = new Conversation(day);
    await conversation.run(turns, isHooksFirst);
    const { deeds, messages } = conversation.kept();
    return [[...deeds].sort(), messages.size];
  };
  const once = [
    [
      ['toolu_01Command00000000000 command npm test', 1],
      ['toolu_01Command00000000001 command npm test', 1],
      ['toolu_01Written00000000000 write src/retry-0.ts', 1],
      ['toolu_01Written00000000001 write src/retry-1.ts', 1],
    ],
    day.texts.length - 4,
  ];
  expect(await kept(Array(9).fill({ do: 'twice' }), true)).toEqual(once);
  expect(await kept([{ do: 'write', lines: 99 }, { do: 'read' }], false)).toEqual(once);
});
