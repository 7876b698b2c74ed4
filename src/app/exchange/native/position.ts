/** The place at which the agent of a written transcript continues: a file, or a conversation among those that it keeps together. */
import { CtxError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json.ts';
import { sha256 } from '../../../platform/hash.ts';
import type { Surroundings } from '../../setup/hook-places.ts';
import type { Collected } from '../../transcript/collection.ts';
import { keptConversation } from '../../transcript/kept.ts';
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

/** Returns the end of a conversation that the program of an agent has taken in; null if it cannot be read here. */
export function endOfKept(agent: string, id: string, around: Surroundings): Position | null {
  const found = readableOrNull(agent, id, around)?.open();
  if (!found) return null;
  const text = Buffer.concat([...found.text.pieces(0)].map((piece) => Buffer.from(piece)));
  const { cursor, lines } = readTranscript(found.agent, text.toString('utf8'));
  return { file: found.text.file, bytes: text.length, lines, sha256: sha256(text), cursor };
}

function readableOrNull(agent: string, id: string, around: Surroundings): Collected | null {
  try {
    return keptConversation(agent, id, around.directory, around) ?? null;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
