/** Detects a STAGE that is gone although no command removed it: the operation log records every move of it. */
import { CtxError } from '../../core/errors.ts';
import { RECORD_LIMIT } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { below } from '../../platform/below.ts';
import { exists, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { ARCHIVE, archiveRef, SESSIONS } from '../names/layout.ts';
import { type Operation, stageAfter } from '../operations/operation.ts';
import { ifReadable, newestFile, type OperationFile, operationFiles } from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';
import { lostSessionRefs } from './lost-session.ts';
import { hasBegun } from './oplog.ts';
import { setAsideSince } from './pointer-state.ts';

/** Number of newest operations that are read, which bounds the time: beyond as many without STAGE only `fsck` looks. */
const MOST = 1000;

/** Facts about a lost STAGE. */
export type LostStage =
  /** It named an open session. */
  | { kind: 'told'; last: string }
  /** It named a session whose ref is gone too. */
  | { kind: 'gone'; last: string }
  /** It may have named one of these, or none: operations that may have moved it cannot be read. */
  | {
      kind: 'untold';
      open: readonly string[];
      /** True if such an operation is still in its place, unrepaired. */
      isTorn: boolean;
    };

/**
 * Returns what STAGE named last if its file is gone; null if an operation has cleared it, if an operation is in progress, or
 * if no session is open.
 * @param most number of operations that are read
 */
export function lostStage(repository: Repository, most = MOST): LostStage | null {
  const { refs, layout } = repository;
  // A forgetting changes the operations too.
  if (exists(layout.forgetting)) return null;
  const newest = newestFile(layout)?.text;
  const lost = lastStage(repository, most);
  // Another process may have moved it meanwhile.
  const isUnderWay = lost !== null && (hasBegun(repository) || newestFile(layout)?.text !== newest);
  return isUnderWay || refs.stage() !== null ? null : lost;
}

/**
 * Returns whether the last operation says that STAGE names nothing: then nothing is lost, and no other operation must be
 * read. Otherwise `lostStage` reads the earlier ones.
 */
export function stageWasLeft({ layout }: Repository): boolean {
  const newest = ifReadable(newestFile(layout));
  return newest !== undefined && stageAfter(newest) === null;
}

/** Returns what STAGE named last, whatever its file says now; null if that is no open session. */
export function lastStage(repository: Repository, most: number): LostStage | null {
  const { layout } = repository;
  const torn: OperationFile[] = [];
  let last: Operation | undefined;
  for (const file of newestOf(repository, most)) {
    const operation = ifReadable(file);
    if (operation === undefined) torn.push(file);
    else last = operation;
    if (operation && stageAfter(operation) !== undefined) break;
  }
  const logged = last && stageAfter(last);
  const aside = setAsideSince(layout, logged === undefined ? '' : (last?.id ?? ''));
  const lost = [...torn.map(({ text }) => text), ...aside.map((name) => textOf(below(layout.root, name)))];
  const open = repository.refs.names(SESSIONS);
  if (lost.length === 0) {
    if (logged === undefined || logged === null) return null;
    if (open.includes(logged)) return { kind: 'told', last: logged };
    return isLostWhole(repository, logged) ? { kind: 'gone', last: logged } : null;
  }
  const known = new Set<string>();
  for (const file of newestOf(repository, most))
    for (const { pointer } of ifReadable(file)?.moves ?? []) known.add(pointer);
  const fresh = open.filter((ref) => !known.has(ref));
  const meant = meantBy(repository, { logged: logged ?? null, open, fresh, lost });
  if (meant !== undefined) return meant === null ? null : { kind: 'told', last: meant };
  return { kind: 'untold', open, isTorn: torn.length > 0 };
}

/** Yields the newest operations, at most so many. */
function* newestOf(repository: Repository, most: number): Generator<OperationFile> {
  let left = most;
  for (const file of operationFiles(repository)) {
    if (left === 0) return;
    left -= 1;
    yield file;
  }
}

/** Returns whether the ref of an open session is gone while its commit exists: without the commit there is nothing to continue. */
function isLostWhole(repository: Repository, ref: string): boolean {
  const value = lostSessionRefs(repository).get(ref);
  return value !== undefined && kindOf(repository.objects, value) === 'commit';
}

/** Facts that are known if operations are lost that may have moved STAGE. */
interface Gap {
  /** The value of STAGE after the last readable operation. */
  logged: string | null;
  open: readonly string[];
  /** Open sessions that no operation records: a lost one has begun them. */
  fresh: readonly string[];
  /** The readable text of the lost operations, the newest first; undefined for one that cannot be read at all. */
  lost: readonly (string | undefined)[];
}

/** Returns the only value that STAGE can have had; undefined if there are several. */
function meantBy({ refs }: Repository, { logged, open, fresh, lost }: Gap): string | null | undefined {
  if (open.length === 0) return null;
  const shown = shownIn(lost[0] ?? '');
  if (shown === null || (shown !== undefined && open.includes(shown))) return shown;
  // Starting a session beside another one may have left STAGE unchanged.
  if (logged !== null && open.includes(logged)) return open.length === 1 ? logged : undefined;
  if (fresh.length > 0) return fresh.length === 1 ? fresh[0] : undefined;
  const hasEnded = logged !== null && refs.names(ARCHIVE).includes(archiveRef(logged.slice(SESSIONS.length)));
  return hasEnded && lost.length === 1 ? null : undefined;
}

const STAGE_MOVE = /"pointer":"STAGE","old":(?:null|"[^"]*"),"new":(?:null|"([^"]*)")/g;

/** Returns the value to which a torn operation has moved STAGE, the last of several; undefined if its text does not show one. */
function shownIn(text: string): string | null | undefined {
  const shown = [...text.matchAll(STAGE_MOVE)].at(-1);
  return shown === undefined ? undefined : (shown[1] ?? null);
}

/** Reads the text of a file; returns undefined if it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readIfThere(path, RECORD_LIMIT)?.toString('utf8');
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
