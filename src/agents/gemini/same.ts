/** Decides whether a call that a hook of Gemini CLI has reported, without an id, is one of the transcript. */
import { type IsSame, isEqualOrUnknown } from '../../core/intake/deeds.ts';

/** Returns whether two outcomes may be of one run: the program may add lines around an output, but replaces none. */
export const isSameRun: IsSame = (one, other) =>
  isEqualOrUnknown(one.exit_code, other.exit_code) &&
  (one.output === null || other.output === null || isAround(one.output, other.output));

function isAround(one: string, other: string): boolean {
  if (one === '' || other === '') return one === other;
  const [first, second] = [`\n${one}\n`, `\n${other}\n`];
  return first.includes(second) || second.includes(first);
}
