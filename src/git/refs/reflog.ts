/** Git's reflog of our pointers: one line a move, appended whole. */
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

/** Never through a link: the log of a stranger's store could be one to a file of the user's. */
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

const logPath = (root: string, ref: string): string => below(root, 'logs', ref);

/** Whether a move of a pointer can be told of: asked before it moves. @throws {CtxError} damaged */
export function checkReflog(root: string, pointer: string): void {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(logPath(root, pointer), { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', logPath(root, pointer), error);
  }
  if (stat && !stat.isFile()) throw damaged(`logs/${pointer}`, 'it must be a file');
}

/** Appends a line for a pointer that has moved already: a full or broken disk must not make a failure of that. @throws {CtxError} io */
export function appendReflog(root: string, move: PointerMove, story: Story, durability: Durability): void {
  try {
    appendForSure(root, move, story, durability);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT', 'EIO'].includes(rootCode(error))) throw error;
  }
}

/** Appends a line that something depends on; one that a killed process left unfinished is ended first. @throws {CtxError} io */
export function appendForSure(root: string, move: PointerMove, story: Story, durability: Durability): void {
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

/** Whether the file's last line is ended; an empty file has none. */
function endsInLine(handle: number): boolean {
  const { size } = fstatSync(handle);
  const last = Buffer.alloc(1);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  return size === 0 || last[0] === 0x0a;
}

/** Begins a pointer's reflog anew: what it held on to may go. */
export function restartReflog(root: string, ref: string, head: string, at: number, durability: Durability): void {
  removeFile(logPath(root, ref));
  appendReflog(root, { pointer: ref, old: null, new: head }, { at, message: 'gc: steps expired' }, durability);
}

/** Largest reflog that is read whole, in bytes: some three hundred thousand moves. */
export const WHOLE = 64 * 1024 * 1024;

/** All of a reflog, by its name from the store's root, by bytes: a line of Git's may be in any encoding. @throws {CtxError} damaged */
export function wholeReflog(root: string, name: string): Buffer {
  const path = below(root, name);
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= WHOLE)
    return readIfThere(path, WHOLE) ?? Buffer.alloc(0);
  throw damaged(name, 'it is far too large', {
    hint: `Nothing was changed. Move it out of the store, or shorten it: ${path}`,
  });
}

/** Takes the lines out of a reflog that name an object which is gone: Git calls each of them damage. Only under LOCK. */
export function leaveOut(root: string, ref: string, value: string, durability: Durability): void {
  const text = wholeReflog(root, `logs/${ref}`).toString('latin1');
  const kept = text
    .split('\n')
    .filter((line) => !line.startsWith(value) && !line.startsWith(`${value} `, value.length + 1));
  const temporary = below(root, 'LOCK.reflog.tmp');
  removeFile(temporary);
  writeDurably(logPath(root, ref), temporary, Buffer.from(kept.join('\n'), 'latin1'), durability);
}

/** A ref that is gone has no reflog, as in Git; what it named stays reachable from the ref that took over. */
export function dropReflog(root: string, ref: string, durability: Durability): void {
  const path = logPath(root, ref);
  if (removeFile(path)) syncFolder(dirname(path), durability);
}

/** How much of a reflog's end is looked at first for its last line, in bytes. */
const TAIL = 2048;
/** How much of a reflog is read at most, in bytes: some hundred thousand moves. */
const LONGEST = 16 * 1024 * 1024;

/** The last value that a pointer's reflog tells of, or null. */
export const lastOfReflog = (root: string, ref: string): string | null => lastLine(root, ref)?.new ?? null;

/** When a pointer moved last, in Unix seconds; 0 where its reflog does not tell. */
export const lastMoved = (root: string, ref: string): number => lastLine(root, ref)?.at ?? 0;

function lastLine(root: string, ref: string): Line | undefined {
  try {
    // A line is as long as its message: what is looked at grows until a whole one stands in it.
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

/** Opens a reflog to read it. @throws the file system's own error, or {CtxError} damaged */
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
  /** Unix seconds; 0 where the line tells none. */
  at: number;
  /** What moved it, in words. */
  message: string;
}

/** The lines that stand whole in the last bytes of a reflog. */
function tailOf(handle: number, size: number, bytes: number): Line[] {
  const tail = Buffer.alloc(Math.min(size, bytes));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const text = tail.toString('latin1');
  // What a line that begins further up says of itself is a piece of its message: it could look like a line.
  return parseLines(tail.length === size ? text : text.slice(text.indexOf('\n') + 1 || text.length));
}

/** Whether a pointer had a value once and has another one since, by its reflog. */
export function hasMovedOn(root: string, ref: string, value: string): boolean {
  const last = lastOfReflog(root, ref);
  if (last === null || last === value) return false;
  return readReflog(root, ref).some((line) => line.old === value || line.new === value);
}

/**
 * The lines of a pointer's reflog, oldest first, of a very long one the last ones; one that a killed process left unfinished is passed over.
 * @param bytes how much of its end is read at most
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
