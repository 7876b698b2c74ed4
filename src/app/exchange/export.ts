/** `ctx export`: writes sessions into one file, a Git bundle. */

import { CtxError } from '../../core/errors.ts';
import type { ExportedSession } from '../../core/exchange/exported.ts';
import type { Repository } from '../open.ts';

/** What is exported, and where to. */
export interface ExportOptions {
  /** Pieces of ids; the active session if there are none. */
  sessions?: readonly string[] | undefined;
  /** Whether every session of the store is exported. */
  all?: boolean | undefined;
  /** Where paths begin. */
  directory: string;
  /** The file, or what takes the bytes; a new file in the directory if absent. */
  to?: string | ((pieces: Iterable<Buffer>) => void) | undefined;
}

export interface ExportResult {
  /** The path of the file; `-` for a stream. */
  file: string;
  bytes: number;
  sessions: ExportedSession[];
  /** The first of them. */
  session: ExportedSession;
}

/** Writes the bundle. */
export function exportBundle(_repository: Repository, _options: ExportOptions): ExportResult {
  throw new CtxError('bug', 'ctx export is being written.');
}
