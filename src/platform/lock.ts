/** A lock file that names its holder, taken by one process at a time, and broken only if its holder is certainly gone. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { monotonicTime, pause } from './clock.ts';
import { createFile, type Durability, errorCode, LINES_LIMIT, readIfThere, removeFile } from './files.ts';
import { sha1 } from './hash.ts';
import {
  describeHolder,
  encodeHolder,
  type HolderState,
  isUnfinished,
  parseHolder,
  stateOfHolder,
  thisProcess,
} from './holder.ts';
import type { IdSource } from './ids.ts';
import { publishFile } from './publish.ts';

export interface LockOptions {
  path: string;
  /** Runs before the lock of a killed holder is removed: nobody uses the state that the holder left until this is done. */
  beforeBreak?: () => void;
  /** Longest wait in milliseconds. */
  wait: number;
  ids: IdSource;
  durability: Durability;
}

/** First and longest pause between two attempts, in milliseconds (format rule of ctx). */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 250;
/** Age in milliseconds at which an incomplete lock file is stale, on a file system where lock files cannot appear complete. */
const GRACE = 2000;

/** The lock file that a process offers in order to take a lock. */
interface Claim extends Pick<LockOptions, 'path' | 'durability' | 'beforeBreak'> {
  /** Path of a complete copy, to be linked. */
  temporary: string;
  content: string;
  /** Whether this file system has hard links, as far as is known. */
  links: boolean;
}

/** Decides whether a lock may be removed. */
type Judge = (claim: Claim, path: string, text: string) => boolean;

/** Returns whether a lock can be broken: its holder is certainly gone, or its writer was killed. */
function isStale(claim: Claim, path: string, text: string): boolean {
  // On a file system with hard links no living process has an empty lock file.
  if (isUnfinished(text)) return (claim.links && text.trim() === '') || Date.now() - writtenAt(path) > GRACE;
  return fateOfLock(path, text) === 'gone';
}

/** Returns whether a lock may be removed on the word of a person: unless its holder certainly runs. */
const isNobodys: Judge = (_claim, path, text) => fateOfLock(path, text) !== 'runs';

/** Returns the state of the process that a lock names. */
function fateOfLock(path: string, text: string): HolderState {
  const holder = parseHolder(text);
  return holder ? stateOfHolder(holder, () => writtenAt(path)) : 'unknown';
}

/** Returns when a file was written, in milliseconds of the wall clock; now, if it is gone. */
export const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();

const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/**
 * Returns the path of the second lock for the present content of a lock: only the holder of the second lock may remove the
 * first one. All incomplete contents share one path, so that a process that is still writing notices that it is about to be
 * broken.
 */
export function secondLockOf(lock: string, path: string, text: string): string {
  const said = isUnfinished(text) ? '' : text;
  return `${lock}.${sha1(Buffer.from(`${basename(path)} ${said}`)).slice(0, 16)}.break`;
}

/**
 * Removes a stale lock. The right to remove it is a second lock, named after the content of the first one; if the holder of
 * the second lock died, that right passes on in the same way. So there is one successor at any time, however many die.
 * @returns whether the lock is gone
 */
function takeAway(claim: Claim, mayGo: Judge): boolean {
  const found: { path: string; text: string }[] = [];
  let path = claim.path;
  do {
    const text = read(path);
    if (text === undefined || !mayGo(claim, path, text)) return false;
    found.push({ path, text });
    path = secondLockOf(claim.path, path, text);
  } while (!place(claim, path));
  try {
    const unchanged = found.every((lock) => read(lock.path) === lock.text && mayGo(claim, lock.path, lock.text));
    if (unchanged) claim.beforeBreak?.();
    if (unchanged) for (const lock of found) removeFile(lock.path);
    return unchanged;
  } finally {
    removeFile(path);
  }
}

/** Publishes a complete lock file at a free path; returns false if the path is taken. */
function place(claim: Claim, path: string): boolean {
  return publishFile(claim.temporary, path, () => {
    claim.links = false;
    return create(claim, path);
  });
}

