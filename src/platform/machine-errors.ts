/** Converts uncaught errors of the file system and of memory: a refusal by the machine is no bug of ctx. */
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError } from './files.ts';
import { isMemoryError, rootCause } from './resource-errors.ts';

export { rootCause as rootOf };

/** Codes that any call may fail with at any time. Others, such as that of an absent file, are for the caller to handle. */
const OF_THE_MACHINE = ['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EROFS'];

/** The operation, by the name of the system call. */
const DOING: Readonly<Record<string, string>> = {
  open: 'read',
  read: 'read',
  readlink: 'read',
  scandir: 'list',
  stat: 'look at',
  lstat: 'look at',
  spawn: 'run',
  spawnSync: 'run',
};

/**
 * The code with which `bin/ctx.ts` reports that a part of the program is gone or of another build: ctx was updated at this
 * moment.
 */
const REPLACED = 'ERR_CTX_REPLACED';

/** Returns a CtxError for an error of the machine; any other error unchanged. */
export function toCtxError(error: unknown): unknown {
  if (error instanceof Error && errorCode(error) === REPLACED)
    return new CtxError('io', error.message, {
      hint: 'Run the command again. If that does not help, reinstall ctx.',
      cause: error,
    });
  if (!(error instanceof CtxError) && isMemoryError(error)) return withoutMemory(error);
  if (error instanceof CtxError || !(error instanceof Error) || !OF_THE_MACHINE.includes(errorCode(error)))
    return error;
  const { syscall = '', path = '' } = error as NodeJS.ErrnoException;
  const [call = ''] = syscall.split(' ');
  return ioError(DOING[call] ?? call, path, error);
}

/** Makes the error for a failed allocation, which is neither a bug nor damage. */
const withoutMemory = (error: unknown): CtxError =>
  new CtxError('io', `The machine has no memory left for this: ${(error as Error).message}`, {
    hint: 'Raise the limit (see ulimit -v) or end other programs, and run the command again; nothing was taken for damage.',
    cause: error,
  });
