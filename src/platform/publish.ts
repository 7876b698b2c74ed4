/** A complete file gets a name that nothing has yet. */
import { linkSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, exists, ioError, makeFolder } from './files.ts';

/** How a file system says that it has no hard links, or no more of them for a file. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Publishes a complete file exclusively: as a second name of it, so that nobody ever sees a part of what stands there.
 * @param otherwise does it where the file system has no hard links
 * @returns whether it stands there now; false where something else does
 * @throws {CtxError} io
 */
export function publishFile(file: string, path: string, otherwise: () => boolean): boolean {
  try {
    return linkFile(file, path);
  } catch (error) {
    if (!NO_LINKS.includes(errorCode(error))) throw ioError('create', path, error);
  }
  return otherwise();
}

/** Gives a file a second name; false where that name is taken already. @throws {CtxError} io */
export function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) !== 'ENOENT' || !exists(from)) throw error;
    makeFolder(dirname(to), { fsync: true });
    return linkFile(from, to);
  }
}
