/** `ctx op log`: lists which operation moved which pointer. */
import { CtxError } from '../../core/errors.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { operationFiles } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';

export interface ListedOperation {
  id: string;
  /** Unix seconds. */
  at: number;
  command: string;
  message: string;
  moves: PointerMove[];
}

/** An operation that cannot be read, and why. */
export interface DamagedOperation {
  /** Its file in the store. */
  file: string;
  damaged: string;
  hint: string | null;
}

/** The operations that moved pointers, newest first, and in its place among them what is damaged. */
export function* listOperations(repository: Repository): Generator<ListedOperation | DamagedOperation> {
  for (const { name, read } of operationFiles(repository)) {
    try {
      const { id, at, command, message, moves } = read();
      yield { id, at, command, message, moves };
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
      yield { file: name, damaged: error.message, hint: error.hint ?? null };
    }
  }
}
