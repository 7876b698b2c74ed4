/** The folder that a command works in: it may be gone, or have a name that no text of ours can hold. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError, isAbsent } from './files.ts';

/** What stands in a text for bytes that are no UTF-8. */
const UNREADABLE = '\ufffd';

/** Whether a path stands for another name, which is no UTF-8: Node gives and takes names as text alone. */
export const isMisread = (path: string): boolean => path.includes(UNREADABLE) && !existsSync(path);

/**
 * The same for one that must be there: looked for upwards from a folder that is not, another store would be found.
 * @throws {CtxError} not_found; as `workingFolder`
 */
export function existingFolder(given: string | undefined): string {
  const folder = workingFolder(given);
  // Nobody can be in a folder that is none; it may be gone, as another place tells.
  if (given === undefined || isFolder(folder)) return folder;
  throw new CtxError('not_found', `There is no folder ${given}.`, { hint: 'Name one that exists with -C.' });
}

/**
 * The whole path of a folder that was named, or of the working directory.
 * @throws {CtxError} io, where the working directory is gone; invalid_input, where the name is no UTF-8
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
