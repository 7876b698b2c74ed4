/** Indexes the stored deeds of tools by the agent's own id of the call, and those without an id by what they did. */
import { isKind, type StoredRecord } from '../records/record.ts';
import { readTime } from '../time.ts';
import { wordsOfUser } from './words.ts';

/** Place where a deed is stored: pending, in a step of the last turn, or in an earlier one. */
type Place = 'pending' | 'turn' | 'earlier';

/** A stored deed of a call. */
interface StoredDeed {
  record: StoredRecord;
  place: Place;
  /** True if a hook has recorded it; else a transcript has. */
  isHooks: boolean;
  /** The objects of its long texts, of a pending one. */
  payloads: readonly string[];
}

/** Returns what identifies the call of a hook's record: the agent's id, else the time of the report; null if it has neither. */
export function callOf(record: object): string | null {
  const { hook, tool_call_id: id, told_at } = record as { hook?: unknown; tool_call_id?: unknown; told_at?: unknown };
  const call = id ?? told_at;
  return hook === true && typeof call === 'string' ? call : null;
}

/** Returns the content of a hook's record without its time and id; its payloads are named by its id. */
export function reportOf({ id, at: _at, ...report }: StoredRecord): string {
  return JSON.stringify(report).replaceAll(id, '');
}

/** Returns the action of a call as one text. */
export const actOf = ({ tool_call_id: call, kind, path, command }: StoredRecord): string =>
  JSON.stringify([call, kind, path ?? command]);

/** Returns whether a record has the outcome of its call: Codex passes no exit codes to its hooks. */
export const hasOutcome = (record: object): boolean => {
  const { kind, exit_code } = record as { kind?: unknown; exit_code?: unknown };
  return kind !== 'command' || typeof exit_code === 'number';
};

/** Returns whether a record comes between turns: a task or a note of a prompt, its transition, or the end of a turn. */
export const isBetweenTurns = (record: StoredRecord): boolean => {
  if (isKind(record, 'note'))
    return wordsOfUser(record) !== null || (record.role !== 'plain' && record.role !== 'question');
  // A question of a tool is asked within a turn.
  if (isKind(record, 'transition')) return record.to.kind !== 'Running' && record['of_tool'] !== true;
  return record.kind === 'task';
};

/** Longest time between a deed and the report of a hook that comes late, in seconds. */
export const LATEST = 120;

/** Returns when a deed was done, in Unix seconds: a report may have the agent's own time of it. */
export function timeOf(record: StoredRecord): number {
  const { told_at } = record as { told_at?: unknown };
  return (typeof told_at === 'string' && readTime(told_at)) || record.at;
}

/** Returns whether two deeds were done at about the same time. */
const isAboutThen = (one: StoredRecord, other: StoredRecord): boolean =>
  Math.abs(timeOf(one) - timeOf(other)) <= LATEST;

export class Deeds {
  readonly #calls = new Map<string, StoredDeed[]>();
  /** The deeds of transcripts, by what they did. */
  readonly #acts = new Map<string, StoredRecord[]>();
  readonly unnamed = new UnnamedDeeds();

  /** Adds a record; one that is no deed is ignored. */
  add(record: StoredRecord, place: Place, payloads: readonly string[] = []): void {
    const isHooks = record['hook'] === true;
    const call = isHooks ? callOf(record) : record['tool_call_id'];
    if (typeof call === 'string') {
      const deed = { record, place, isHooks, payloads };
      const before = this.#calls.get(call);
      if (before) before.push(deed);
      else this.#calls.set(call, [deed]);
    }
    if (isHooks && typeof record['tool_call_id'] !== 'string') this.unnamed.add(record);
    const act = isHooks ? null : keyOfDeed(record);
    if (act !== null) this.#acts.set(act, [...(this.#acts.get(act) ?? []), record]);
  }

  /** Returns whether a transcript has a deed that is like that of a report without an id, and was done about then. */
  hasLike(report: StoredRecord): boolean {
    const ran = ranOf(report);
    const acts = this.#acts.get(keyOfDeed(report) ?? '') ?? [];
    return acts.some((record) => isAboutThen(record, report) && likeness(ranOf(record), ran) >= 0);
  }

  /** Returns what is stored of a call. */
  ofCall(call: string | null): readonly StoredDeed[] {
    return (call !== null && this.#calls.get(call)) || [];
  }
}

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

/** A deed without an id, and when a hook recorded it, in Unix seconds: 0 if unknown. */
interface UnnamedDeed extends Ran {
  told_at: number;
}

function unnamedDeed(record: object): UnnamedDeed {
  const { told_at } = record as { told_at?: unknown };
  return { ...ranOf(record), told_at: (typeof told_at === 'string' && readTime(told_at)) || 0 };
}

/** The deeds that hooks have recorded without the agent's own id: each is the same as one event, the likeliest. */
class UnnamedDeeds {
  readonly #left = new Map<string, UnnamedDeed[]>();

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  add(record: object): void {
    const key = keyOfDeed(record);
    if (key === null) return;
    const before = this.#left.get(key);
    if (before) before.push(unnamedDeed(record));
    else this.#left.set(key, [unnamedDeed(record)]);
  }

  /**
   * Takes out the likeliest deed that is the same as another one; false if there is none.
   * @param record in the stored form
   * @param until when it was done by the transcript: a deed that hooks recorded later is another one
   */
  take(record: object, until: number): boolean {
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
