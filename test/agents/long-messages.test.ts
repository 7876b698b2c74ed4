// A message of very many parts takes time as they do, and not as their square: counted is how often any of them is looked at.
import { expect, test } from 'vitest';
import { Conversation } from '../../src/agents/shared/conversation.ts';
import { Outbox } from '../../src/agents/shared/outbox.ts';
import type { ToolPart } from '../../src/agents/shared/parts.ts';
import type { Dialect, VersionMessage } from '../../src/agents/shared/versions/dialect.ts';
import { VersionReader } from '../../src/agents/shared/versions/reader.ts';

const PARTS = 500;
/** Most looks at one part. */
const LOOKS = 20;

let looks = 0;

/** Counts the reads of the type of a part. */
function watched<Value extends { type: string }>(part: Value): Value {
  const { type } = part;
  return Object.defineProperty(part, 'type', {
    enumerable: true,
    get: () => {
      looks += 1;
      return type;
    },
  });
}

const numbers = Array.from({ length: PARTS }, (_, index) => index);

const call = (id: string): ToolPart => ({
  type: 'dynamic-tool',
  toolName: 'list',
  toolCallId: id,
  state: 'input-available',
  input: null,
});

test('the texts of a message that is recorded in its current form', () => {
  looks = 0;
  const parts = numbers.map((index) => ({
    key: `p${index}`,
    part: watched({ type: 'text' as const, text: `Text ${index}.` }),
  }));
  const message: VersionMessage = {
    ...{ id: 'm', role: 'assistant', at: 1, parts, prompt: null, metadata: {} },
    ...{ isStopped: false, continues: false },
  };
  const dialect: Dialect = {
    agent: 'any',
    read: () => ({ records: [{}], problem: null, rest: null }),
    meaningOf: () => ({ message, line: {} }),
    derive: () => [],
    question: () => null,
    answer: () => null,
  };
  const reader = new VersionReader(dialect, null);
  const events = [...reader.line('', 1), ...reader.end()];
  const done = events.find((event) => event.type === 'move');
  expect(done).toMatchObject({ verb: 'done', text: expect.stringMatching(/^Text 0\.[\s\S]*Text 499\.$/) });
  expect(looks).toBeLessThan(PARTS * LOOKS);
});

test('the calls of a message, whose results come last call first', () => {
  looks = 0;
  const outbox = new Outbox();
  const conversation = new Conversation(outbox, 0);
  const about = { id: 'm', role: 'assistant', at: 1, isSide: false, line: null, metadata: {} } as const;
  for (const index of numbers) conversation.add({ ...about, lineId: `l${index}`, parts: [watched(call(`c${index}`))] });
  for (const index of numbers.toReversed()) {
    const open = conversation.call(`c${index}`);
    const result = { callId: `c${index}`, content: `${index}`, text: `${index}`, failed: false, structured: undefined };
    if (open) conversation.finish(open, result, 2, null);
  }
  conversation.closeCalls(3);
  outbox.flush();
  expect(outbox.take()).toMatchObject([
    { body: { message: { parts: numbers.map((index) => ({ output: `${index}` })) } } },
  ]);
  expect(looks).toBeLessThan(PARTS * LOOKS);
});
