/** What a machine lacks: memory, room on the disk, file handles. Such a failure says nothing about what was being read. */
import { CtxError } from '../core/errors.ts';

/** Codes of Node, zlib and the system for memory. `ERR_ZLIB_INITIALIZATION_FAILED`: zlib got none for its state. */
const OF_MEMORY: readonly string[] = [
  ...['ENOMEM', 'Z_MEM_ERROR', 'ERR_ZLIB_INITIALIZATION_FAILED', 'ERR_MEMORY_ALLOCATION_FAILED'],
  ...['ERR_WORKER_OUT_OF_MEMORY', 'ERR_WORKER_INIT_FAILED'],
];
/** The same for file handles, processes, and room on the disk. */
const OF_THE_REST: readonly string[] = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOBUFS', 'ENOSPC', 'EDQUOT'];

/** How V8 and OpenSSL word what has no code of its own: a buffer or the memory of a WebAssembly module was not to be had. */
const WORDS = /allocation failed|(?:could not|cannot) allocate|out of memory|malloc failure/i;

/** The code of an error, such as `ENOMEM`; empty where it has none. */
const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');

/** Whether an error, or the one that caused it, says that memory could not be had. */
export function isMemoryLack(error: unknown): boolean {
  const root = rootOf(error);
  if (!(root instanceof Error)) return false;
  const isWorded = root instanceof RangeError || codeOf(root).startsWith('ERR_OSSL');
  return OF_MEMORY.includes(codeOf(root)) || (isWorded && WORDS.test(root.message));
}

/** Whether an error, or the one that caused it, says that the machine lacks something. */
export function isLack(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof Error && (OF_THE_REST.includes(codeOf(root)) || isMemoryLack(root));
}

/** Throws an error that says that the machine lacks something; any other is left to the caller. */
export function throwLack(error: unknown): void {
  if (isLack(error)) throw error;
}

/** The error that the others were caused by. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof CtxError && root.cause !== undefined) root = root.cause;
  return root;
}
