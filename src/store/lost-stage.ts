/** Whether STAGE is gone although no command took it away: every move of it stands in the operation log. */
import { CtxError } from '../core/errors.ts';
import { exists } from '../platform/files.ts';
import { SESSIONS } from './layout.ts';
import { hasBegun, operationFiles } from './oplog.ts';
import type { Repository } from './repository.ts';
import { wasSetAside } from './stock.ts';

/** Newest operations that are looked at, for nobody is to wait long: beyond as many that leave STAGE alone only `fsck` looks. */
const MOST = 1000;

/**
 * The open session that STAGE was last told to name, where its file is gone; null where it was told to name none, or where that
 * cannot be told: an operation is under way, or is damaged.
 * @param most operations that are looked at
 */
export function lostStage(repository: Repository, most = MOST): string | null {
  const { refs, layout } = repository;
  // What is forgotten changes the operations, too.
  if (exists(layout.forgetting)) return null;
  const files = operationFiles(repository).slice(0, most);
  let last: string | null = null;
  let id = '';
  try {
    for (const { read } of files) {
      const operation = read();
      const move = operation?.moves.find(({ pointer }) => pointer === 'STAGE');
      if (!operation || !move) continue;
      last = move.new;
      id = operation.id;
      break;
    }
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
  if (last === null || !refs.names(SESSIONS).includes(last) || wasSetAside(layout, id)) return null;
  // Somebody may have moved it since it was looked for.
  const isUnderWay = hasBegun(repository) || operationFiles(repository)[0]?.name !== files[0]?.name;
  return isUnderWay || refs.stage() !== null ? null : last;
}
