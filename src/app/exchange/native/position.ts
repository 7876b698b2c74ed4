/** The place at which the agent of a written transcript continues: a file, or a session in the database of opencode. */
import { join } from 'node:path';
import { opencode } from '../../../agents/opencode/index.ts';
import { opencodeCollections } from '../../../agents/opencode/transcripts.ts';
import { CtxError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json.ts';
import { exists } from '../../../platform/files.ts';
import { sha256 } from '../../../platform/hash.ts';
import { type Surroundings, userFolder } from '../../setup/hook-places.ts';
import { lookIntoDatabase } from '../../transcript/opencode-database.ts';
import { readTranscript, type Transcript } from './transcript.ts';

/** Position up to which a transcript is known, and the state of its reader there. */
export interface Position {
  file: string;
  bytes: number;
  lines: number;
  sha256: string;
  cursor: JsonValue;
}

/** Returns the end of a file that ctx has written. */
export const endOfFile = (file: string, { text, lines, cursor }: Transcript): Position => ({
  ...{ file, lines, cursor },
  bytes: Buffer.byteLength(text),
  sha256: sha256(text),
});

/** Returns the database of opencode; undefined if no home folder is known. */
function databaseOf(around: Surroundings): string | undefined {
  const folder = userFolder(opencodeCollections, around);
  return around.environment[opencodeCollections.fileVariable ?? ''] ?? (folder && join(folder, 'opencode.db'));
}

/** Finds a session in the database of opencode; undefined if it is not there, or no database can be read here. */
export function sessionInDatabase(id: string, around: Surroundings) {
  const file = databaseOf(around);
  try {
    if (!file || !exists(file)) return undefined;
    return lookIntoDatabase(file)?.find((one) => one.file === `${file}#${id}`);
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Returns the end of a session that opencode has taken in; null if its database cannot be read here. */
export function endInDatabase(id: string, around: Surroundings): Position | null {
  const found = sessionInDatabase(id, around);
  if (!found) return null;
  const text = Buffer.concat([...found.open().text.pieces(0)].map((piece) => Buffer.from(piece)));
  const { cursor, lines } = readTranscript(opencode, text.toString('utf8'));
  return { file: found.file, bytes: text.length, lines, sha256: sha256(text), cursor };
}
