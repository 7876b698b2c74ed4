/** The guard in front of a user's text that Gemini CLI would take for a command or for its own, and drop from the history. */

/** A space without a width: the model sees the text as it is. */
export const GUARD = '\u200b';

/** Texts that Gemini CLI would drop, and those whose own beginning would be taken for the guard. */
const DROPPED = /^\u200b*\s*(?:[/?]|<(?:hook_context|session_context)>)/;

/** Returns whether a text of the user has to be guarded, so that it is kept, and read as it was. */
export const needsGuard = (text: string): boolean => DROPPED.test(text);

/** Returns whether a text would be read without its beginning. */
export const isGuarded = (text: string): boolean => text.startsWith(GUARD) && needsGuard(text);

/** Returns a text without the guard. */
export const withoutGuard = (text: string): string => (isGuarded(text) ? text.slice(GUARD.length) : text);
