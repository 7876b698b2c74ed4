/** Every path under `.ctx`, and the names that are ours. */
import { below } from '../platform/below.ts';

export const MAIN = 'refs/heads/main';
export const SESSIONS = 'refs/sessions/';
export const ARCHIVE = 'refs/archive/';

/** Longest record, in bytes: what `observe batch` takes in one line, and what is written around it. */
export const RECORD_LIMIT = 17 * 1024 * 1024;

/**
 * Largest content that is held in memory as one object: larger ones are kept as a tree of chunks, and a stranger's zlib
 * bomb stops here.
 */
export const CONTENT_LIMIT = 64 * 1024 * 1024;

/** Largest file of a loose object, or of one that waits: what cannot be deflated grows a little. */
export const LOOSE_LIMIT = CONTENT_LIMIT + 1024 * 1024;

export const sessionRef = (id: string): string => `${SESSIONS}${id}`;
export const archiveRef = (id: string): string => `${ARCHIVE}${id}`;

/** A session id as it may stand in a ref and in a folder name. */
export const isSessionId = (id: string): boolean => SESSION_ID.test(id);
const SESSION_ID = /^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/;

/** Paths of one store. */
export interface Layout {
  root: string;
  head: string;
  stage: string;
  config: string;
  settings: string;
  /** The secret that hashes are made with. */
  key: string;
  /** What must not come back, as hashes. */
  forgotten: string;
  /** Says that there is such a list: without it nobody would miss one. */
  forgottenMark: string;
  /** What a forgetting that has begun is to put in place; the plan in it is written last. */
  forgetting: string;
  forgettingPlan: string;
  objects: string;
  pack: string;
  packedRefs: string;
  lock: string;
  /** Held by whoever packs the store, and by whoever takes something out of it for good: what is packed meanwhile would bring it back. */
  packing: string;
  /** Tells which `git gc` is at work: only one is at a time. */
  gcPid: string;
  /** A second name of the `<ref>.lock` that a process of ours holds: what a killed one left is known by it. */
  refMarker: string;
  /** The same for `packed-refs.lock`. */
  packedMarker: string;
  oplog: string;
  /** An operation that moves several pointers and has not finished. */
  begun: string;
  /** The operation that has finished last. */
  newest: string;
  /** Older operations, many in one file. */
  segments: string;
  pending: string;
  /** Questions that wait for the user, a file for each session that has one. */
  choices: string;
  lost: string;
  /** Whatever can be made again. */
  cache: string;
  /** Second names of the objects written lately. */
  secondNames: string;
  /** Gone once a `git prune` has ended. */
  witness: string;
  /** What went wrong in hooks. */
  hookErrors: string;
}

export function layoutOf(root: string): Layout {
  return {
    root,
    head: below(root, 'HEAD'),
    stage: below(root, 'STAGE'),
    config: below(root, 'config'),
    settings: below(root, 'settings.json'),
    key: below(root, 'key'),
    forgotten: below(root, 'forgotten.json'),
    forgottenMark: below(root, 'key.forgotten'),
    forgetting: below(root, 'forgetting'),
    forgettingPlan: below(root, 'forgetting', 'plan.json'),
    objects: below(root, 'objects'),
    pack: below(root, 'objects', 'pack'),
    packedRefs: below(root, 'packed-refs'),
    lock: below(root, 'LOCK'),
    packing: below(root, 'LOCK.packing'),
    gcPid: below(root, 'gc.pid'),
    refMarker: below(root, 'LOCK.ref'),
    packedMarker: below(root, 'LOCK.packed'),
    oplog: below(root, 'oplog'),
    begun: below(root, 'oplog', 'begun.json'),
    newest: below(root, 'oplog', 'newest.json'),
    segments: below(root, 'oplog', 'segments'),
    pending: below(root, 'pending'),
    choices: below(root, 'choices'),
    lost: below(root, 'lost'),
    cache: below(root, 'cache'),
    secondNames: below(root, 'cache', 'objects'),
    witness: below(root, 'objects', 'tmp_witness'),
    hookErrors: below(root, 'hook-errors.jsonl'),
  };
}

/** Whether a name is a pointer of ours: nothing else is ever read or moved as one. */
export function isPointer(name: string): boolean {
  if (name === MAIN || name === 'STAGE') return true;
  const prefix = [SESSIONS, ARCHIVE].find((candidate) => name.startsWith(candidate));
  return prefix !== undefined && isSessionId(name.slice(prefix.length));
}
