/** Whether STAGE is gone although no command took it away: every move of it stands in the operation log. */
import { CtxError } from '../core/errors.ts';
import { SESSIONS } from './layout.ts';
import { hasBegun, operationFiles } from './oplog.ts';
import type { Repository } from './repository.ts';

/** Newest operations that are looked at: whatever leaves no session active moves STAGE, and is among the last of them. */
const MOST = 64;

/**
 * The open session that STAGE was last told to name, where its file is gone; null where it was told to name none, or where that
 * cannot be told: an operation is under way, or is damaged.
 */
export function lostStage(repository: Repository): string | null {
  const { refs } = repository;
  const files = operationFiles(repository).slice(0, MOST);
  let last: string | null = null;
  try {
    for (const { read } of files) {
      const move = read()?.moves.find(({ pointer }) => pointer === 'STAGE');
      if (!move) continue;
      last = move.new;
      break;
    }
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
  if (last === null || !refs.names(SESSIONS).includes(last)) return null;
  // Somebody may have moved it since it was looked for.
  const isUnderWay = hasBegun(repository) || operationFiles(repository)[0]?.name !== files[0]?.name;
  return isUnderWay || refs.stage() !== null ? null : last;
}
