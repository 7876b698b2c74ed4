// Exports for processes of the tests: the library, and the parts below it that are tested between processes.

export { runInterruptible } from '../../src/app/interruption.ts';
export * from '../../src/index.ts';
export { uuidSource } from '../../src/platform/ids.ts';
export { takeLock } from '../../src/platform/lock.ts';
export { readHandle } from '../../src/platform/pieces.ts';
