// Holds an interleaving of a conversation's sources against what each of them gives alone: each event is kept once.
import { expect } from 'vitest';
import { fc } from '../../support/property.ts';
import { fsck } from '../../support/store.ts';
import { Conversation, type Day, type Kept, namesCalls, type Turn } from './interleavings.ts';

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Turn>({ do: 'hook' }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }).map((lines): Turn => ({ do: 'write', lines })) },
  { weight: 1, arbitrary: fc.integer({ min: 7, max: 60 }).map((lines): Turn => ({ do: 'write', lines })) },
  { weight: 2, arbitrary: fc.constant<Turn>({ do: 'twice' }) },
  { weight: 1, arbitrary: fc.constant<Turn>({ do: 'read' }) },
  { weight: 1, arbitrary: fc.constant<Turn>({ do: 'copy' }) },
  { weight: 1, arbitrary: fc.nat(40).map((at): Turn => ({ do: 'kill', at })) },
);

/** An interleaving: what is done first, and whether the hooks or the transcript come first of what is left then. */
export const interleaving = fc.record({
  turns: fc.array(turn, { maxLength: 40, size: 'max' }),
  isHooksFirst: fc.boolean(),
});
export type Interleaving = typeof interleaving extends fc.Arbitrary<infer Value> ? Value : never;

/** Result of each source of a day alone. */
export interface Alone {
  hooks: Kept;
  transcript: Kept;
}

export async function aloneOf(day: Day): Promise<Alone> {
  const [hooks, transcript] = [new Conversation(day), new Conversation(day)];
  await hooks.runHooks();
  transcript.runTranscript();
  return { hooks: hooks.kept(), transcript: transcript.kept() };
}

/** Returns the larger count of each key. */
function most(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): Map<string, number> {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return new Map([...keys].map((key) => [key, Math.max(one.get(key) ?? 0, other.get(key) ?? 0)]));
}

/** Runs an interleaving, and expects each event once. */
export async function expectEachOnce(day: Day, alone: Alone, { turns, isHooksFirst }: Interleaving): Promise<void> {
  const conversation = new Conversation(day);
  await conversation.run(turns, isHooksFirst);
  const kept = conversation.kept();
  expect(kept.ids.filter((id, index) => kept.ids.indexOf(id) !== index)).toEqual([]);
  // Some agents' messages have ids of ctx's own, made of their text, which names the folder of the test.
  expect([...kept.messages].filter(([, times]) => times > 1)).toEqual([]);
  expect(kept.messages.size).toBe(alone.transcript.messages.size);
  expect(kept.lines).toBe(alone.transcript.lines);
  expect(kept.early).toEqual([]);
  const counts = (of: Kept): ReadonlyMap<string, number> => (namesCalls(day.agent) ? of.deeds : of.acts);
  const expected = most(counts(alone.hooks), counts(alone.transcript));
  const tooOften = [...counts(kept)].filter(([key, times]) => times > (expected.get(key) ?? 0));
  expect(tooOften).toEqual([]);
  const isWhole = conversation.lost.size === 0;
  // A killed report is made by nobody again.
  const calls = isWhole ? [...alone.hooks.calls, ...alone.transcript.calls] : [...alone.transcript.calls];
  expect(calls.filter((call) => !kept.calls.has(call) && namesCalls(day.agent))).toEqual([]);
  const least = isWhole ? expected : counts(alone.transcript);
  if (!namesCalls(day.agent))
    expect([...least].filter(([key, times]) => (kept.acts.get(key) ?? 0) < times)).toEqual([]);
  expect(fsck(conversation.project.store)).toBe('');
}
