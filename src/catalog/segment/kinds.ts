/** Kinds of passages, and how much a word of each counts. */

/** Kinds of passages, each with the weight of a word in it for its session. The order is the format of the index. */
export const KINDS = [
  ['title', 3],
  ['prompt', 2],
  ['answer', 1.2],
  ['reasoning', 0.4],
  ['input', 0.7],
  ['output', 0.4],
  ['command', 1],
  ['note', 1.2],
  ['question', 1.2],
  ['decision', 2.5],
  ['plan', 1.5],
  ['path', 1],
  ['reason', 2.5],
  ['summary', 1.5],
] as const;
export type PassageKind = (typeof KINDS)[number][0];

const CODES = new Map<string, number>(KINDS.map(([name], code) => [name, code]));
export const codeOf = (kind: PassageKind): number => CODES.get(kind) as number;

const WEIGHTS = Float64Array.from(KINDS, ([, weight]) => weight);

/** Returns the weight of a kind by its number in the index; a segment has sums of lengths that were weighted, so another weight is another version of the format. */
export const weightOf = (code: number): number => WEIGHTS[code] as number;
