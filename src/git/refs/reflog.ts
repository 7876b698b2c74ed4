/** Reads and writes Git's reflogs of the pointers of ctx: one line a move, appended whole. */
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { damaged } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import { below } from '../../platform/below.ts';
import {
  type Durability,
  errorCode,
  ioError,
  makeFolder,
  readIfThere,
  removeFile,
  rootCode,
  syncFolder,
  writeAll,
  writeDurably,
} from '../../platform/files.ts';
import { openPlain } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { PointerMove, Story } from './pointer.ts';
import { NO_OBJECT } from './reflog-end.ts';

/** Follows no link: the log of a stranger's store could be one to a file of the user's. */
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

const logPath = (root: string, ref: string): string => below(root, 'logs', ref);

/** Checks, before a pointer moves, that its reflog can be written. @throws {CtxError} damaged */
export function checkReflog(root: string, pointer: string): void {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(logPath(root, pointer), { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', logPath(root, pointer), error);
  }
  if (stat && !stat.isFile()) throw damaged(`logs/${pointer}`, 'it must be a file');
}

/** Appends a line for a pointer that has moved already: a full or broken disk must not make the move fail. @throws {CtxError} io */
export function appendReflog(root: string, move: PointerMove, story: Story, durability: Durability): void {
  try {
    appendRequired(root, move, story, durability);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT', 'EIO'].includes(rootCode(error))) throw error;
  }
}

/** Appends a line that something depends on; terminates an unfinished line of a killed process first. @throws {CtxError} io */
export function appendRequired(root: string, move: PointerMove, story: Story, durability: Durability): void {
  const path = logPath(root, move.pointer);
  const line = `${move.old ?? NO_OBJECT} ${move.new ?? NO_OBJECT} ctx <ctx@localhost> ${story.at} +0000\t${oneLine(story.message)}\n`;
  let handle: number | undefined;
  try {
    makeFolder(dirname(path), durability);
    handle = openSync(path, APPEND, 0o600);
    writeAll(handle, Buffer.from(endsInLine(handle) ? line : `\n${line}`));
    if (durability.fsync) fsyncSync(handle);
  } catch (error) {
    throw ioError('write', path, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Returns whether the file's last line is terminated; true if the file is empty. */
function endsInLine(handle: number): boolean {
  const { size } = fstatSync(handle);
  const last = Buffer.alloc(1);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  return size === 0 || last[0] === 0x0a;
}

/** Restarts a pointer's reflog, so that the commits that it kept reachable may be collected. */
export function restartReflog(root: string, ref: string, head: string, at: number, durability: Durability): void {
  removeFile(logPath(root, ref));
  appendReflog(root, { pointer: ref, old: null, new: head }, { at, message: 'gc: steps expired' }, durability);
}

/** Largest reflog that is read whole, in bytes: some three hundred thousand moves. */
export const WHOLE = 64 * 1024 * 1024;

/**
 * Reads a whole reflog by its name from the store's root, as bytes: a line of Git's may be in any encoding.
 * @throws {CtxError} damaged
 */
export function wholeReflog(root: string, name: string): Buffer {
  const path = below(root, name);
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= WHOLE)
    return readIfThere(path, WHOLE) ?? Buffer.alloc(0);
  throw damaged(name, 'it is far too large', {
    hint: `Nothing was changed. Move it out of the store, or shorten it: ${path}`,
  });
}

/** Removes the lines of a reflog that name a missing object: Git reports each of them as damage. Only under LOCK. */
export function removeFromReflog(root: string, ref: string, value: string, durability: Durability): void {
  const text = wholeReflog(root, `logs/${ref}`).toString('latin1');
  const kept = text
    .split('\n')
    .filter((line) => !line.startsWith(value) && !line.startsWith(`${value} `, value.length + 1));
  const temporary = below(root, 'LOCK.reflog.tmp');
  removeFile(temporary);
  writeDurably(logPath(root, ref), temporary, Buffer.from(kept.join('\n'), 'latin1'), durability);
}

/** Removes the reflog of a deleted ref, as Git does; its commits stay reachable from the ref that replaced it. */
export function dropReflog(root: string, ref: string, durability: Durability): void {
  const path = logPath(root, ref);
  if (removeFile(path)) syncFolder(dirname(path), durability);
}

/** Bytes of a reflog's end that are read first for its last line. */
const TAIL = 2048;
/** Most bytes of a reflog that are read: some hundred thousand moves. */
const LONGEST = 16 * 1024 * 1024;

/** Returns the new value in the last line of a pointer's reflog, or null. */
export const lastOfReflog = (root: string, ref: string): string | null => lastLine(root, ref)?.new ?? null;

/** Returns when a pointer moved last, in Unix seconds; 0 if its reflog does not say. */
export const lastMoved = (root: string, ref: string): number => lastLine(root, ref)?.at ?? 0;

function lastLine(root: string, ref: string): Line | undefined {
  try {
    // A line is as long as its message: the range grows until it has a complete line.
    return withReflog(root, ref, (handle, size) => {
      for (let bytes = TAIL; ; bytes *= 8) {
        const last = tailOf(handle, size, bytes).at(-1);
        if (last || bytes >= Math.min(size, LONGEST)) return last;
      }
    });
  } catch (error) {
    throwResourceError(error);
    return undefined;
  }
}

/** Opens a reflog for reading. @throws the file system's own error, or {CtxError} damaged */
function withReflog<T>(root: string, ref: string, read: (handle: number, size: number) => T): T {
  const { handle, size } = openPlain(logPath(root, ref));
  try {
    return read(handle, size);
  } finally {
    closeSync(handle);
  }
}

interface Line {
  old: string | null;
  new: string | null;
  /** Unix seconds; 0 if the line has none. */
  at: number;
  /** The reason of the move. */
  message: string;
}

/** Returns the complete lines in the last bytes of a reflog. */
function tailOf(handle: number, size: number, bytes: number): Line[] {
  const tail = Buffer.alloc(Math.min(size, bytes));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const text = tail.toString('latin1');
  // The rest of a line that begins further up is a part of its message, which could look like a line.
  return parseLines(tail.length === size ? text : text.slice(text.indexOf('\n') + 1 || text.length));
}

/** Returns whether a pointer's reflog has a move away from a value. */
export function hasMovedOn(root: string, ref: string, value: string): boolean {
  const last = lastOfReflog(root, ref);
  if (last === null || last === value) return false;
  return readReflog(root, ref).some((line) => line.old === value || line.new === value);
}

/**
 * Reads the lines of a pointer's reflog, oldest first; of a very long one only the last; skips a line that a killed process
 * left unfinished.
 * @param bytes most bytes of its end that are read
 */
export function readReflog(root: string, ref: string, bytes = LONGEST): Line[] {
  try {
    return withReflog(root, ref, (handle, size) => tailOf(handle, size, bytes));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw ioError('read', logPath(root, ref), error);
  }
}

function parseLines(text: string): Line[] {
  const value = (oid: string): string | null => (oid === NO_OBJECT ? null : oid);
  return text
    .split('\n')
    .map((line) => /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\t]*)(?:\t(.*))?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, old = '', next = '', who = '', message = '']) => ({
      old: value(old),
      new: value(next),
      at: Number(/> (\d+) [+-]\d{4}$/.exec(who)?.[1] ?? 0),
      message,
    }));
}
