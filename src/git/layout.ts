/** Every path of a store, and the rules of the names of its refs, which come from above. */
import { below } from '../platform/below.ts';

export const MAIN = 'refs/heads/main';

/** Longest record, in bytes: what `observe batch` accepts in one line, plus its envelope. */
export const RECORD_LIMIT = 17 * 1024 * 1024;

/**
 * Largest content that is held in memory as one object: larger ones are stored as a tree of chunks, and a stranger's zlib
 * bomb stops here.
 */
export const CONTENT_LIMIT = 64 * 1024 * 1024;

/** Largest file of a loose object, or of a pending one: incompressible content grows a little. */
export const LOOSE_LIMIT = CONTENT_LIMIT + 1024 * 1024;

/** The pointers of a store: refs that no other program moves, and `STAGE`, which names one of them. */
export interface PointerNames {
  /** Returns whether a name is one of a pointer: no other is ever read or moved as one. */
  isPointer: (name: string) => boolean;
  /** Folders that they lie in beside `refs/heads/`, each with a slash at its end. */
  folders: readonly string[];
  /** Returns the ref that may hold in the place of an absent one: an older ctx may have deleted one of the two, the ref first. */
  twinOf: (ref: string) => string;
  /** Form of a name that STAGE may have, for messages. */
  form: string;
}

/** Paths of one store. */
export interface Layout {
  root: string;
  pointers: PointerNames;
  head: string;
  stage: string;
  config: string;
  settings: string;
  /** The rules of permissions of the project. */
  permissions: string;
  /** The secret key of the hashes. */
  key: string;
  /** Hashes of forgotten contents, which must not come back. */
  forgotten: string;
  /** Marks that there is such a list: otherwise its loss would not be noticed. */
  forgottenMark: string;
  /** The files that a forgetting in progress will publish; its plan is written last. */
  forgetting: string;
  forgettingPlan: string;
  objects: string;
  pack: string;
  packedRefs: string;
  lock: string;
  /** Held while the store is packed, and while something is removed from it for good: concurrent packing would bring that back. */
  packing: string;
  /** Names the running `git gc`: there is only one at a time. */
  gcPid: string;
  /** A second name of the `<ref>.lock` that a process of ctx holds: identifies what a killed one left. */
  refMarker: string;
  /** The same for `packed-refs.lock`. */
  packedMarker: string;
  oplog: string;
  /** An unfinished operation that moves several pointers. */
  begun: string;
  /** The operation that finished last. */
  newest: string;
  /** Older operations, many in one file. */
  segments: string;
  pending: string;
  /** Questions that wait for the user, a file for each session that has one. */
  choices: string;
  /** The runs in flight, a folder for each session that has or had one: status, lock, log and socket. */
  runs: string;
  lost: string;
  /** Files that can be rebuilt. */
  cache: string;
  /** The plan of lines that an export adds to a transcript. */
  growth: string;
  /** Folder of the index that answers searches and lists; made of the store alone. */
  catalog: string;
  /** Held while the catalog is written, and while something is removed from the store for good. */
  catalogLock: string;
  /** Second names of recently written objects. */
  secondNames: string;
  /** Missing after a `git prune` has run. */
  witness: string;
  /** Errors of hooks. */
  hookErrors: string;
  /** The Git folder of the snapshots of the work tree. */
  snapshots: string;
  /** A rewind of files that is on its way. */
  restore: string;
}

/** Returns the paths of a store in a folder. */
export function pathsIn(root: string, pointers: PointerNames): Layout {
  return {
    root,
    pointers,
    head: below(root, 'HEAD'),
    stage: below(root, 'STAGE'),
    config: below(root, 'config'),
    settings: below(root, 'settings.json'),
    permissions: below(root, 'permissions.json'),
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
    runs: below(root, 'runs'),
    lost: below(root, 'lost'),
    cache: below(root, 'cache'),
    growth: below(root, 'cache', 'exports', 'growing'),
    catalog: below(root, 'cache', 'catalog'),
    catalogLock: below(root, 'LOCK.catalog'),
    secondNames: below(root, 'cache', 'objects'),
    witness: below(root, 'objects', 'tmp_witness'),
    hookErrors: below(root, 'hook-errors.jsonl'),
    snapshots: below(root, 'snapshots'),
    restore: below(root, 'snapshots', 'restore.json'),
  };
}