/**
 * Publishes without hard links, by exclusive creation. For a moment the file is empty although it has a holder; a writer
 * that takes longer than the grace period may find the file broken and replaced. A process that breaks the file takes the
 * second lock before its last look: so either it sees the content, or the writer sees its second lock here.
 */
function create(claim: Claim, path: string): boolean {
  try {
    createFile(path, claim.content, claim.durability);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return !isBeingBroken(claim, path) && read(path) === claim.content;
}

/** Returns whether a process that may be alive has the right to remove the created file, as of when the file was empty. */
function isBeingBroken(claim: Claim, path: string): boolean {
  let at = path;
  for (let text: string | undefined = ''; ; ) {
    at = secondLockOf(claim.path, at, text);
    text = read(at);
    if (text === undefined) return false;
    if (text !== claim.content && !isStale(claim, at, text)) return true;
  }
}

/**
 * Takes a lock: written complete under a temporary name, then linked into place.
 * @returns a function that releases the lock if it is still ours
 * @throws {CtxError} busy, naming the holder, if the lock was not free in time
 */
export function takeLock(options: LockOptions): () => void {
  const { path } = options;
  const nonce = options.ids();
  withClaim(options, nonce, (claim) => {
    const attempt = (): boolean => {
      // Even if the time is up: an incomplete lock may just have become old enough.
      while (!place(claim, path)) if (!takeAway(claim, isStale)) return false;
      return true;
    };
    if (!tryFor(options.wait, attempt)) throw busy(options, read(path) ?? '');
  });
  return () => {
    const text = read(path);
    if (text !== undefined && parseHolder(text)?.nonce === nonce) removeFile(path);
  };
}

/** Runs a function with a claim, whose complete copy exists beside the lock meanwhile. */
function withClaim<T>(options: LockOptions, nonce: string, body: (claim: Claim) => T): T {
  const { path, durability, beforeBreak } = options;
  const content = encodeHolder(thisProcess(nonce));
  const temporary = `${path}.${nonce}.tmp`;
  const claim: Claim = { path, durability, ...(beforeBreak && { beforeBreak }), temporary, content, links: true };
  createFile(temporary, content, durability);
  try {
    return body(claim);
  } finally {
    removeFile(temporary);
  }
}

/** Repeats an attempt until it succeeds or the time is up, with growing pauses. */
function tryFor(wait: number, attempt: () => boolean): boolean {
  const started = monotonicTime();
  for (let next = FIRST_PAUSE; !attempt(); next = Math.min(next * 2, LONGEST_PAUSE)) {
    const left = wait - (monotonicTime() - started);
    if (left <= 0) return false;
    pause(Math.min(left, next * (0.5 + Math.random() / 2)));
  }
  return true;
}

function busy(options: LockOptions, text: string): CtxError {
  const holder = describeHolder(text);
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
 * Removes a lock because a person says that nobody holds it, for example one of another machine, which cannot be judged from
 * here.
 * @returns whether there was one
 * @throws {CtxError} busy, if its holder certainly runs, or a running process is about to remove it
 */
export function breakLock(options: LockOptions): boolean {
  const { path } = options;
  if (read(path) === undefined) return false;
  let broken = false;
  const attempt = (claim: Claim): boolean => {
    const text = read(path);
    if (text === undefined) return true;
    if (!isNobodys(claim, path, text)) throw alive(path, text);
    broken = takeAway(claim, isNobodys);
    return broken;
  };
  withClaim(options, options.ids(), (claim) => {
    if (!tryFor(options.wait, () => attempt(claim))) throw busy(options, read(path) ?? '');
  });
  return broken;
}

function alive(path: string, text: string): CtxError {
  return new CtxError('busy', `${basename(path)} was not removed: ${describeHolder(text)} is alive and holds it.`, {
    hint: 'Wait for it, or end that process first.',
  });
}
