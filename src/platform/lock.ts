/** A lock file that says who holds it, taken by one process at a time, and broken only when its holder is surely gone. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { monotonicTime, pause } from './clock.ts';
import { createFile, type Durability, errorCode, LINES_LIMIT, readIfThere, removeFile } from './files.ts';
import { sha1 } from './hash.ts';
import { encodeHolder, type Fate, fateOf, holderInWords, isUnfinished, parseHolder, thisProcess } from './holder.ts';
import type { IdSource } from './ids.ts';
import { publishFile } from './publish.ts';

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
/** Age from which a lock that says nothing whole is stale where it cannot be put in its place complete, in milliseconds. */
const GRACE = 2000;

/** What a process puts in the place of a lock file to take it. */
interface Claim extends Pick<LockOptions, 'path' | 'durability' | 'beforeBreak'> {
  /** A complete copy, to be linked. */
  temporary: string;
  content: string;
  /** Whether this file system has hard links, as far as is known. */
  links: boolean;
}

/** Whether a lock may be taken away. */
type Judge = (claim: Claim, path: string, text: string) => boolean;

/** Whether a lock can be broken: one of a process that is surely gone, or one whose writer was cut off. */
function isStale(claim: Claim, path: string, text: string): boolean {
  // Where there are hard links, no living process has an empty one.
  if (isUnfinished(text)) return (claim.links && text.trim() === '') || Date.now() - writtenAt(path) > GRACE;
  return fateOfLock(path, text) === 'gone';
}

/** Whether a lock may go where a person says that nobody has it: one of whoever does not surely run. */
const isNobodys: Judge = (_claim, path, text) => fateOfLock(path, text) !== 'runs';

/** What has become of the process that a lock names. */
function fateOfLock(path: string, text: string): Fate {
  const holder = parseHolder(text);
  return holder ? fateOf(holder, () => writtenAt(path)) : 'unknown';
}

/** When a file was written, in milliseconds of the wall clock; just now where it is gone. */
const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();

const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/**
 * Name of the second lock for what a lock says now: who has it may take that lock away, and nobody else, ever. What says
 * nothing whole has one name, so that whoever is still writing it can see that somebody is about to.
 */
export function secondLockOf(lock: string, path: string, text: string): string {
  const said = isUnfinished(text) ? '' : text;
  return `${lock}.${sha1(Buffer.from(`${basename(path)} ${said}`)).slice(0, 16)}.break`;
}

/**
 * Takes a lock away that is nobody's. The right to do so is a second lock, named after what the first one says; where its
 * holder died, the right is inherited in the same way. So there is one heir at any time, however many die.
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

/** Puts a complete lock file in a place where nothing stands yet; false where something does. */
function place(claim: Claim, path: string): boolean {
  return publishFile(claim.temporary, path, () => {
    claim.links = false;
    return create(claim, path);
  });
}

/**
 * The same without hard links: by exclusive creation. For a moment the file is empty then, and yet somebody's; who takes longer
 * than the grace may find it broken, and another's in its place. Whoever breaks it has the second lock before he looks for the
 * last time: so either he sees what was written by then, or he is seen here.
 */
function create(claim: Claim, path: string): boolean {
  try {
    createFile(path, claim.content, claim.durability);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return !isBeingBroken(claim, path) && read(path) === claim.content;
}

/** Whether a process that may live has the right to take away what was created, as of when it was empty. */
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
 * Takes a lock: written complete to a temporary name, then linked into place.
 * @returns a function that lets it go, if it is still ours
 * @throws {CtxError} busy, naming the holder, when it was not free in time
 */
export function takeLock(options: LockOptions): () => void {
  const { path } = options;
  const nonce = options.ids();
  withClaim(options, nonce, (claim) => {
    const attempt = (): boolean => {
      // Even when the time is up: what was cut off may just have become old enough.
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

/** Runs what needs a claim: its complete copy lies beside the lock until then. */
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

/** Tries until it is done or the time is up, with longer and longer pauses. */
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
 * Takes a lock away, since a person says that nobody has it: of another machine perhaps, of which nothing can be told here.
 * @returns whether there was one
 * @throws {CtxError} busy, where its holder surely runs, or somebody who does is about to take it away
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
  return new CtxError('busy', `${basename(path)} was not removed: ${holderInWords(text)} is alive and holds it.`, {
    hint: 'Wait for it, or end that process first.',
  });
}
