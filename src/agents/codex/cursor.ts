/** The cursor of a rollout: small plain JSON, and a reader that accepts any value. */
import { type JsonValue, objectOf } from '../../core/json.ts';
import { type CallsCursor, readCallsCursor } from '../shared/basic-cursor.ts';
import { type Newest, readNewest } from '../shared/copies.ts';
import { idOf, idsOf } from '../shared/fields.ts';
import { type Running, readRunning } from './call-records.ts';
import { readSum, type Sum } from './counter.ts';
import { type Inheritance, readInheritance, UNBORN } from './inherited.ts';
import type { Place, Prompt } from './view.ts';

/** State of the task on which Codex said that it works: it says too if the user's words for it have come. */
export type Task = 'none' | 'begun' | 'prompted';

/** The state of a reader after a part of a rollout. */
export interface Cursor extends CallsCursor {
  newest: Newest;
  view: Place;
  /** The message of the agent that may still grow. */
  group: string | null;
  task: Task;
  /** Calls without a result whose records were given already. */
  told: string[];
  running: Running[];
  /** Tokens of the session so far. */
  sum: Sum;
  /** True if the file continues one that used an unknown number of them. */
  is_sum_begun: boolean;
  /** True if only the tokens of each file itself were counted: those of an earlier file are still to be counted. */
  counts_own: boolean;
  inherited: Inheritance;
}

function readPlace(value: JsonValue | undefined): Place {
  const fields = objectOf(value) ?? {};
  const prompts = (Array.isArray(fields['prompts']) ? fields['prompts'] : []).flatMap((pair): Prompt[] => {
    const id = Array.isArray(pair) ? idOf(pair[0]) : undefined;
    return id === undefined || !Array.isArray(pair) ? [] : [[id, idOf(pair[1]) ?? null]];
  });
  return {
    leaf: idOf(fields['leaf']) ?? null,
    first: idOf(fields['first']) ?? null,
    last: idOf(fields['last']) ?? null,
    preserved: idsOf(fields['preserved']),
    prompts,
    is_cut: fields['is_cut'] === true,
  };
}

const TASKS: readonly unknown[] = ['none', 'begun', 'prompted'] satisfies Task[];

/** Reads a cursor; whatever is missing or invalid is as at the beginning of a file. */
export function readCursor(value: JsonValue): Cursor {
  const fields = objectOf(value) ?? {};
  return {
    ...readCallsCursor(fields),
    newest: readNewest(fields['newest']),
    view: readPlace(fields['view']),
    group: idOf(fields['group']) ?? null,
    task: TASKS.includes(fields['task']) ? (fields['task'] as Task) : 'none',
    told: idsOf(fields['told']),
    running: readRunning(fields['running']),
    sum: readSum(objectOf(fields['sum'])),
    is_sum_begun: fields['is_sum_begun'] === true,
    counts_own: value === null || fields['counts_own'] === true,
    inherited: value === null ? UNBORN : readInheritance(fields['inherited']),
  };
}
