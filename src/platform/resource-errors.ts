/** Recognises errors about missing resources: memory, disk space, file handles. Such an error says nothing about the file that was being read. */
import { CtxError } from '../core/errors.ts';

/** Codes of Node, zlib and the system for memory. `ERR_ZLIB_INITIALIZATION_FAILED`: zlib got none for its state. */
const OF_MEMORY: readonly string[] = [
  ...['ENOMEM', 'Z_MEM_ERROR', 'ERR_ZLIB_INITIALIZATION_FAILED', 'ERR_MEMORY_ALLOCATION_FAILED'],
  ...['ERR_WORKER_OUT_OF_MEMORY', 'ERR_WORKER_INIT_FAILED'],
];
/** Codes for file handles, processes, and disk space. */
const OF_THE_REST: readonly string[] = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOBUFS', 'ENOSPC', 'EDQUOT'];

/** Messages of V8 and OpenSSL that have no code of their own, such as for a buffer or the memory of a WebAssembly module. */
const WORDS = /allocation failed|(?:could not|cannot) allocate|out of memory|malloc failure/i;

/** Returns the code of an error, such as `ENOMEM`; empty if it has none. */
const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');

/** Returns whether an error, or its root cause, is about memory. */
export function isMemoryError(error: unknown): boolean {
  const root = rootCause(error);
  if (!(root instanceof Error)) return false;
  const isWorded = root instanceof RangeError || codeOf(root).startsWith('ERR_OSSL');
  return OF_MEMORY.includes(codeOf(root)) || (isWorded && WORDS.test(root.message));
}

/** Returns whether an error, or its root cause, is about a missing resource. */
export function isResourceError(error: unknown): boolean {
  const root = rootCause(error);
  return root instanceof Error && (OF_THE_REST.includes(codeOf(root)) || isMemoryError(root));
}

/** Throws an error that is about a missing resource; leaves any other to the caller. */
export function throwResourceError(error: unknown): void {
  if (isResourceError(error)) throw error;
}

/** Returns the root cause of an error. */
export function rootCause(error: unknown): unknown {
  let root = error;
  while (root instanceof CtxError && root.cause !== undefined) root = root.cause;
  return root;
}
