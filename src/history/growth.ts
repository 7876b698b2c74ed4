/** Lines that ctx adds to a transcript of an agent: no reader takes them for the agent's own, even if a kill separates them from their step. */

// The lines and the step that knows them cannot be written at once. A plan is written first, then the lines, then the pointer moves, all
// under LOCK. The next change of the store completes what was cut off: it moves the pointer if the lines are there, and truncates a part
// of them.
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { discard, ioError, readIfThere, removeFile, writeAll, writeDurably } from '../platform/files.ts';
import { isWholeCommit } from './chain/whole-commit.ts';
import type { Repository } from './store/repository.ts';

/** A plan of an addition. */
export interface Growth {
  file: string;
  /** Size of the file before, in bytes. */
  offset: number;
  /** The pointer of the session, its present value, and the step that knows the lines. */
  ref: string;
  old: string;
  next: string;
}

/** Adds text to a file; the caller moves the pointer afterwards. Only under LOCK. @throws {CtxError} busy, if the file has changed; io */
export function growFile(repository: Repository, growth: Growth, text: string): void {
  const { layout, durability } = repository;
  const { file, offset } = growth;
  if (sizeOf(file) !== offset)
    throw new CtxError('busy', `${file} has changed meanwhile.`, {
      hint: 'Nothing was changed. Run the command again.',
    });
  const plan = `${JSON.stringify(growth)}\n${text}`;
  writeDurably(layout.growth, `${layout.growth}.${repository.ids()}.tmp`, plan, durability);
  try {
    const handle = openSync(file, 'a');
    try {
      writeAll(handle, Buffer.from(text));
      if (durability.fsync) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    finishGrowth(repository);
    throw ioError('write', file, error);
  }
}

/** Removes the plan of an addition after its pointer has moved. */
export const growthDone = ({ layout }: Repository): void => discard(layout.growth);

/** Returns whether an addition was planned and perhaps cut off; a plan in a folder that may not be read blocks no other change. */
export const isGrowthPlanned = ({ layout }: Pick<Repository, 'layout'>): boolean => existsSync(layout.growth);

/** Completes an addition that was cut off, or takes it back. Only under LOCK. @returns a sentence; null if there was none */
export function finishGrowth(repository: Repository): string | null {
  const { layout, refs } = repository;
  if (!isGrowthPlanned(repository)) return null;
  const bytes = readIfThere(layout.growth);
  const end = bytes?.indexOf('\n') ?? -1;
  const growth = bytes && growthIn(bytes.toString('utf8', 0, Math.max(0, end)));
  let sentence: string | null = null;
  if (growth && refs.read(growth.ref) === growth.old)
    try {
      sentence = settled(repository, growth, bytes.subarray(end + 1));
    } catch (error) {
      // The file of the agent must not block the store.
      if (error instanceof CtxError) throw error;
      return null;
    }
  removeFile(layout.growth);
  return sentence;
}

function settled(repository: Repository, growth: Growth, text: Buffer): string | null {
  const { file, offset, ref, old, next } = growth;
  const added = bytesFrom(file, offset, text.length);
  if (added.length === 0) return null;
  if (added.equals(text) && isWholeCommit(repository, next)) {
    repository.secondNames.sync();
    repository.refs.move({ pointer: ref, old, new: next }, { at: repository.clock(), message: 'export' });
    return `Finished an export, which had been cut off: its lines are in ${file}.`;
  }
  if (added.length === text.length || !added.equals(text.subarray(0, added.length))) return null;
  truncateSync(file, offset);
  return `Took back a part of an export, which had been cut off, from ${file}.`;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? -1;

/** Returns the bytes of a file from an offset on, at most so many. */
function bytesFrom(file: string, offset: number, most: number): Buffer {
  const bytes = Buffer.alloc(Math.min(most, Math.max(0, sizeOf(file) - offset)));
  if (bytes.length === 0) return bytes;
  const handle = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(handle);
  }
}

function growthIn(line: string): Growth | null {
  try {
    return JSON.parse(line) as Growth;
  } catch {
    // It was written by no ctx.
    return null;
  }
}
