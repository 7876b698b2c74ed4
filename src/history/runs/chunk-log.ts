/** The log of a run: one line of JSON for each chunk, read while it grows. */
import { isObject, type JsonValue } from '../../core/json.ts';
import { readLines } from '../../core/lines.ts';
import { foldLog, type LoggedRun } from '../../core/run/log.ts';
import { exists, removeFile, syncFolder } from '../../platform/files.ts';
import { readPiecesIfThere } from '../../platform/pieces.ts';
import type { Repository } from '../store/repository.ts';
import { runFiles } from './run-status.ts';

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

/** Yields the lines of a log; a last line that a kill or a power cut has torn does not count, nor anything after it. */
export function* readLog(path: string): Generator<JsonValue> {
  for (const { text } of readLines(readPiecesIfThere(path, PIECE))) {
    let line: JsonValue;
    try {
      line = JSON.parse(text ?? '') as JsonValue;
    } catch {
      return;
    }
    if (isObject(line)) yield line;
  }
}

/** Returns the run that the log of a session has; null if there is no log. */
export function loggedRun({ layout }: Pick<Repository, 'layout'>, session: string): LoggedRun | null {
  const { log } = runFiles(layout, session);
  return exists(log) ? foldLog(readLog(log)) : null;
}

/** Removes a log whose run is in the chain. */
export function removeLog({ layout, durability }: Repository, session: string): void {
  const { folder, log } = runFiles(layout, session);
  if (removeFile(log)) syncFolder(folder, durability);
}
