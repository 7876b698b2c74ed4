/** Finds another transcript of an agent by an id that a transcript names: in the likely folders first, then everywhere. */
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Agent, Other } from '../../agents/contract/agent.ts';
import { readLines } from '../../core/lines.ts';
import { hasPlainForm, plainPieces } from '../../platform/compressed-file.ts';
import { PIECE } from './text.ts';

/** Returns the path of the transcript that another one names; null if there is none. */
export function otherTranscript({ others }: Agent, file: string, id: string): string | null {
  if (!others) return null;
  const path = resolve(file).replaceAll('\\', '/');
  const found = (folders: Iterable<string>): string | null =>
    bestIn(folders, (name) => others.rank(name, basename(path), id));
  return found(others.likely(path, id)) ?? found(others.roots(path).flatMap((root) => [...foldersIn(root)]));
}

/** Returns the file with the highest rank. */
function bestIn(folders: Iterable<string>, rankOf: (name: string) => string | null): string | null {
  let best: { path: string; rank: string } | null = null;
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const rank = rankOf(name);
      const path = join(folder, name);
      if (rank !== null && (best === null || rank > best.rank) && !hasPlainForm(path)) best = { path, rank };
    }
  }
  return best?.path ?? null;
}

/** Lists the names in a folder; none if it is not a folder, or may not be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function* foldersIn(root: string): Generator<string> {
  yield root;
  try {
    for (const entry of readdirSync(root, { withFileTypes: true }))
      if (entry.isDirectory()) yield* foldersIn(join(root, entry.name));
  } catch {
    // It does not exist, or may not be read.
  }
}

/** Opens another transcript; null if there is none. */
export function otherOf(agent: Agent, file: string, id: string): Other | null {
  const found = otherTranscript(agent, file, id);
  return found === null ? null : { file: found, lines: () => linesIn(found) };
}

function* linesIn(file: string): Generator<string> {
  for (const { text } of readLines(plainPieces(file, PIECE))) if (text !== null) yield text;
}
