/** Whether STAGE is gone although no command took it away: every move of it stands in the operation log. */
import { CtxError } from '../../core/errors.ts';
import { below } from '../../platform/below.ts';
import { exists, readIfThere } from '../../platform/files.ts';
import { throwLack } from '../../platform/lack.ts';
import { lostSessionRefs } from '../chain/lost-session.ts';
import { ARCHIVE, archiveRef, RECORD_LIMIT, SESSIONS } from '../layout.ts';
import { kindOf } from '../objects/kind-of.ts';
import type { Operation } from '../operation.ts';
import { hasBegun, operationFiles } from '../oplog.ts';
import { setAsideSince } from '../repair/stock.ts';
import type { Repository } from '../repository.ts';

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
  const newest = operationFiles(repository)[0]?.name;
  const lost = lastStage(repository, most);
  // Somebody may have moved it since it was looked for.
  const isUnderWay = lost !== null && (hasBegun(repository) || operationFiles(repository)[0]?.name !== newest);
  return isUnderWay || refs.stage() !== null ? null : lost;
}

/** What STAGE named last, whatever its file says; null where that is no open session. */
export function lastStage(repository: Repository, most: number): LostStage | null {
  const { layout } = repository;
  const operations: Operation[] = [];
  const torn: string[] = [];
  const move = (operation: Operation): string | null | undefined =>
    operation.moves.find(({ pointer }) => pointer === 'STAGE')?.new;
  const files = operationFiles(repository).slice(0, most);
  for (const { name, read } of files) {
    const operation = ifWhole(read);
    if (operation === undefined) torn.push(name);
    else if (operation !== null && operations.push(operation) && move(operation) !== undefined) break;
  }
  const last = operations.at(-1);
  const told = (last && move(last)) ?? null;
  const lost = [...torn, ...setAsideSince(layout, last && move(last) !== undefined ? last.id : '')];
  const open = repository.refs.names(SESSIONS);
  if (lost.length === 0) {
    if (told === null) return null;
    if (open.includes(told)) return { kind: 'told', last: told };
    return isLostWhole(repository, told) ? { kind: 'gone', last: told } : null;
  }
  const known = new Set(files.flatMap(({ read }) => ifWhole(read)?.moves.map(({ pointer }) => pointer) ?? []));
  const fresh = open.filter((ref) => !known.has(ref));
  const meant = meantBy(repository, { told, open, fresh, lost });
  if (meant !== undefined) return meant === null ? null : { kind: 'told', last: meant };
  return { kind: 'untold', open, isTorn: torn.length > 0 };
}

/** Whether the ref of an open session is gone, and what it named is not: where that is lost too nothing is left to go on with. */
function isLostWhole(repository: Repository, ref: string): boolean {
  const value = lostSessionRefs(repository).get(ref);
  return value !== undefined && kindOf(repository.objects, value) === 'commit';
}

/** An operation; null where it is gone by now, undefined where it is damaged. */
function ifWhole(read: () => Operation | null): Operation | null | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}

/** What is known where operations are lost that may have moved STAGE. */
interface Gap {
  /** What the last operation that can be read made STAGE name. */
  told: string | null;
  open: readonly string[];
  /** Open sessions that no operation tells of: a lost one has begun them. */
  fresh: readonly string[];
  /** Files of the lost operations, by their names from the store's root, the newest first. */
  lost: readonly string[];
}

/** What STAGE can have named alone; undefined where it can have been more than one thing. */
function meantBy({ layout, refs }: Repository, { told, open, fresh, lost }: Gap): string | null | undefined {
  if (open.length === 0) return null;
  const shown = shownIn(below(layout.root, lost[0] as string));
  if (shown === null || (shown !== undefined && open.includes(shown))) return shown;
  // Who begins a session beside another one may have left STAGE where it was.
  if (told !== null && open.includes(told)) return open.length === 1 ? told : undefined;
  if (fresh.length > 0) return fresh.length === 1 ? fresh[0] : undefined;
  const hasEnded = told !== null && refs.names(ARCHIVE).includes(archiveRef(told.slice(SESSIONS.length)));
  return hasEnded && lost.length === 1 ? null : undefined;
}

const STAGE_MOVE = /"pointer":"STAGE","old":(?:null|"[^"]*"),"new":(?:null|"([^"]*)")/;

/** What a torn operation still shows of where it has moved STAGE; undefined where it shows nothing of it. */
function shownIn(path: string): string | null | undefined {
  try {
    const shown = STAGE_MOVE.exec(readIfThere(path, RECORD_LIMIT)?.toString('latin1') ?? '');
    return shown === null ? undefined : (shown[1] ?? null);
  } catch (error) {
    throwLack(error);
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
