/** Gives a complete file a name that is not taken yet. */
import { linkSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, exists, ioError, makeFolder } from './files.ts';

/** Codes for a file system without hard links, or with no more of them for a file. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Publishes a complete file exclusively, as a second name of it, so that no reader ever sees a part of it.
 * @param otherwise publishes it if the file system has no hard links
 * @returns whether it is published now; false if the name is taken
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

/** Gives a file a second name; returns false if that name is taken. @throws {CtxError} io */
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
