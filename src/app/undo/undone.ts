/** What is told of an undo: which operations it took back, and what those were about. */

import { SESSIONS } from '../../git/layout.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { readChain } from '../../history/chain/chain.ts';
import type { Operation } from '../../history/operations/operation.ts';
import { readOperations } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';

/** What is gone for good: there is no way back. */
export const FINAL = ['gc', 'forget'];

export interface UndoResult {
  /** What was taken back, newest first. */
  undone: Undone[];
  /** What was done since and cannot be taken back: it stays as it is. */
  left: LeftAlone[];
  /** How many more operations of the last command stand, since others were made between them. */
  rest: number;
}

export type LeftAlone = Pick<Operation, 'id' | 'command'>;

export interface Undone {
  id: string;
  command: string;
  /** What it shares with others that one command did; absent where that did nothing else. */
  run?: string;
  /** Of an undo that was taken back: the last operation that it had taken back, and whether that stands now. */
  of?: Turned;
  /** The others that it had taken back, newest first; absent where there is none. */
  others?: Turned[];
}

/** An operation that was turned around by an undo of an undo; what one command did in several stands for all of them. */
export interface Turned {
  command: string;
  /** Of the session that it was about; null where it was about several. */
  task: string | null;
  stands: boolean;
}

/** An undo is told by what it is about: below undos of undos lie the operations that each of them turned around. */
export function undoneOf(repository: Repository, operation: Operation): Undone {
  const { id, command, run } = operation;
  if (command !== 'undo') return run === undefined ? { id, command } : { id, command, run };
  const [of, ...others] = turnedBy(repository, operation, true);
  return { id, command, ...(of && { of }), ...(others.length > 0 && { others }) };
}

/** @param stands whether what the undo took back is there again */
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

/** The last operation that an undo of an older ctx took back: it does not tell which ones. */
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
  task: isAlone(repository, operation) ? taskOf(repository, operation) : null,
  stands,
});

/** Whether an operation is all that its command did. */
function isAlone(repository: Repository, { id, run }: Operation): boolean {
  if (run !== undefined)
    for (const other of readOperations(repository)) if (other.run === run && other.id !== id) return false;
  return true;
}

/** Whether an undo left an operation out, as nothing was left of it: it has moved other refs than that one. */
function isPassedOver(moves: readonly PointerMove[], byUndo: readonly PointerMove[]): boolean {
  const refsOf = (some: readonly PointerMove[]): string[] => some.map(({ pointer }) => pointer).filter(isRef);
  const [refs, moved] = [refsOf(moves), refsOf(byUndo)];
  return refs.length > 0 && moved.length > 0 && !refs.some((ref) => moved.includes(ref));
}

const isRef = (pointer: string): boolean => pointer !== 'STAGE';

/** The task of the session that an operation moved; null where it moved several. */
function taskOf({ objects }: Repository, { moves }: Operation): string | null {
  const [move, ...others] = moves.filter(({ pointer }) => pointer.startsWith(SESSIONS));
  const head = move?.new ?? move?.old;
  if (!move || !head || others.length > 0) return null;
  return readChain(objects, head, move.pointer).session.task_description;
}
