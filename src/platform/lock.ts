/** A lock file that says who holds it, and is broken only when its holder is surely gone. */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Os from 'node:os';
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { monotonicTime } from './clock.ts';
import {
  createFile,
  type Durability,
  errorCode,
  ioError,
  LINES_LIMIT,
  linkFile,
  pause,
  readIfThere,
  removeFile,
} from './files.ts';
import { sha1 } from './hash.ts';
import type { IdSource } from './ids.ts';

/** What a lock file says of its holder. */
interface Holder {
  pid: number;
  host: string;
  /** Changes with each start of the machine; empty where the system tells none. */
  boot: string;
  /** PID namespace; empty where the system has none. */
  namespace: string;
  /** When the process started, in the system's own unit; empty where unknown. */
  started: string;
  nonce: string;
}

export interface LockOptions {
  path: string;
  /** Runs before a lock is taken away whose holder was killed: nobody works on what he left until it is done. */
  beforeBreak?: () => void;
  /** Longest wait in milliseconds. */
  wait: number;
  ids: IdSource;
  durability: Durability;
}

/** First and longest pause between two tries, in milliseconds (format rule of ctx). */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 250;
/** Age from which an empty lock is stale where a lock cannot be put in its place complete, in milliseconds. */
const EMPTY_GRACE = 2000;

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The name of this machine; where the system shows it as a file, node:os need not be loaded. */
function hostName(): string {
  const told = readSystem('/proc/sys/kernel/hostname');
  return told === '' ? (createRequire(import.meta.url)('node:os') as typeof Os).hostname() : told;
}

