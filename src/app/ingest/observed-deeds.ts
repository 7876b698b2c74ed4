/** Deeds that hooks have told without the ids of their calls: a transcript tells of each once more. */
import { readTime } from '../../core/time.ts';

/** Longest output by which two runs are told apart: of a longer one an agent may tell only parts to the model. */
export const COMPARED_OUTPUT = 4096;

/** What tells a deed from others of its kind. */
const TOLD_BY = new Map([
  ['read', 'path'],
  ['write', 'path'],
  ['delete', 'path'],
  ['command', 'command'],
  ['plan', 'content'],
]);

/** What a record says was done, in one text; null where it is of no tool. Its texts are those of a record that is kept. */
function wordOf(body: object): string | null {
  const { kind, ...told } = body as { kind: string; [field: string]: unknown };
  const field = TOLD_BY.get(kind);
  return field === undefined ? null : `${kind} ${String(told[field])}`;
}

/** How a command went, as far as a record tells. */
interface Ran {
  exit_code: number | null;
  output: string | null;
}

function ranOf(body: object): Ran {
  const { exit_code: code, output } = body as { exit_code?: unknown; output?: unknown };
  const isShort = typeof output === 'string' && output.length <= COMPARED_OUTPUT;
  return { exit_code: typeof code === 'number' ? code : null, output: isShort ? output.trim() : null };
}

/** Whether two outputs may be of one run. Others may have put lines around it, but none in place of it. */
function isAlike(one: string, other: string): boolean {
  if (one === '' || other === '') return one === other;
  const [first, second] = [`\n${one}\n`, `\n${other}\n`];
  return first.includes(second) || second.includes(first);
}

/** How much speaks for it that two records tell of one run; -1 where they contradict each other. */
function likeness(one: Ran, other: Ran): number {
  const codes = [one.exit_code, other.exit_code];
  const areCodesKnown = !codes.includes(null);
  if (areCodesKnown && codes[0] !== codes[1]) return -1;
  if (one.output === null || other.output === null) return areCodesKnown ? 1 : 0;
  if (!isAlike(one.output, other.output)) return -1;
  return (areCodesKnown ? 1 : 0) + (one.output === other.output ? 2 : 1);
}

/** A deed, and when a hook told of it, in Unix seconds: 0 where that is not known. */
interface Told extends Ran {
  told_at: number;
}

function toldOf(record: object): Told {
  const { told_at } = record as { told_at?: unknown };
  return { ...ranOf(record), told_at: (typeof told_at === 'string' && readTime(told_at)) || 0 };
}

export class ObservedDeeds {
  readonly #left = new Map<string, Told[]>();

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  note(record: object): void {
    const word = wordOf(record);
    if (word === null) return;
    const before = this.#left.get(word);
    if (before) before.push(toldOf(record));
    else this.#left.set(word, [toldOf(record)]);
  }

  /**
   * Takes out the deed that a record tells of once more: the likeliest of them. False where there is none.
   * @param until when the transcript tells that it was done: what hooks told of later was another one
   */
  take(record: object, until = Number.POSITIVE_INFINITY): boolean {
    const left = this.#left.get(wordOf(record) ?? '') ?? [];
    const ran = ranOf(record);
    let [best, likeliest] = [-1, 0];
    for (const [index, one] of left.entries()) {
      if (one.told_at > until) continue;
      const like = likeness(one, ran);
      if (like >= likeliest && (best < 0 || like > likeliest)) [best, likeliest] = [index, like];
    }
    if (best >= 0) left.splice(best, 1);
    return best >= 0;
  }
}
