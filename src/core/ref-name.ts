/** Names of refs and of files as they may be followed: nothing in them leads elsewhere. */

/** Checks if a value is a path whose every part names something below it. */
export const isRealPath = (value: unknown): value is string =>
  typeof value === 'string' &&
  !value.includes('\0') &&
  value.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Matches the characters that Git allows in no ref: control characters, blanks, and what means something in a revision. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\.|\.lock(\/|$)|\.$/;

/** Checks if a value is the full name of a ref, by the rules of `git check-ref-format`. */
export const isRefName = (value: unknown): value is string =>
  isRealPath(value) && /^refs\/./.test(value) && !FORBIDDEN.test(value);
