/** `ctx import`: takes in the sessions of a bundle. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../open.ts';

export interface ImportOptions {
  dryRun?: boolean | undefined;
  /** Folders of the other machine, and what they are here. */
  map?: readonly { from: string; to: string }[] | undefined;
}

export interface ImportedSession {
  session_id: string;
  outcome: 'new' | 'same' | 'forwarded' | 'beside';
  title: string;
  /** Why it is kept beside; null otherwise. */
  reason: string | null;
}

export interface ImportResult {
  sessions: ImportedSession[];
  /** Folders of the other machine, what they are here, and who says so. */
  mapped: { from: string; to: string; by: 'user' | 'guess' }[];
  dry_run: boolean;
}

/** Takes in the sessions of a bundle. */
export function importBundle(
  _repository: Repository,
  _pieces: Iterable<Buffer>,
  _options: ImportOptions,
): ImportResult {
  throw new CtxError('bug', 'ctx import is being written.');
}
