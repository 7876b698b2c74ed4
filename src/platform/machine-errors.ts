/** Errors of the file system that nobody has worded: what the machine refuses is no bug of ours, wherever it shows. */
import { CtxError } from '../core/errors.ts';
import { errorCode, ioError } from './files.ts';
import { isMemoryLack, rootOf } from './lack.ts';

export { rootOf };

/** What may befall any call at any time. Others, such as a file that is not there, are for the caller to know. */
const OF_THE_MACHINE = ['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EROFS'];

/** What was being done, by the name of the call. */
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

/** What `bin/ctx.ts` says where a part of the program is gone, or of another build: ctx was updated at this moment. */
const REPLACED = 'ERR_CTX_REPLACED';

/** The same error, or one in words of ours where it is of the machine. */
export function inWords(error: unknown): unknown {
  if (error instanceof Error && errorCode(error) === REPLACED)
    return new CtxError('io', error.message, {
      hint: 'Run the command again. If that does not help, reinstall ctx.',
      cause: error,
    });
  if (!(error instanceof CtxError) && isMemoryLack(error)) return withoutMemory(error);
  if (error instanceof CtxError || !(error instanceof Error) || !OF_THE_MACHINE.includes(errorCode(error)))
    return error;
  const { syscall = '', path = '' } = error as NodeJS.ErrnoException;
  const [call = ''] = syscall.split(' ');
  return ioError(DOING[call] ?? call, path, error);
}

/** An allocation that failed: neither a bug nor damage. */
const withoutMemory = (error: unknown): CtxError =>
  new CtxError('io', `The machine has no memory left for this: ${(error as Error).message}`, {
    hint: 'Raise the limit (see ulimit -v) or end other programs, and run the command again; nothing was taken for damage.',
    cause: error,
  });