function namespaceOfProcess(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Start time of a process in clock ticks since boot: field 22 of proc(5) stat, counted behind the name's last bracket. */
function startOf(pid: number | 'self'): string {
  return statOf(pid)[19] ?? '';
}

/** The fields of proc(5) stat behind the name, which may have blanks and brackets in it; the first is the state. */
function statOf(pid: number | 'self'): string[] {
  const stat = readSystem(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function thisProcess(nonce: string): Holder {
  return {
    pid: process.pid,
    host: hostName(),
    boot: readSystem('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOfProcess(),
    started: startOf('self'),
    nonce,
  };
}

/** Whether a process of this host and namespace still runs. */
function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const [state = '', ...fields] = statOf(holder.pid);
  // One that has ended and whose parent has not looked yet holds nothing any more.
  if (state === 'Z' || state === 'X') return false;
  // The number may have been given to another process since.
  const started = fields[18] ?? '';
  return holder.started === '' || started === '' || started === holder.started;
}

function parseHolder(text: string): Holder | null {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    return value && typeof value.pid === 'number' && typeof value.nonce === 'string' ? (value as Holder) : null;
  } catch {
    return null;
  }
}

/** What a process puts in the place of a lock file to take it. */
interface Claim extends Pick<LockOptions, 'path' | 'durability' | 'beforeBreak'> {
  /** A complete copy, to be linked. */
  temporary: string;
  content: string;
  /** Whether this file system has hard links, as far as is known. */
  links: boolean;
}

/** Whether a lock can be broken: an empty one, or one of this host whose process is surely gone. */
function isStale(claim: Claim, path: string, text: string): boolean {
  if (text.trim() === '') return claim.links || age(path) > EMPTY_GRACE;
  const holder = parseHolder(text);
  if (!holder) return false;
  const self = thisProcess('');
  if (holder.host !== self.host) return false;
  // The machine was started again since: no process of then is left.
  if (holder.boot !== '' && self.boot !== '' && holder.boot !== self.boot) return true;
  return holder.namespace === self.namespace && !isAlive(holder);
}

/** Milliseconds since a file was written; none where it is gone. */
function age(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? Date.now() - stat.mtimeMs : 0;
}

const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/** Name of the second lock for what a lock says now: who creates it may take that lock away, and nobody else, ever. */
export const guardOf = (lock: string, path: string, text: string): string =>
  `${lock}.${sha1(Buffer.from(`${basename(path)} ${text}`)).slice(0, 16)}.break`;

/**
 * Takes a stale lock away. The right to do so is a second lock, named after what the first one says; where its holder died,
 * the right is inherited in the same way. So there is one heir at any time, however many die.
 * @returns whether the lock is gone
 */
function breakStale(claim: Claim): boolean {
  const stale: { path: string; text: string }[] = [];
  let path = claim.path;
  do {
    const text = read(path);
    if (text === undefined || !isStale(claim, path, text)) return false;
    stale.push({ path, text });
    path = guardOf(claim.path, path, text);
  } while (!place(claim, path));
  try {
    const unchanged = stale.every((lock) => read(lock.path) === lock.text && isStale(claim, lock.path, lock.text));
    if (unchanged) claim.beforeBreak?.();
    if (unchanged) for (const lock of stale) removeFile(lock.path);
    return unchanged;
  } finally {
    removeFile(path);
  }
}

/** Describes the holder for a person. */
function holderInWords(text: string): string {
  const holder = parseHolder(text);
  return holder ? `process ${holder.pid} on ${holder.host}` : 'a process that did not say who it is';
}

/** Puts a complete lock file in a place where nothing stands yet; false where something does. */
function place(claim: Claim, path: string): boolean {
  try {
    return linkFile(claim.temporary, path);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error))) {
      throw ioError('lock', path, error);
    }
  }
  // No hard links here: exclusive creation is what is left. For a moment the file is empty then, and yet somebody's.
  claim.links = false;
  try {
    createFile(path, claim.content, claim.durability);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Takes a lock: written complete to a temporary name, then linked into place.
 * @returns a function that lets it go, if it is still ours
 * @throws {CtxError} busy, naming the holder, when it was not free in time
 */
export function takeLock(options: LockOptions): () => void {
  const { path, durability, wait, beforeBreak } = options;
  const nonce = options.ids();
  const content = `${JSON.stringify(thisProcess(nonce))}\n`;
  const claim: Claim = {
    path,
    durability,
    ...(beforeBreak && { beforeBreak }),
    temporary: `${path}.${nonce}.tmp`,
    content,
    links: true,
  };
  createFile(claim.temporary, content, durability);
  try {
    const started = monotonicTime();
    for (let next = FIRST_PAUSE; !place(claim, path); next = Math.min(next * 2, LONGEST_PAUSE)) {
      const text = read(path);
      const left = wait - (monotonicTime() - started);
      if (left <= 0) throw busy(options, text ?? '');
      const gone = text !== undefined && breakStale(claim);
      if (!gone) pause(Math.min(left, next * (0.5 + Math.random() / 2)));
    }
  } finally {
    removeFile(claim.temporary);
  }
  return () => {
    const text = read(path);
    if (text !== undefined && parseHolder(text)?.nonce === nonce) removeFile(path);
  };
}

function busy(options: LockOptions, text: string): CtxError {
  const holder = holderInWords(text);
  return new CtxError(
    'busy',
    `The store is busy: ${holder} holds its lock (waited ${Math.round(options.wait / 1000)} s).`,
    {
      hint: 'Run the command again. If no ctx is running there: ctx fsck --break-lock',
      data: { holder: parseHolder(text) },
    },
  );
}

/**
 * Takes a lock away that nobody living on this machine holds.
 * @returns whether there was one
 * @throws {CtxError} busy, where its holder is alive
 */
export function breakLock(path: string): boolean {
  const text = read(path);
  if (text === undefined) return false;
  const holder = parseHolder(text);
  const self = thisProcess('');
  const here = holder?.host === self.host && holder.namespace === self.namespace && holder.boot === self.boot;
  if (holder && here && isAlive(holder)) {
    throw new CtxError('busy', `LOCK was not removed: ${holderInWords(text)} is alive and holds it.`, {
      hint: 'Wait for it, or end that process first.',
    });
  }
  return removeFile(path);
}
