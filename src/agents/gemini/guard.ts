/** The guard in front of a user's text that Gemini CLI would take for a command or for its own, and drop from the history. */

/** A space without a width: the model sees the text as it is. */
export const GUARD = '\u200b';

const DROPPED = /^\s*(?:[/?]|<(?:hook_context|session_context)>)/;

/** Returns whether Gemini CLI would drop a text of the user. */
export const needsGuard = (text: string): boolean => DROPPED.test(text);

/** Returns a text without the guard. */
export const withoutGuard = (text: string): string =>
  text.startsWith(GUARD) && needsGuard(text.slice(GUARD.length)) ? text.slice(GUARD.length) : text;
