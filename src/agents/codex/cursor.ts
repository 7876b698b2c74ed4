/** The cursor of a rollout: small plain JSON, and a reader that accepts any value. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import { type Call, readCalls, readTurnState, type TurnState } from '../shared/calls.ts';
import { type Newest, readNewest } from '../shared/copies.ts';
import { idOf, idsOf } from '../shared/fields.ts';
import { type PromptPlace, readPrompt } from '../shared/prompt.ts';
import { type Running, readRunning } from './call-records.ts';
import { readSum, type Sum } from './counter.ts';
import { type Inheritance, readInheritance, UNBORN } from './inherited.ts';
import type { Place, Prompt } from './view.ts';

/** Whether Codex said that it is at work on a task, and whether the user's words for it have come. */
export type Task = 'none' | 'begun' | 'prompted';

/** The state of a reader after a part of a rollout. */
export interface Cursor {
  version: 1;
  /** The time of the last line that has one. */
  at: number;
  newest: Newest;
  view: Place;
  /** The message of the agent that may still grow. */
  group: string | null;
  /** Highest `seq` given. */
  seq: number;
  state: TurnState;
  /** The message with the agent's last words. */
  speaker: string | null;
  task: Task;
  /** The call that asked the user. */
  asking: string | null;
  /** The prompt of the turn. */
  prompt: PromptPlace | null;
  calls: Call[];
  /** Calls without a result whose records were given already. */
  told: string[];
  running: Running[];
  /** Tokens of the session so far. */
  sum: Sum;
  /** Whether the file continues one that used an unknown number of them. */
  is_sum_begun: boolean;
  /** Whether only the tokens of each file itself were counted: those of an earlier file are still to be counted. */
  counts_own: boolean;
  inherited: Inheritance;
  about: JsonObject;
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
    version: 1,
    at: numberOf(fields['at']) ?? -1,
    newest: readNewest(fields['newest']),
    view: readPlace(fields['view']),
    group: idOf(fields['group']) ?? null,
    seq: numberOf(fields['seq']) ?? 0,
    state: readTurnState(fields['state']),
    speaker: idOf(fields['speaker']) ?? null,
    task: TASKS.includes(fields['task']) ? (fields['task'] as Task) : 'none',
    asking: idOf(fields['asking']) ?? null,
    prompt: readPrompt(fields['prompt']),
    calls: readCalls(fields['calls']),
    told: idsOf(fields['told']),
    running: readRunning(fields['running']),
    sum: readSum(objectOf(fields['sum'])),
    is_sum_begun: fields['is_sum_begun'] === true,
    counts_own: value === null || fields['counts_own'] === true,
    inherited: value === null ? UNBORN : readInheritance(fields['inherited']),
    about: objectOf(fields['about']) ?? {},
  };
}
