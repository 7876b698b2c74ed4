/** A lock file that says who holds it, and is broken only when its holder is surely gone. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { CtxError } from '../core/errors.ts';
import { createFile, type Durability, errorCode, ioError, linkFile, pause, readIfThere, removeFile } from './files.ts';
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
  /** Longest wait in milliseconds. */
  wait: number;
  ids: IdSource;
  durability: Durability;
}

/** First and longest pause between two tries, in milliseconds (format rule of ctx). */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 250;

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
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
    host: hostname(),
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

/** Whether the lock can be broken: an empty one, or one of this host whose process is surely gone. */
function isStale(text: string): boolean {
  if (text.trim() === '') return true;
  const holder = parseHolder(text);
  if (!holder) return false;
  const self = thisProcess('');
  if (holder.host !== self.host) return false;
  // The machine was started again since: no process of then is left.
  if (holder.boot !== '' && self.boot !== '' && holder.boot !== self.boot) return true;
  return holder.namespace === self.namespace && !isAlive(holder);
}

/** Takes a stale lock away under a second lock, after reading it again, so that no one's live lock is ever taken. */
function breakStale(options: LockOptions, temporary: string): void {
  const guard = `${options.path}.break`;
  if (!linkFile(temporary, guard)) {
    const text = readIfThere(guard)?.toString('utf8');
    // A breaker that died between its two calls: only the same test may take its guard away.
    if (text !== undefined && isStale(text)) removeFile(guard);
    return;
  }
  try {
    const text = readIfThere(options.path)?.toString('utf8');
    if (text !== undefined && isStale(text)) removeFile(options.path);
  } finally {
    removeFile(guard);
  }
}

/** Describes the holder for a person. */
function holderInWords(text: string): string {
  const holder = parseHolder(text);
  return holder ? `process ${holder.pid} on ${holder.host}` : 'a process that did not say who it is';
}

function tryLink(temporary: string, options: LockOptions, content: string): boolean {
  try {
    return linkFile(temporary, options.path);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error))) {
      throw ioError('lock', options.path, error);
    }
  }
  // No hard links here: exclusive creation is what is left.
  try {
    createFile(options.path, content, options.durability);
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
  const nonce = options.ids();
  const content = `${JSON.stringify(thisProcess(nonce))}\n`;
  const temporary = `${options.path}.${nonce}.tmp`;
  createFile(temporary, content, options.durability);
  try {
    const started = performance.now();
    for (let next = FIRST_PAUSE; !tryLink(temporary, options, content); next = Math.min(next * 2, LONGEST_PAUSE)) {
      const text = readIfThere(options.path)?.toString('utf8');
      const left = options.wait - (performance.now() - started);
      if (left <= 0) throw busy(options, text ?? '');
      if (text !== undefined && isStale(text)) breakStale(options, temporary);
      else pause(Math.min(left, next * (0.5 + Math.random() / 2)));
    }
  } finally {
    removeFile(temporary);
  }
  return () => {
    const text = readIfThere(options.path)?.toString('utf8');
    if (text !== undefined && parseHolder(text)?.nonce === nonce) removeFile(options.path);
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
  const text = readIfThere(path)?.toString('utf8');
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
