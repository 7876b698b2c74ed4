/** The conversations of a project that an agent keeps with all others in one place: each tells where it belongs. */
import { join } from 'node:path';
import type { AgentCollections } from '../../agents/transcript-places.ts';
import { COLLECTIONS } from '../../agents/transcripts.ts';
import { CtxError } from '../../core/errors.ts';
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
    for (const name of agent.names) {
      const path = join(home, name);
      try {
        for (const one of lookAt(agent, path) ?? []) takeOne(found, agent, one, { isHere, seen });
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

function lookAt({ agent }: AgentCollections, path: string): Iterable<Collected> | null {
  const stat = statLinkedIfThere(path);
  return stat?.isFile() || stat?.isDirectory() ? collectionAt(path, stat.isDirectory(), agent) : null;
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
