/** Deduplicates deeds that hooks have recorded without call ids: a transcript repeats each of them once. */
import { readTime } from '../../core/time.ts';

/** Longest output that is compared: of a longer one an agent may show only parts to the model. */
export const COMPARED_OUTPUT = 4096;

/** The field that identifies a deed among those of its kind. */
const KEY_FIELDS = new Map([
  ['read', 'path'],
  ['write', 'path'],
  ['delete', 'path'],
  ['command', 'command'],
  ['plan', 'content'],
]);

/** Returns the key of a record's deed; null if it is no tool's. Its texts must be in the stored form. */
function keyOfDeed(body: object): string | null {
  const { kind, ...fields } = body as { kind: string; [field: string]: unknown };
  const field = KEY_FIELDS.get(kind);
  return field === undefined ? null : `${kind} ${String(fields[field])}`;
}

/** The outcome of a command, as far as a record states it. */
interface Ran {
  exit_code: number | null;
  output: string | null;
}

function ranOf(body: object): Ran {
  const { exit_code: code, output } = body as { exit_code?: unknown; output?: unknown };
  const isShort = typeof output === 'string' && output.length <= COMPARED_OUTPUT;
  return { exit_code: typeof code === 'number' ? code : null, output: isShort ? output.trim() : null };
}

/** Returns whether two outputs may be of one run: an agent may add lines around an output, but not replace any. */
function isAlike(one: string, other: string): boolean {
  if (one === '' || other === '') return one === other;
  const [first, second] = [`\n${one}\n`, `\n${other}\n`];
  return first.includes(second) || second.includes(first);
}

/** Rates the evidence that two records are of one run; -1 if they contradict each other. */
function likeness(one: Ran, other: Ran): number {
  const codes = [one.exit_code, other.exit_code];
  const areCodesKnown = !codes.includes(null);
  if (areCodesKnown && codes[0] !== codes[1]) return -1;
  if (one.output === null || other.output === null) return areCodesKnown ? 1 : 0;
  if (!isAlike(one.output, other.output)) return -1;
  return (areCodesKnown ? 1 : 0) + (one.output === other.output ? 2 : 1);
}

/** A deed, and when a hook recorded it, in Unix seconds: 0 if unknown. */
interface ObservedDeed extends Ran {
  told_at: number;
}

function observedDeed(record: object): ObservedDeed {
  const { told_at } = record as { told_at?: unknown };
  return { ...ranOf(record), told_at: (typeof told_at === 'string' && readTime(told_at)) || 0 };
}

export class ObservedDeeds {
  readonly #left = new Map<string, ObservedDeed[]>();

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  note(record: object): void {
    const word = keyOfDeed(record);
    if (word === null) return;
    const before = this.#left.get(word);
    if (before) before.push(observedDeed(record));
    else this.#left.set(word, [observedDeed(record)]);
  }

  /**
   * Takes out the likeliest deed that a record repeats; false if there is none.
   * @param until when it was done by the transcript: a deed that hooks recorded later is another one
   */
  take(record: object, until = Number.POSITIVE_INFINITY): boolean {
    const left = this.#left.get(keyOfDeed(record) ?? '') ?? [];
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
