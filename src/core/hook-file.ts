/** A file of ctx's own among an agent's plugins: known again by its first line, and whether anybody has changed it since. */

import { shaOf } from './digest.ts';
import { CtxError } from './errors.ts';
import type { HookState } from './hook-settings.ts';

/** The place of the command line of ctx in a source, as a text in quotes. */
const COMMAND = '"%COMMAND%"';

/** The first line, as a comment of the file's language; in a Markdown file it comes after the line that begins its properties. */
const MARKER = /^(---\n)?(?:\/\/|#) Written by `ctx hooks install` \(([0-9a-f]{40})\)[^\n]*\n/;

const markerOf = (source: string, comment: string): string =>
  `${comment} Written by \`ctx hooks install\` (${shaOf('sha1', Buffer.from(source))}); \`ctx hooks uninstall\` removes it. Do not edit it.\n`;

/**
 * Returns the file as it must be: a first line that says what follows, and the source with the command line in it.
 * @param comment how a comment begins in its language
 */
export function hookFile(source: string, command: string, comment: '//' | '#' = '//'): string {
  const text = source.replaceAll(COMMAND, () => JSON.stringify(command));
  const marker = markerOf(text, comment);
  return text.startsWith('---\n') ? `---\n${marker}${text.slice(4)}` : marker + text;
}

/** Checks if a text is a file of ours, changed by somebody or not. */
export const isHookFile = (text: string): boolean => MARKER.test(text);

/** Checks if a file of ours is what some version of ctx has written. */
const isUntouched = (text: string): boolean =>
  MARKER.exec(text)?.[2] === shaOf('sha1', Buffer.from(text.replace(MARKER, '$1')));

function notOurs(file: string): CtxError {
  return new CtxError('invalid_settings', `${file} is there, and ctx did not write it.`, {
    hint: 'Nothing was changed. Move the file away, or give it another name, and run the command again.',
  });
}

function changed(file: string): CtxError {
  return new CtxError('invalid_settings', `${file} was written by ctx, and somebody has changed it since.`, {
    hint: 'Nothing was changed. Move the file away and run the command again.',
  });
}

/** Returns the state of a file of ours at its place. @throws {CtxError} invalid_settings, if it is somebody else's */
export function hookFileState(text: string | null, wanted: string, file: string): HookState {
  if (text === null) return 'none';
  if (text === wanted) return 'current';
  if (!isHookFile(text)) throw notOurs(file);
  return isUntouched(text) ? 'outdated' : 'changed';
}

/** The file after an install. @throws {CtxError} invalid_settings, if what is there is not ours alone */
export function installHookFile(text: string | null, wanted: string, file: string): string {
  if (hookFileState(text, wanted, file) === 'changed') throw changed(file);
  return wanted;
}

/**
 * The file after an uninstall: null if it was ours, and as it is if it is somebody else's.
 * @throws {CtxError} invalid_settings, if somebody has changed it
 */
export function uninstallHookFile(text: string, file: string): string | null {
  if (!isHookFile(text)) return text;
  if (!isUntouched(text)) throw changed(file);
  return null;
}
