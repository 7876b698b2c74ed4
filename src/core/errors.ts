/** The one error type of ctx: a code for programs, a message that says what happened, a hint that says what to type next. */

/** Kind of an error. `src/cli` alone maps a code to an exit status. */
export type ErrorCode =
  | 'usage'
  | 'not_a_repository'
  | 'no_active_session'
  | 'session_active'
  | 'session_completed'
  | 'no_such_move'
  | 'no_choice'
  | 'choice_waits'
  | 'not_found'
  | 'ambiguous'
  | 'invalid_input'
  | 'invalid_settings'
  | 'unsupported_store'
  | 'newer_version'
  | 'invalid_bundle'
  | 'staging_head_missing'
  | 'busy'
  | 'damaged'
  | 'io'
  | 'bug';

export interface ErrorDetails {
  /** The next command to type, or the next thing to do. */
  hint?: string | undefined;
  /** Data that a program needs to continue: plain JSON. */
  data?: Record<string, unknown> | undefined;
  cause?: unknown;
}

/** An error that ctx expected: worded once where it is known, shown in one place. */
export class CtxError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CtxError';
    this.code = code;
    this.hint = details.hint;
    this.data = details.data;
  }
}

/** Hints on a second run of the command: a lock that is held first, a full disk last. */
const AGAIN =
  /^(?:Nothing was changed\. )?Run the command again\.\s*|(?: and|:) run the command again(?:; nothing was half-written)?(?=\.)/;
/** Returns a hint without that, if it would be done twice; empty if nothing is left of it. */
export const withoutAgain = (hint = ''): string => hint.replace(AGAIN, '');

/** The hint of a damage if nothing better is known: it does not help a reader of the check itself. */
export const SEE_CHECK = 'Nothing was changed. See what can be repaired with: ctx fsck, then: ctx fsck --repair';

/** Hint for something that nothing in the store can bring back. */
const FROM_BACKUP =
  'it from a backup or a clone of the store: ctx git fetch --refetch <its path> "+refs/*:refs/remotes/backup/*"';
export const FETCH = `Fetch ${FROM_BACKUP}`;
/** The same behind other words. */
export const OR_FETCH = `fetch ${FROM_BACKUP}`;

/** A pointer, object or file of the store that is not what it must be: it is named, never read as empty. */
export function damaged(what: string, why: string, details: ErrorDetails = {}): CtxError {
  return new CtxError('damaged', `${what} is damaged: ${why}`, {
    hint: SEE_CHECK,
    ...details,
  });
}

/** Checks if an error says that something is damaged, and not that it could not be looked at. */
export const isDamage = (error: unknown): error is CtxError => error instanceof CtxError && error.code === 'damaged';

/** A text that must be JSON and is none; whatever else a parser throws, as it is: it says nothing about the text. */
export const notJson = (what: string, cause: unknown, hint?: string): unknown =>
  cause instanceof SyntaxError ? damaged(what, 'it is no JSON', { ...(hint && { hint }), cause }) : cause;

/** Most entries of one folder, and most paths below one: what is beyond it is refused before it fills the memory. */
export const MOST_PATHS = 250_000;

/** Describes an object that is whole, and larger than ctx works with: no damage. */
export function tooLarge(what: string): CtxError {
  const limit = MOST_PATHS.toLocaleString('en');
  return new CtxError('unsupported_store', `${what}: ctx works with up to ${limit}.`, {
    hint: 'Nothing is damaged, and nothing was changed. Git itself reads it: ctx git ls-tree, ctx git diff',
    data: { limit: MOST_PATHS },
  });
}
