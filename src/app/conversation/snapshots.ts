/** The snapshots of a conversation: when one is kept, which one a rewind goes back to, and what a killed rewind has left to do. */
import { actsOf } from '../../core/conversation/acts.ts';
import type { FoldedMessage } from '../../core/conversation/conversation.ts';
import { snapshotsOf } from '../../core/conversation/snapshots.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine, plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { exists } from '../../platform/files.ts';
import { dropJournal, type Restored, restore, unfinished } from '../world/apply.ts';
import { keepSnapshot, type Moment } from '../world/keep.ts';
import { openSnapshots } from '../world/private-git.ts';
import { planWorld, requireSnapshot, type WorldPlan } from '../world/world.ts';
import { type Loaded, loadConversation } from './load.ts';

/** Plans what a rewind to a message does to the files. @throws {CtxError} not_found, if the message has no snapshot */
export function worldAt(repository: Repository, loaded: Loaded, message: FoldedMessage, isAll: boolean): WorldPlan {
  const { conversation, session } = loaded;
  const stated = message.metadata['snapshot_id'];
  const found = snapshotsOf(conversation).get(message.id);
  // A message may say itself which snapshot of its host belongs to it.
  const isStated = typeof stated === 'string' && stated !== found?.snapshot_id;
  const kept = isStated
    ? { id: '', at: 0, point: 'message' as const, snapshot_id: stated, isHosts: true }
    : requireSnapshot(repository, message.id, found);
  return planWorld(repository, session.session_id, kept, isAll);
}

/** Outcome of a snapshot: its id, null if none was kept; and the notices about it. */
export interface SnapshotKept {
  snapshot_id: string | null;
  notices: string[];
}

/**
 * Keeps the files as they are at a moment of a session, if the settings ask for that. A failure is said, and stops nothing: the
 * message itself is more important.
 */
export function keepFiles(repository: Repository, moment: Moment): SnapshotKept {
  const kept: SnapshotKept = { snapshot_id: null, notices: [] };
  if (repository.settings.snapshots === false) return kept;
  try {
    const finished = finishRestore(repository);
    if (finished !== null) kept.notices.push(finished);
    kept.snapshot_id = keepSnapshot(repository, moment);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    kept.notices.push(`No snapshot of the files was kept: ${error.message}`);
  }
  return kept;
}

/** Returns whether a rewind of files was killed on its way. */
const hasUnfinishedRestore = (repository: Pick<Repository, 'layout'>): boolean => exists(repository.layout.restore);

/**
 * Finishes a rewind of files that was killed on its way: the files become what was asked for if the rewind is recorded, and are what they
 * were if it is not.
 * @returns what was found, in a sentence; null if nothing was left to do
 */
export function finishRestore(repository: Repository): string | null {
  if (!hasUnfinishedRestore(repository)) return null;
  const snapshots = openSnapshots(repository);
  return transact(repository, { command: 'rewind', message: 'rewind' }, () => {
    const journal = unfinished(snapshots);
    if (journal === null) return null;
    const { conversation } = loadConversation(repository, journal.session_id);
    const isRecorded = actsOf(conversation).some(({ id }) => id === journal.act);
    const done = isRecorded ? restore(snapshots, journal) : null;
    dropJournal(snapshots, journal);
    return done
      ? finishedInWords(done)
      : 'A rewind of files was interrupted before it began: the files are as they were.';
  });
}

function finishedInWords({ restored, left }: Restored): string {
  const others = left.map(({ path }) => oneLine(path)).join(', ');
  const also = others === '' ? '' : `; left as they are: ${others}`;
  return `Finished a rewind of files that was interrupted: ${plural(restored.length, 'file')} restored${also}.`;
}
