// Exports the parts that processes of the tests use: the library, and the parts below it that have something to prove between processes.
export * from '../../src/index.ts';
export { uuidSource } from '../../src/platform/ids.ts';
export { takeLock } from '../../src/platform/lock.ts';
export { readHandle } from '../../src/platform/pieces.ts';
