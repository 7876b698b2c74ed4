/** Exit codes: what an error code, and nothing else, maps to. */
import type { ErrorCode } from '../core/errors.ts';

export const EXIT: Record<ErrorCode, number> = {
  usage: 2,
  not_a_repository: 1,
  no_active_session: 1,
  session_active: 1,
  session_completed: 1,
  no_such_move: 1,
  no_choice: 1,
  choice_waits: 1,
  not_found: 1,
  ambiguous: 1,
  invalid_input: 1,
  invalid_settings: 1,
  unsupported_store: 1,
  newer_version: 1,
  invalid_bundle: 1,
  staging_head_missing: 1,
  busy: 4,
  damaged: 5,
  io: 1,
  bug: 70,
};

/** Meaning of each exit code, for help and the README. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [1, 'no, or not possible as asked; `error.code` says which'],
  [2, 'the command line is wrong'],
  [3, 'done as far as possible; a choice waits for the user'],
  [4, 'busy: the lock was not free in time'],
  [5, 'the store is damaged'],
  [70, 'a bug in ctx'],
];
