/** `ctx op log`: what moved which pointer. */
import { readOperations } from '../store/oplog.ts';
import type { PointerMove } from '../store/pointer.ts';
import type { Repository } from '../store/repository.ts';

export interface ListedOperation {
  id: string;
  /** Unix seconds. */
  at: number;
  command: string;
  message: string;
  moves: PointerMove[];
}

/** The operations that moved pointers, newest first. @throws {CtxError} damaged */
export function* listOperations(repository: Repository): Generator<ListedOperation> {
  for (const { id, at, command, message, moves } of readOperations(repository))
    yield { id, at, command, message, moves };
}
