/** Another transcript of an agent, by the id with which one names it: looked for where it is likely, and then in all places. */
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Agent, Other } from '../../agents/contract/agent.ts';
import { readLines } from '../../core/lines.ts';
import { hasPlainForm, plainPieces } from '../../platform/compressed-file.ts';
import { PIECE } from './text.ts';

/** Where the transcript lies that another one names; null where it is not there. */
export function otherTranscript({ others }: Agent, file: string, id: string): string | null {
  if (!others) return null;
  const path = resolve(file).replaceAll('\\', '/');
  const found = (folders: Iterable<string>): string | null =>
    bestIn(folders, (name) => others.rank(name, basename(path), id));
  return found(others.likely(path, id)) ?? found(others.roots(path).flatMap((root) => [...foldersIn(root)]));
}

/** The file that sorts last by its rank. */
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

/** The names in a folder; none where it is no folder, or not ours to look into. */
function namesIn(folder: string): string[] {
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
    // It is not there, or not ours to look into.
  }
}

/** Another transcript; null where it is not there. */
export function otherOf(agent: Agent, file: string, id: string): Other | null {
  const found = otherTranscript(agent, file, id);
  return found === null ? null : { file: found, lines: () => linesIn(found) };
}

function* linesIn(file: string): Generator<string> {
  for (const { text } of readLines(plainPieces(file, PIECE))) if (text !== null) yield text;
}
