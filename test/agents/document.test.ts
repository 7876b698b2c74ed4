// Documents as they are gone through: in pieces of any size, whatever is wrong with them, and never as a whole.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DocumentBytes } from '../../src/agents/contract/agent.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { documentOf, elementsOf, fieldsOf, readDocument } from '../../src/agents/shared/document/document.ts';
import { LINE_LIMIT } from '../../src/core/lines.ts';
import { replay } from './support/replay.ts';
import { lineInDocument, unfoldText } from './support/unfold.ts';

/** The same bytes in pieces of so many; each is only valid until the next one is asked for. */
function inPieces(text: string, size: number): DocumentBytes {
  const whole = documentOf(text);
  return {
    ...whole,
    *pieces() {
      const bytes = Buffer.from(text);
      const piece = Buffer.alloc(size);
      for (let at = 0; at < bytes.length; at += size) yield piece.subarray(0, bytes.copy(piece, 0, at, at + size));
    },
  };
}

const look = (bytes: DocumentBytes) => {
  const document = readDocument(bytes, 'list');
  if (!document) return null;
  const { hasList, isWhole, restAt } = document;
  return { hasList, isWhole, restAt, fields: fieldsOf(document), elements: [...elementsOf(document)] };
};

const element = fc.oneof(fc.json({ maxDepth: 3 }), fc.constantFrom('{"a":"}]\\"é"}', '1.5e3', 'nul', '{', '"\\'));

test('what is in a document does not depend on the pieces that it comes in', () => {
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 6 }),
      fc.json({ maxDepth: 2 }),
      fc.constantFrom('', '\ufeff', '\n '),
      fc.nat(400),
      fc.integer({ min: 1, max: 9 }),
      (elements, field, before, end, size) => {
        const text = `${before}{"a":${field},"list":[${elements.join(', ')}],"é":1}\n`.slice(0, end);
        expect(look(inPieces(text, size))).toEqual(look(documentOf(text)));
      },
    ),
    { numRuns: 500 },
  );
});

test.each<[string, string, unknown]>([
  ['values', '{"a":[{"b":"]"}],"list":[1, "x" ,{"c":null}],"d":false}', { a: [{ b: ']' }], d: false }],
  ['a field twice', '{"a":1,"list":[1, "x" ,{"c":null}],"a":2}', { a: 2 }],
  ['two lists', '{"list":[1, "x"],"list":[{"c":null}]}', {}],
])('%s: fields, and elements on lines', (_name, text, fields) => {
  expect(look(documentOf(text))).toMatchObject({ fields, elements: ['1', '"x"', '{"c":null}'], isWhole: true });
});

describe('every part of a document is kept or named', () => {
  const problemsOf = (text: string) => replay(unfoldText(gemini, text) ?? [], [], false, gemini).problems;

  test('a field without a value becomes a line of its own', () => {
    const text = '{"sessionId":"s","odd":{"a":tru},"messages":[]}';
    expect(unfoldText(gemini, text)).toEqual(['{"sessionId":"s"}', '"odd": {"a":tru}']);
    expect(problemsOf(text)).toMatchObject([{ line: 2, message: expect.stringMatching(/^is not JSON/) }]);
  });

  test('what follows a document is named, and messages in it are read', () => {
    const message = (id: string) => ({ id, timestamp: '2026-11-20T10:00:00.000Z', type: 'user', content: `Say ${id}` });
    const chat = JSON.stringify({ sessionId: 's', projectHash: 'p', messages: [message('a')] });
    const told = (rest: string) => replay(unfoldText(gemini, `${chat}${rest}`) ?? [], [], false, gemini);
    for (const rest of ['\n{"foo":1}\n', '{"foo":1}', '\n{"foo":1}\n{"bar":\n']) {
      const result = told(rest);
      expect(result.moves).toEqual(['prompt Say a', 'turn']);
      expect(result.problems).toMatchObject([{ line: 3, message: expect.stringMatching(/^is not JSON/) }]);
      expect(JSON.stringify(result.bodies)).toContain('\\"foo\\":1');
    }
    expect(lineInDocument(gemini, `${chat}\n{"foo":1}\n`, 3)).toBe(2);
    const glued = told(`\n${JSON.stringify(message('b'))}\n${JSON.stringify(message('c'))}\n`);
    expect(glued.moves).toEqual(['prompt Say a', 'turn', 'prompt Say b', 'turn', 'prompt Say c', 'turn']);
    expect(glued.problems).toHaveLength(1);
  });

  test('what is too long for a line is a line that is', () => {
    const long = `"${'x'.repeat(LINE_LIMIT)}"`;
    const lines = unfoldText(gemini, `{"sessionId":"s","odd":${long},"messages":[{"id":${long}},{"id":"b"}]}`) ?? [];
    expect(lines.map((line) => line.length > LINE_LIMIT)).toEqual([false, true, true, false]);
  });

  test('reads an endless list of fields up to a limit, and keeps the rest unchanged', () => {
    const fields = Array.from({ length: 10_050 }, (_, index) => `"f${index}":1`).join();
    const document = readDocument(documentOf(`{${fields}}`), 'messages');
    expect(document?.fields.size).toBe(10_000);
    expect(document?.isWhole).toBe(false);
  });
});

test('a repeated early message adds only what is new, beyond the number of messages held in full', () => {
  const at = (number: number): string => new Date(1_795_000_000_000 + number * 1000).toISOString();
  const answer = (number: number, text: string): string => {
    const tokens = { input: number, output: 1, cached: 0, thoughts: 0, tool: 0 };
    return JSON.stringify({ id: `m${number}`, timestamp: at(number), type: 'gemini', content: text, tokens });
  };
  // With the next prompt all that was said before is given.
  const prompt = JSON.stringify({ id: 'p', timestamp: at(300), type: 'user', content: 'Go on.' });
  const lines = [...Array.from({ length: 200 }, (_, number) => answer(number, `Words ${number}`)), prompt];
  const once = replay(lines, [], false, gemini);
  const again = replay([...lines, answer(3, 'Words 3'), answer(4, 'Other words')], [], false, gemini);
  const parts = (result: typeof once) => result.bodies.filter(({ kind }) => kind === 'part');
  expect(parts(once)).toEqual([]);
  expect(parts(again)).toMatchObject([{ message_id: 'm4', part: { type: 'text', text: 'Other words' } }]);
  expect(again.usage).toEqual(once.usage);
});
