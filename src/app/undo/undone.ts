/** Describes the result of an undo: which operations it undid, and what those were about. */

import { titleOf } from '../../core/listing/title.ts';
import type { Session } from '../../core/session/session.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { readChain } from '../../history/chain/chain.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import type { Operation } from '../../history/operations/operation.ts';
import { readOperations } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { WorldResult } from '../world/world.ts';
import { filesLeft } from './undone-exports.ts';

/** Commands that cannot be undone. */
export const FINAL = ['gc', 'forget'];

export interface UndoResult {
  /** Operations that were taken back, newest first. */
  undone: Undone[];
  /** Later operations that cannot be undone: they stay. */
  left: LeftAlone[];
  /** Number of further operations of the last command, since others were made between them. */
  rest: number;
  /** Result for the files that rewinds had changed; null if none had. */
  world: WorldResult | null;
}

export type LeftAlone = Pick<Operation, 'id' | 'command'>;

export interface Undone {
  id: string;
  command: string;
  /** Files outside of the store that it had written, and that stay; absent if there are none. */
  files?: string[];
  /** The run that it shares with others of one command; absent if there are none. */
  run?: string;
  /** For an undo that was undone: the last operation that it had undone, and whether that is in effect now. */
  of?: Turned;
  /** The others that it had undone, newest first; absent if there are none. */
  others?: Turned[];
}

/** An operation that was reversed by an undo of an undo; one entry for all operations of a command. */
export interface Turned {
  command: string;
  /** The task of its session, and its title; null if it concerned several. */
  task: string | null;
  title: string | null;
  stands: boolean;
}

/** Describes an undone operation: for undos of undos, by the operations that they reversed. */
export function undoneOf(repository: Repository, operation: Operation): Undone {
  const { id, command, run } = operation;
  if (command !== 'undo') {
    const files = filesLeft(repository, operation);
    return { id, command, ...(files.length > 0 && { files }), ...(run !== undefined && { run }) };
  }
  const [of, ...others] = turnedBy(repository, operation, true);
  return { id, command, ...(of && { of }), ...(others.length > 0 && { others }) };
}

/** Yields the operations that an undo reversed. */
function* turnedBy(repository: Repository, undo: Operation, stands: boolean): Generator<Turned> {
  if (undo.undone === undefined) {
    const told = lastTurned(repository, undo, stands);
    if (told) yield told;
    return;
  }
  const ids = new Set(undo.undone);
  let last: string | undefined;
  for (const operation of readOperations(repository)) {
    const { id, command, run } = operation;
    if (!ids.has(id)) continue;
    if (command === 'undo') yield* turnedBy(repository, operation, !stands);
    else if (run === undefined || run !== last) yield turned(repository, operation, stands);
    last = run;
  }
}

/** Returns the last operation that an undo of an older ctx undid, which does not record the operations. */
function lastTurned(repository: Repository, { id, moves }: Operation, stands: boolean): Turned | null {
  let isThere = !stands;
  for (const operation of readOperations(repository)) {
    if (operation.id > id || FINAL.includes(operation.command)) continue;
    if (operation.command !== 'undo' && isPassedOver(operation.moves, moves)) continue;
    if (operation.command !== 'undo') return turned(repository, operation, isThere);
    isThere = !isThere;
  }
  return null;
}

const turned = (repository: Repository, operation: Operation, stands: boolean): Turned => ({
  command: operation.command,
  ...named(isAlone(repository, operation) ? sessionOf(repository, operation) : null),
  stands,
});

/** Returns whether an operation is the only one of its command. */
function isAlone(repository: Repository, { id, run }: Operation): boolean {
  if (run !== undefined)
    for (const other of readOperations(repository)) if (other.run === run && other.id !== id) return false;
  return true;
}

/** Returns whether an undo skipped an operation, as nothing was left of it: it has moved other refs. */
function isPassedOver(moves: readonly PointerMove[], byUndo: readonly PointerMove[]): boolean {
  const refsOf = (some: readonly PointerMove[]): string[] => some.map(({ pointer }) => pointer).filter(isRef);
  const [refs, moved] = [refsOf(moves), refsOf(byUndo)];
  return refs.length > 0 && moved.length > 0 && !refs.some((ref) => moved.includes(ref));
}

const isRef = (pointer: string): boolean => pointer !== 'STAGE';

const named = (session: Session | null): Pick<Turned, 'task' | 'title'> => ({
  task: session?.task_description ?? null,
  title: session && titleOf(session),
});

/** Returns the session that an operation moved, as it is named now; null if it moved several. */
function sessionOf({ objects, refs }: Repository, { moves }: Operation): Session | null {
  const [move, ...others] = moves.filter(({ pointer }) => pointer.startsWith(SESSIONS));
  const head = move && (refs.read(move.pointer) ?? move.new ?? move.old);
  if (!move || !head || others.length > 0) return null;
  return readChain(objects, head, move.pointer).session;
}
