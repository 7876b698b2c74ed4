/** Whether STAGE is gone although no command took it away: every move of it stands in the operation log. */
import { CtxError } from '../../core/errors.ts';
import { ARCHIVE, archiveRef, RECORD_LIMIT, SESSIONS } from '../../git/layout.ts';
import { kindOf } from '../../git/objects/kind-of.ts';
import { below } from '../../platform/below.ts';
import { exists, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { type Operation, stageAfter } from '../operations/operation.ts';
import { ifReadable, newestFile, type OperationFile, operationFiles } from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';
import { lostSessionRefs } from './lost-session.ts';
import { hasBegun } from './oplog.ts';
import { setAsideSince } from './stock.ts';

/** Newest operations that are looked at, for nobody is to wait long: beyond as many that leave STAGE alone only `fsck` looks. */
const MOST = 1000;

/** What is known of a STAGE that is gone. */
export type LostStage =
  /** It named an open session. */
  | { kind: 'told'; last: string }
  /** It named one whose ref is gone, too. */
  | { kind: 'gone'; last: string }
  /** It may have named one of these, or none: operations that may have moved it cannot be read. */
  | {
      kind: 'untold';
      open: readonly string[];
      /** Whether such an operation stands in its place still: who repairs has not been told yet. */
      isTorn: boolean;
    };

/**
 * What STAGE named last, where its file is gone; null where it was told to name none, where that cannot be told since an
 * operation is under way, and where no session is open.
 * @param most operations that are looked at
 */
export function lostStage(repository: Repository, most = MOST): LostStage | null {
  const { refs, layout } = repository;
  // What is forgotten changes the operations, too.
  if (exists(layout.forgetting)) return null;
  const newest = newestFile(layout)?.text;
  const lost = lastStage(repository, most);
  // Somebody may have moved it since it was looked for.
  const isUnderWay = lost !== null && (hasBegun(repository) || newestFile(layout)?.text !== newest);
  return isUnderWay || refs.stage() !== null ? null : lost;
}

/**
 * Whether the last operation says that STAGE names none: nothing is lost then, and no other one need be looked for. Where it does
 * not say so, `lostStage` looks at those before it.
 */
export function stageWasLeft({ layout }: Repository): boolean {
  const newest = ifReadable(newestFile(layout));
  return newest !== undefined && stageAfter(newest) === null;
}

/** What STAGE named last, whatever its file says; null where that is no open session. */
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
  const told = last && stageAfter(last);
  const aside = setAsideSince(layout, told === undefined ? '' : (last?.id ?? ''));
  const lost = [...torn.map(({ text }) => text), ...aside.map((name) => textOf(below(layout.root, name)))];
  const open = repository.refs.names(SESSIONS);
  if (lost.length === 0) {
    if (told === undefined || told === null) return null;
    if (open.includes(told)) return { kind: 'told', last: told };
    return isLostWhole(repository, told) ? { kind: 'gone', last: told } : null;
  }
  const known = new Set<string>();
  for (const file of newestOf(repository, most))
    for (const { pointer } of ifReadable(file)?.moves ?? []) known.add(pointer);
  const fresh = open.filter((ref) => !known.has(ref));
  const meant = meantBy(repository, { told: told ?? null, open, fresh, lost });
  if (meant !== undefined) return meant === null ? null : { kind: 'told', last: meant };
  return { kind: 'untold', open, isTorn: torn.length > 0 };
}

/** The newest operations, so many at most. */
function* newestOf(repository: Repository, most: number): Generator<OperationFile> {
  let left = most;
  for (const file of operationFiles(repository)) {
    if (left === 0) return;
    left -= 1;
    yield file;
  }
}

/** Whether the ref of an open session is gone, and what it named is not: where that is lost too nothing is left to go on with. */
function isLostWhole(repository: Repository, ref: string): boolean {
  const value = lostSessionRefs(repository).get(ref);
  return value !== undefined && kindOf(repository.objects, value) === 'commit';
}

/** What is known where operations are lost that may have moved STAGE. */
interface Gap {
  /** What the last operation that can be read made STAGE name. */
  told: string | null;
  open: readonly string[];
  /** Open sessions that no operation tells of: a lost one has begun them. */
  fresh: readonly string[];
  /** What the lost operations show still, the newest first; undefined where one cannot be read at all. */
  lost: readonly (string | undefined)[];
}

/** What STAGE can have named alone; undefined where it can have been more than one thing. */
function meantBy({ refs }: Repository, { told, open, fresh, lost }: Gap): string | null | undefined {
  if (open.length === 0) return null;
  const shown = shownIn(lost[0] ?? '');
  if (shown === null || (shown !== undefined && open.includes(shown))) return shown;
  // Who begins a session beside another one may have left STAGE where it was.
  if (told !== null && open.includes(told)) return open.length === 1 ? told : undefined;
  if (fresh.length > 0) return fresh.length === 1 ? fresh[0] : undefined;
  const hasEnded = told !== null && refs.names(ARCHIVE).includes(archiveRef(told.slice(SESSIONS.length)));
  return hasEnded && lost.length === 1 ? null : undefined;
}

const STAGE_MOVE = /"pointer":"STAGE","old":(?:null|"[^"]*"),"new":(?:null|"([^"]*)")/g;

/** What a torn operation still shows of where it has moved STAGE, the last of several; undefined where it shows nothing of it. */
function shownIn(text: string): string | null | undefined {
  const shown = [...text.matchAll(STAGE_MOVE)].at(-1);
  return shown === undefined ? undefined : (shown[1] ?? null);
}

/** What a file says; undefined where it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readIfThere(path, RECORD_LIMIT)?.toString('utf8');
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
