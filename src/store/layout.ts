/** Every path under `.ctx`, and the names that are ours. */
import { join } from 'node:path';

export const MAIN = 'refs/heads/main';
export const SESSIONS = 'refs/sessions/';
export const ARCHIVE = 'refs/archive/';

/** Longest record, in bytes: what `observe batch` takes in one line, and what is written around it. */
export const RECORD_LIMIT = 17 * 1024 * 1024;

export const sessionRef = (id: string): string => `${SESSIONS}${id}`;
export const archiveRef = (id: string): string => `${ARCHIVE}${id}`;

/** A session id as it may stand in a ref and in a folder name. */
export const isSessionId = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/.test(id);

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
  /** What a forgetting that has begun is to put in place. */
  forgetting: string;
  objects: string;
  pack: string;
  packedRefs: string;
  lock: string;
  /** A second name of the `<ref>.lock` that a process of ours holds: what a killed one left is known by it. */
  refMarker: string;
  /** The same for `packed-refs.lock`. */
  packedMarker: string;
  oplog: string;
  /** An operation that moves several pointers and has not finished. */
  begun: string;
  pending: string;
  /** Questions that wait for the user, a file for each session that has one. */
  choices: string;
  lost: string;
  /** Whatever can be made again. */
  cache: string;
  /** What went wrong in hooks. */
  hookErrors: string;
}

export function layoutOf(root: string): Layout {
  return {
    root,
    head: join(root, 'HEAD'),
    stage: join(root, 'STAGE'),
    config: join(root, 'config'),
    settings: join(root, 'settings.json'),
    key: join(root, 'key'),
    forgotten: join(root, 'forgotten.json'),
    forgetting: join(root, 'forgetting'),
    objects: join(root, 'objects'),
    pack: join(root, 'objects', 'pack'),
    packedRefs: join(root, 'packed-refs'),
    lock: join(root, 'LOCK'),
    refMarker: join(root, 'LOCK.ref'),
    packedMarker: join(root, 'LOCK.packed'),
    oplog: join(root, 'oplog'),
    begun: join(root, 'oplog', 'begun.json'),
    pending: join(root, 'pending'),
    choices: join(root, 'choices'),
    lost: join(root, 'lost'),
    cache: join(root, 'cache'),
    hookErrors: join(root, 'hook-errors.jsonl'),
  };
}

/** Whether a name is a pointer of ours: nothing else is ever read or moved as one. */
export function isPointer(name: string): boolean {
  if (name === MAIN || name === 'STAGE') return true;
  const prefix = [SESSIONS, ARCHIVE].find((candidate) => name.startsWith(candidate));
  return prefix !== undefined && isSessionId(name.slice(prefix.length));
}
