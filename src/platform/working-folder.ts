/** The working folder of a command: it may be gone, or have a name that is no valid UTF-8. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError, isAbsent } from './files.ts';

/** The replacement character for bytes that are no UTF-8. */
const UNREADABLE = '\ufffd';

/** Returns whether a path was decoded from a name that is no UTF-8: Node gives and takes names only as text. */
export const isMisread = (path: string): boolean => path.includes(UNREADABLE) && !existsSync(path);

/**
 * Returns the absolute path of a folder that must exist: searching upwards from an absent one, ctx would find another store.
 * @throws {CtxError} not_found; as `workingFolder`
 */
export function existingFolder(given: string | undefined): string {
  const folder = workingFolder(given);
  // The working directory is a folder; if it is gone, a later check reports that.
  if (given === undefined || isFolder(folder)) return folder;
  throw new CtxError('not_found', `There is no folder ${given}.`, { hint: 'Name one that exists with -C.' });
}

/**
 * Returns the absolute path of a named folder, or of the working directory.
 * @throws {CtxError} io, if the working directory is gone; invalid_input, if the name is no UTF-8
 */
export function workingFolder(given = '.'): string {
  const folder = resolved(given);
  if (!isMisread(folder)) return folder;
  throw new CtxError('invalid_input', `The name of ${folder} is no UTF-8, and ctx cannot work there.`, {
    hint: 'Rename the folder, or name another one with -C.',
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw ioError('look at', path, error);
  }
}

function resolved(given: string): string {
  try {
    return resolve(given);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CtxError('io', 'The working directory does not exist any more.', {
      hint: 'Go to a folder that exists, or name one with -C.',
      cause: error,
    });
  }
}
