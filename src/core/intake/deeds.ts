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

/** The stored deeds that an event may be the same as. */
export class Deeds {
  readonly #isSame: IsSame;
  readonly #calls = new Map<string, StoredDeed[]>();
  /** The deeds of transcripts, by what they did. */
  readonly #acts = new Map<string, StoredRecord[]>();
  readonly unnamed: UnnamedDeeds;

  /** @param isSame the agent's own rule for two deeds without a common id */
  constructor(isSame: IsSame = hasSameOutcome) {
    this.#isSame = isSame;
    this.unnamed = new UnnamedDeeds(isSame);
  }

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
    const ran = outcomeOf(report);
    const acts = this.#acts.get(keyOfDeed(report) ?? '') ?? [];
    return acts.some((record) => isAboutThen(record, report) && this.#isSame(outcomeOf(record), ran));
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

/** The outcome of a deed, as far as a record states it: only a command has one. */
export interface Outcome {
  exit_code: number | null;
  /** Without white space around it; null if it is unknown, or too long to be compared. */
  output: string | null;
}

/** Returns whether two records of the same act, of which one has no id, are of one deed, by their outcomes. */
export type IsSame = (one: Outcome, other: Outcome) => boolean;

/** The rule for an agent that has none of its own: what both records have of the outcome is equal. */
export const hasSameOutcome: IsSame = (one, other) =>
  isEqualOrUnknown(one.exit_code, other.exit_code) && isEqualOrUnknown(one.output, other.output);

/** Returns whether two values of a field are equal, as far as both are known. */
export const isEqualOrUnknown = <Value>(one: Value | null, other: Value | null): boolean =>
  one === null || other === null || one === other;

function outcomeOf(body: object): Outcome {
  const { exit_code: code, output } = body as { exit_code?: unknown; output?: unknown };
  const isShort = typeof output === 'string' && output.length <= COMPARED_OUTPUT;
  return { exit_code: typeof code === 'number' ? code : null, output: isShort ? output.trim() : null };
}

/** Rates the evidence that two deeds which are the same by the agent's rule really are: the more is equal, the better. */
function likeness(one: Outcome, other: Outcome): number {
  const areCodesKnown = one.exit_code !== null && other.exit_code !== null;
  const areOutputsKnown = one.output !== null && other.output !== null;
  return (areCodesKnown ? 1 : 0) + (areOutputsKnown ? 1 : 0) + (areOutputsKnown && one.output === other.output ? 1 : 0);
}

/** A deed without an id, and when a hook recorded it, in Unix seconds: 0 if unknown. */
interface UnnamedDeed extends Outcome {
  told_at: number;
}

function unnamedDeed(record: object): UnnamedDeed {
  const { told_at } = record as { told_at?: unknown };
  return { ...outcomeOf(record), told_at: (typeof told_at === 'string' && readTime(told_at)) || 0 };
}

/** The deeds that hooks have recorded without the agent's own id: each is the same as one event, the likeliest. */
class UnnamedDeeds {
  readonly #isSame: IsSame;
  readonly #left = new Map<string, UnnamedDeed[]>();

  constructor(isSame: IsSame) {
    this.#isSame = isSame;
  }

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
    const outcome = outcomeOf(record);
    let [best, likeliest] = [-1, 0];
    for (const [index, one] of left.entries()) {
      if (one.told_at > until || !this.#isSame(one, outcome)) continue;
      const like = likeness(one, outcome);
      if (best < 0 || like > likeliest) [best, likeliest] = [index, like];
    }
    if (best >= 0) left.splice(best, 1);
    return best >= 0;
  }
}
