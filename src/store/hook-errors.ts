/** What went wrong in hooks: a bounded list of lines, so that an agent is never stopped and nothing is hidden. */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { damaged } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { oneLine } from '../core/text.ts';
import { ioError, readIfThere, writeAll, writeDurably } from '../platform/files.ts';
import type { Layout } from './layout.ts';
import type { Repository } from './repository.ts';

/** Largest file; beyond it the older half goes. */
const LIMIT = 256 * 1024;
const APPEND =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0);

/** One failure of a hook. It never holds the payload. */
export interface HookError {
  /** Unix seconds. */
  at: number;
  agent: string;
  /** The agent's own name of the event; empty where the payload could not be read. */
  event: string;
  code: string;
  message: string;
}

/** Appends one failure. */
export function noteHookError({ hookErrors: path }: Pick<Layout, 'hookErrors'>, error: HookError): void {
  const line = `${JSON.stringify({ ...error, message: oneLine(error.message, 500) })}\n`;
  try {
    const handle = openSync(path, APPEND, 0o600);
    try {
      if (!fstatSync(handle).isFile()) throw damaged('hook-errors.jsonl', 'it must be a file');
      // One write: lines of two hooks at once never mix.
      writeAll(handle, Buffer.from(line));
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    throw ioError('write', path, cause);
  }
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LIMIT) halve(path);
}

function halve(path: string): void {
  const lines = (readIfThere(path)?.toString('utf8') ?? '').split('\n');
  const kept = lines.slice(Math.floor(lines.length / 2)).join('\n');
  writeDurably(path, `${path}.${process.pid}.tmp`, kept, { fsync: false });
}

/** The failures that are known, oldest first; a line that cannot be read is passed over. */
export function readHookErrors(repository: Repository): HookError[] {
  const text = readIfThere(repository.layout.hookErrors)?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as unknown;
      return isObject(value) && Number.isSafeInteger(value.at) ? [value as unknown as HookError] : [];
    } catch {
      return [];
    }
  });
}
