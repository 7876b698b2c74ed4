// The other half of an exchange.
import { expect, test } from 'vitest';
import { otherHalf } from '../../src/catalog/find/replies.ts';

type Halves = Parameters<typeof otherHalf>[0];
const half = (kind: Halves[number]['kind'], turn = 0, role: Halves[number]['role'] = 'assistant'): Halves[number] => {
  return { kind, turn, role };
};
const halves: Halves = [
  half('prompt', 1, 'user'),
  half('answer', 1),
  half('answer', 1),
  half('prompt', 2, 'user'),
  half('question', 2),
  half('note', 2),
  half('note', 2, 'user'),
  half('question', 2),
  half('question', 2),
  half('note', 2, 'user'),
  half('note', 2, 'user'),
  half('answer', 3),
];

test.each([
  ['a prompt has the last answer of its turn', 0, 2],
  ['an answer has the prompt of its turn', 1, 0],
  ['a prompt that nobody answered', 3, -1],
  ['a question has what the user said next', 4, 6],
  ['what the user said has the question before it', 6, 4],
  ['a note of the agent', 5, -1],
  ['a question that was followed by another', 7, -1],
  ['an answered question', 8, 9],
  ['what the user said without a question', 10, -1],
  ['an answer that nobody asked for', 11, -1],
])('%s', (_what, place, other) => expect(otherHalf(halves, place)).toBe(other));
