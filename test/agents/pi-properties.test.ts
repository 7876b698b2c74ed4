// Tests every session of pi: what is visible is the live branch, and parts add up to the whole.
import { describe, expect, test } from 'vitest';
import { pi } from '../../src/agents/pi/index.ts';
import { fc } from '../support/property.ts';
import { outcome } from './support/conformance.ts';
import { assemble, linesKept, type Replay, replay, replayRewritten } from './support/replay.ts';
import { type Step, sessionOf, steps, treeOpinion } from './support/trees.ts';

const read = (lines: readonly string[], starts: readonly number[] = []): Replay => replay(lines, starts, false, pi);
const sessions = fc.tuple(steps, fc.boolean()).map(([taken, isOld]) => sessionOf(taken, isOld));

/** Returns the model's view, as texts. */
function sees(result: Replay): string[] {
  const texts = result.visible.flatMap((id) => {
    const found = (result.messages.get(id)?.parts ?? []).flatMap((part) =>
      part['type'] === 'text' ? [part['text']] : [],
    );
    return found.length > 0 ? [found.join('|')] : [];
  });
  return texts.sort();
}

describe('sessions of every shape', () => {
  test('what is visible is the live branch, and tokens count once', () => {
    fc.assert(
      fc.property(sessions, (lines) => {
        const whole = read(lines);
        const opinion = treeOpinion(lines);
        expect(sees(whole)).toEqual(opinion.sees);
        expect(whole.apiMessages).toBe(opinion.apiMessages);
        for (const [key, value] of Object.entries(opinion.usage)) expect(whole.usage[key] ?? 0).toBe(value);
        expect(linesKept(whole)).toBe(lines.length);
        const parts = [...whole.messages.values()].flatMap((message) => message.parts);
        expect(parts.filter((part) => part['state'] === 'input-available')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('read in parts, it is the same session', () => {
    fc.assert(
      fc.property(sessions, fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }), (lines, cuts) => {
        const starts = cuts.map((cut) => 1 + (cut % lines.length)).filter((start) => start < lines.length);
        expect(outcome(read(lines, starts))).toEqual(outcome(read(lines)));
      }),
      { numRuns: 300 },
    );
  });

  test('a rewritten file with the same or fewer lines adds nothing; with more lines, it adds only those', () => {
    fc.assert(
      fc.property(sessions, fc.nat(100), (lines, cut) => {
        const some = lines.slice(0, 1 + (cut % lines.length));
        const before = read(some);
        expect(replayRewritten(before, some, pi)).toEqual([]);
        expect(replayRewritten(before, some.slice(0, cut % some.length), pi)).toEqual([]);
        const again = assemble([...before.events, ...replayRewritten(before, lines, pi)]);
        const after = read(lines);
        expect(new Set(again.visible)).toEqual(new Set(after.visible));
        expect(again.usage).toEqual(after.usage);
        expect(again.derived).toEqual(after.derived);
        expect(linesKept(again)).toBe(lines.length);
      }),
      { numRuns: 300 },
    );
  });

  test('a new part of an ordinary file is read without a look into what is kept', () => {
    const kinds = ['prompt', 'calls', 'results', 'results', 'answer', 'label', 'prompt', 'answer'] as const;
    const lines = sessionOf(
      kinds.map((kind): Step => ({ kind, pick: 5 })),
      false,
    );
    const parts = read(
      lines,
      lines.map((_, index) => index).filter((index) => index > 0),
    );
    expect(parts.looks).toBe(0);
    expect(outcome(parts)).toEqual(outcome(read(lines)));
  });
});
