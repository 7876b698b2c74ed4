/** Errors of hooks: a bounded list of lines, so that no hook stops an agent and no error is hidden. */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import type { Layout } from '../../git/layout.ts';
import { errorCode, ioError, writeAll, writeDurably } from '../../platform/files.ts';
import { checkPinned } from '../../platform/pinned-folders.ts';
import { readEnd } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Repository } from './repository.ts';

/** Largest file; beyond it the older half is dropped. */
const LIMIT = 256 * 1024;
const APPEND =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);

/** One error of a hook. It never contains the payload. */
export interface HookError {
  /** Unix seconds. */
  at: number;
  agent: string;
  /** The agent's own name of the event; empty if the payload could not be read. */
  event: string;
  code: string;
  message: string;
}

/** Appends one error. @throws {CtxError} io, with the error's message, which is shown nowhere else then */
export function noteHookError({ hookErrors: path }: Pick<Layout, 'hookErrors'>, error: HookError): void {
  checkPinned(path);
  const line = `${JSON.stringify({ ...error, message: oneLine(error.message, 500) })}\n`;
  try {
    const handle = openSync(path, APPEND, 0o600);
    try {
      if (!fstatSync(handle).isFile()) throw damaged('hook-errors.jsonl', 'it must be a file');
      // One write: lines of two concurrent hooks never mix.
      writeAll(handle, Buffer.from(line));
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    const { message, hint } = ioError('write', path, cause);
    const whose = [error.agent, error.event].filter(Boolean).join(' ');
    throw new CtxError('io', `${oneLine(`${whose}: ${error.message}`, 500)} (and no status will show it: ${message})`, {
      hint,
      cause,
    });
  }
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LIMIT)
    writeDurably(path, `${path}.${process.pid}.tmp`, lastLines(path, LIMIT / 2), { fsync: false });
}

/** Returns the complete lines in the last bytes of the file, whatever its size; empty if there is none. */
function lastLines(path: string, bytes: number): string {
  try {
    // One byte more, which shows whether the first line is complete.
    const end = readEnd(path, bytes + 1);
    return end.subarray(end.length > bytes ? end.indexOf(0x0a) + 1 : 0).toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw ioError('read', path, error);
  }
}

/** Validates a line, which anybody may have written. */
const isHookError = (value: unknown): value is HookError =>
  isObject(value) &&
  Number.isSafeInteger(value.at) &&
  [value.agent, value.event, value.code, value.message].every((text) => typeof text === 'string');

/** The content of the list. */
export interface HookErrorList {
  /** Oldest first. */
  errors: HookError[];
  /** Number of unreadable lines. */
  unreadable: number;
}

/** Reads the errors and the number of unreadable lines. */
export function readHookErrorList({ layout }: Repository): HookErrorList {
  const list: HookErrorList = { errors: [], unreadable: 0 };
  for (const line of lastLines(layout.hookErrors, 2 * LIMIT).split('\n')) {
    const error = errorIn(line);
    if (error !== null) list.errors.push(error);
    else if (line !== '') list.unreadable += 1;
  }
  return list;
}

function errorIn(line: string): HookError | null {
  try {
    const value = JSON.parse(line) as unknown;
    return isHookError(value) ? value : null;
  } catch (error) {
    throwResourceError(error);
    return null;
  }
}

/** Returns the errors, oldest first. */
export const readHookErrors = (repository: Repository): HookError[] => readHookErrorList(repository).errors;
