/** Records of another session at the beginning of a rollout: a fork and a sub-agent may have copies of their parent's records. */
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readTime } from '../../core/time.ts';
import type { Beside } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';
import { keyOf } from '../shared/keys.ts';
import { baseOf } from './lineage.ts';
import { contentOf, readRecords } from './record.ts';
import { timeInId } from './rollout-name.ts';
import { parentOf } from './session.ts';

/** The state of the copies, as a cursor holds it: whether copies may still come, and how they are recognised. */
export interface Inheritance {
  /** True if all further records are the session's own. */
  is_over: boolean;
  /** The session that it was copied from. */
  parent: string | null;
  /** When the session itself was begun, in milliseconds; null before its `session_meta`. */
  born: number | null;
  /** True if its id contains that time, as those of turns do. */
  is_dated: boolean;
  /** True if it is certainly a copy: Codex says so, or a record can only belong to another session. */
  is_sure: boolean;
  /** When the last copy was written, in milliseconds. */
  at: number;
}

/** The state at the beginning of a rollout. */
export const UNBORN: Inheritance = { is_over: false, parent: null, born: null, is_dated: false, is_sure: false, at: 0 };

/** Copies are written at once; records that come this many milliseconds later are the session's own. */
const PAUSE = 500;
/** An id that is older or newer than its session by more than that contains no time. */
const DAY = 86_400_000;

const millisecondsOf = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' ? readTime(value) : undefined;
  if (seconds === undefined) return undefined;
  const fraction = /\.(\d{1,3})/.exec(value as string)?.[1] ?? '';
  return Math.floor(seconds) * 1000 + Number(fraction.padEnd(3, '0'));
};

/** Recognises the copies at the beginning of a rollout. */
export class Inherited {
  #state: Inheritance;
  readonly #beside: Beside | undefined;
  /** The records of the parent's own transcript; null if that is missing. */
  #parents: Set<string> | null | undefined;

  constructor(state: Inheritance, beside: Beside | undefined) {
    this.#state = { ...state };
    this.#beside = beside;
  }

  get state(): Inheritance {
    return { ...this.#state };
  }

  /** Begins another file. */
  begin(): void {
    this.#state = { ...UNBORN };
  }

  /** Handles the next record. @returns whether it is a copy */
  hear(record: JsonObject): boolean {
    const state = this.#state;
    if (state.is_over) return false;
    const { type, payload, isBare } = contentOf(record);
    const at = millisecondsOf(record['timestamp']) ?? state.at;
    if (state.born === null) {
      this.#begin(type === 'session_meta' && !isBare ? payload : {}, at);
      return false;
    }
    const isCopy = this.#isCopy(record, { type, payload, at });
    state.is_over = !isCopy;
    if (isCopy) state.at = at;
    return isCopy;
  }

  #begin(meta: JsonObject, at: number): void {
    const parent = parentOf(meta).id;
    const id = idOf(meta['id']) ?? '';
    const born = millisecondsOf(meta['timestamp']) ?? at;
    const dated = timeInId(id) ?? 0;
    const isDated = Math.abs(dated - born) < DAY;
    this.#state = {
      // A session that names a base has no copies: it only continues from there.
      is_over: parent === undefined || baseOf(meta) !== undefined,
      parent: parent ?? null,
      born: isDated ? Math.min(born, dated) : born,
      is_dated: isDated,
      is_sure: idOf(meta['forked_from_id']) !== undefined,
      at,
    };
  }

  #isCopy(
    record: JsonObject,
    { type, payload, at }: { type: string | undefined; payload: JsonObject; at: number },
  ): boolean {
    const state = this.#state;
    const born = state.born as number;
    if (type === 'session_meta') {
      state.is_sure = true;
      return true;
    }
    // Some versions copy records with their times.
    if (at < born) return true;
    const turn = timeInId(idOf(payload['turn_id']) ?? idOf(objectOf(payload['turn_attribution'])?.['turn_id']) ?? '');
    if (state.is_dated && turn !== undefined) {
      state.is_sure ||= turn < born;
      return turn < born;
    }
    // Within a turn, and between two, only the beginning of the next one is decisive.
    if (state.is_dated && !BEGINNINGS.includes(textOf(payload['type']) ?? type ?? '')) return state.is_sure;
    const parents = this.#lookUp();
    if (parents) return parents.has(contentKey(record));
    return state.is_sure && at - state.at < PAUSE;
  }

  /** Returns the hashes of the parent's records; null if its transcript is missing. */
  #lookUp(): Set<string> | null {
    if (this.#parents !== undefined) return this.#parents;
    const { parent } = this.#state;
    const other = parent === null ? null : (this.#beside?.other(parent) ?? null);
    this.#parents = other && keysOf(other.lines());
    return this.#parents;
  }
}

/** Events and records with which a turn begins. */
const BEGINNINGS: readonly string[] = ['task_started', 'turn_started', 'turn_context', 'user_message'];

/** Returns the hashes of the records on these lines; null if the lines cannot be read. */
function keysOf(lines: Iterable<string>): Set<string> | null {
  const keys = new Set<string>();
  try {
    for (const line of lines) for (const record of readRecords(line).records) keys.add(contentKey(record));
    return keys;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/** Returns the hash of a record without its time and its number. */
const contentKey = ({ type, payload }: JsonObject): string => keyOf({ type: type ?? null, payload: payload ?? null });

/** Reads the state from a cursor. */
export function readInheritance(value: JsonValue | undefined): Inheritance {
  const fields = objectOf(value);
  // An older ctx has taken all records for the session's own.
  if (!fields) return { ...UNBORN, is_over: true };
  return {
    is_over: fields['is_over'] === true,
    parent: idOf(fields['parent']) ?? null,
    born: numberOf(fields['born']) ?? null,
    is_dated: fields['is_dated'] === true,
    is_sure: fields['is_sure'] === true,
    at: numberOf(fields['at']) ?? 0,
  };
}
