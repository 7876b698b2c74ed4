/** Finds one conversation among those that its agent keeps in one place, by the agent's own id of it. */
import { isAbsolute, join } from 'node:path';
import type { AgentCollections } from '../../agents/contract/transcript-places.ts';
import { agentNamed } from '../../agents/index.ts';
import { listFolder } from '../../platform/files.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import type { Collected } from './collection.ts';
import { collectionAt } from './collections.ts';
import { type Around, agentPlaces } from './places.ts';

/** Returns whether an agent keeps many conversations in one place, so that none has a file of its own. */
export const keepsTogether = (agent: string): boolean => agentNamed(agent)?.collections !== undefined;

/** Returns the paths at which an agent may keep its conversations, the likeliest first. */
function pathsOf({ names, fileVariable = '', ...agent }: AgentCollections, project: string, around: Around): string[] {
  const { places } = agentPlaces(agent, project, around);
  const file = around.environment[fileVariable];
  const named = file && file !== ':memory:' ? [isAbsolute(file) ? file : join(places[0]?.folder ?? project, file)] : [];
  const inHomes = places.flatMap(({ folder }) => {
    const there = listFolder(folder);
    const wanted = names.flatMap((name) =>
      there.filter((each) => (typeof name === 'string' ? name === each : name.test(each))),
    );
    return wanted.map((name) => join(folder, name));
  });
  return [...new Set([...named, ...inHomes])];
}

/**
 * Finds a conversation where its agent keeps it; undefined if it is not there, or the agent keeps each in a file of its own.
 * @param project the folder that relative paths start from
 * @throws {CtxError} invalid_input, if a place cannot be read here; io
 */
export function keptConversation(agent: string, id: string, project: string, around: Around): Collected | undefined {
  const collections = agentNamed(agent)?.collections?.();
  let problem: unknown;
  for (const path of collections ? pathsOf(collections, project, around) : []) {
    try {
      const stat = statLinkedIfThere(path);
      const collected = stat && collectionAt(path, stat.isDirectory(), agent);
      for (const one of collected ?? []) if (one.about?.()?.id === id) return one;
    } catch (error) {
      problem ??= error;
    }
  }
  // It may be in the place that could not be read.
  if (problem !== undefined) throw problem;
  return undefined;
}
