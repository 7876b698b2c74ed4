/** The conversations of a project that an agent keeps with all others in one place: each tells where it belongs. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentCollections } from '../../agents/transcript-places.ts';
import { COLLECTIONS } from '../../agents/transcripts.ts';
import { CtxError } from '../../core/errors.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import { type Surroundings, userFolder } from '../setup/places.ts';
import type { Collected } from './collection.ts';
import { collectionAt } from './collections.ts';
import type { FoundTranscripts } from './found.ts';

/** @param isHere whether a conversation that ran in a folder is one of the project's */
export function takeCollections(
  found: FoundTranscripts,
  isHere: (cwd: string) => boolean,
  around: Pick<Surroundings, 'environment'>,
): void {
  for (const agent of COLLECTIONS) {
    const home = userFolder(agent, around);
    if (home === undefined) continue;
    const seen = new Set<string>();
    const places = placesOf(agent, home, around);
    for (const problem of places.problems) found.problems.push({ agent: agent.agent, file: home, message: problem });
    for (const path of places.paths) {
      try {
        for (const one of lookAt(agent, path, path === places.named) ?? [])
          takeOne(found, agent, one, { isHere, seen });
      } catch (error) {
        if (!(error instanceof CtxError)) throw error;
        const { message, hint, data } = error;
        // This Node cannot look into it, whatever it holds of this project.
        if (data?.needs !== undefined) found.unread.push({ agent: agent.agent, files: 1, why: `${message} ${hint}` });
        else found.problems.push({ agent: agent.agent, file: path, message });
      }
    }
  }
}

interface Places {
  /** In the order in which they count. */
  paths: string[];
  /** The one that a variable names; undefined if there is none. */
  named: string | undefined;
  /** Why nothing is known of the files in the folder. */
  problems: string[];
}

/** Where an agent keeps its collections. */
function placesOf(
  { names, fileVariable }: AgentCollections,
  home: string,
  { environment }: Pick<Surroundings, 'environment'>,
): Places {
  const file = fileVariable === undefined ? undefined : environment[fileVariable];
  // What is kept in memory alone is nowhere to be found.
  const named = file && file !== ':memory:' ? resolve(home, file) : undefined;
  const problems: string[] = [];
  let there: string[] = [];
  try {
    there = readdirSync(home).sort();
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) problems.push(ioError('list', home, error).message);
  }
  const found = names.flatMap((name) => (typeof name === 'string' ? name : there.filter((one) => name.test(one))));
  const paths = [...(named === undefined ? [] : [named]), ...found.map((name) => join(home, name))];
  return { paths: [...new Set(paths)], named, problems };
}

function lookAt({ agent }: AgentCollections, path: string, isPlace: boolean): Iterable<Collected> | null {
  const stat = statLinkedIfThere(path);
  return stat?.isFile() || stat?.isDirectory() ? collectionAt(path, stat.isDirectory(), agent, isPlace) : null;
}

function takeOne(
  found: FoundTranscripts,
  { agent }: AgentCollections,
  { file, written_at, about, open }: Collected,
  { isHere, seen }: { isHere: (cwd: string) => boolean; seen: Set<string> },
): void {
  try {
    const told = about?.();
    if (!told || told.is_sub_agent || !isHere(told.cwd) || seen.has(told.id)) return;
    seen.add(told.id);
    found.files.push({ agent, file, written_at: written_at ?? 0, open });
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push({ agent, file, message: error.message });
  }
}
