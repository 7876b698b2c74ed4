/** The conversations of a project, as its agents keep them: found by the folder that the agent worked in. */
import { isAbsolute, join } from 'node:path';
import { COLLECTIONS, TRANSCRIPTS } from '../../agents/transcripts.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { presentForm } from '../../platform/compressed-file.ts';
import { isInProject, isKeptElsewhere, pathsOf, waysTo, withoutLinks } from '../setup/project-paths.ts';
import { nameChats } from './chats.ts';
import type { FoundTranscripts } from './found.ts';
import { type Around, agentPlaces } from './places.ts';
import { takeCollections } from './project-collections.ts';
import { type Look, takeKnown, walkFlat, walkRoot } from './walk.ts';

/**
 * Finds the conversations of a project: those whose folder is the project's or lies below it and has no store of its own; and
 * with them, everything in the places of its agents that is not read and may be the project's.
 * @throws {CtxError} not_found, where no home folder is known
 */
export function projectTranscripts(project: string, around: Around): FoundTranscripts {
  const projects = waysTo(project, around.environment['PWD']);
  const found: FoundTranscripts = { files: [], sub_agents: [], problems: [] };
  const isHere = (cwd: string): boolean => isInProject(cwd, projects);
  let isAnywhere = false;
  for (const agent of TRANSCRIPTS) {
    const { places, problems } = agentPlaces(agent, project, around);
    isAnywhere ||= places.length > 0;
    found.problems.push(...problems);
    const projectName = agent.projectVariable && around.environment[agent.projectVariable];
    const look: Look = { agent, projects, isHere, found, projectName, walked: new Set() };
    for (const { kind, folder } of places)
      if (kind === 'transcripts') walkFlat(look, folder);
      else for (const root of agent.roots) walkRoot(look, join(folder, root));
    for (const { kind, folder } of places) if (kind === 'home') nameChats(found, agent, folder, projects);
  }
  if (!isAnywhere) {
    throw new CtxError('not_found', 'No home folder is known: that is where agents keep their transcripts.', {
      hint: 'Set HOME.',
    });
  }
  for (const agent of COLLECTIONS) takeCollections(found, agent, isHere, { project, around });
  return found;
}

/** Where a file lies now, without links: one place for all the paths that lead to it, and for both its forms. */
export const presentPlace = (path: string): string => withoutLinks(presentForm(path));

/**
 * Of a file that the store knows of, wherever it lies: whether it holds a conversation of the project. One that ran elsewhere
 * does, too, for the project may have been there then, unless another store answers for that place.
 */
export function transcriptAt({ project, layout }: Repository, name: string, path: string): FoundTranscripts {
  const file = presentForm(path);
  const found: FoundTranscripts = { files: [], sub_agents: [], problems: [] };
  const agent = TRANSCRIPTS.find((one) => one.agent === name);
  const projects = pathsOf(project);
  const isHere = (cwd: string): boolean => isInProject(cwd, projects) || !isKeptElsewhere(cwd, layout.root);
  if (agent && isAbsolute(file)) takeKnown({ agent, projects, isHere, found, walked: new Set() }, file);
  return found;
}
