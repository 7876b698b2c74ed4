/** Finds the conversations of a project in the places of its agents, by the folder that the agent worked in. */
import { isAbsolute, join } from 'node:path';
import type { AgentTranscripts } from '../../agents/contract/transcript-places.ts';
import { agentNamed, collectionPlaces, transcriptPlaces } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { presentForm } from '../../platform/compressed-file.ts';
import { exists, listFolder } from '../../platform/files.ts';
import { hasOtherStore, isInProject, pathsOf, pathsWithShell, withoutLinks } from '../setup/project-paths.ts';
import type { FoundTranscripts } from './found-transcripts.ts';
import { type Around, agentPlaces } from './places.ts';
import { takeCollections } from './project-collections.ts';
import { unread, unreadBy, unreadLink } from './unread.ts';
import { type Look, visitKnownFile, walkFlat, walkRoot } from './walk.ts';

/**
 * Finds the conversations of a project: those whose folder is the project's, or is below it and has no store of its
 * own. Also reports everything in the places of its agents that is not read and may be the project's.
 * @throws {CtxError} not_found, if no home folder is known
 */
export function projectTranscripts(project: string, around: Around): FoundTranscripts {
  const projects = pathsWithShell(project, around.environment['PWD']);
  const found: FoundTranscripts = { files: [], sub_agents: [], problems: [] };
  const isHere = (cwd: string): boolean => isInProject(cwd, projects);
  let isAnywhere = false;
  for (const agent of transcriptPlaces()) {
    const { places, problems } = agentPlaces(agent, project, around);
    isAnywhere ||= places.length > 0;
    found.problems.push(...problems);
    const projectName = agent.projectVariable && around.environment[agent.projectVariable];
    const look: Look = { agent, projects, isHere, found, projectName, walked: new Set() };
    for (const { kind, folder } of places)
      if (kind === 'transcripts') walkFlat(look, folder);
      else for (const root of agent.roots) walkRoot(look, join(folder, root));
    for (const { kind, folder } of places) if (kind === 'home') reportChats(found, agent, folder, projects);
  }
  if (!isAnywhere) {
    throw new CtxError('not_found', 'No home folder is known: that is where agents keep their transcripts.', {
      hint: 'Set HOME.',
    });
  }
  for (const agent of collectionPlaces()) takeCollections(found, agent, isHere, { project, around });
  return found;
}

/**
 * Returns the present path of a file, without links: one path for all that lead to it, and for its compressed and plain
 * form.
 */
export const presentPath = (path: string): string => withoutLinks(presentForm(path));

/**
 * Finds the conversation in a file that the store knows, wherever the file is. A conversation that ran elsewhere
 * counts, too, since the project may have been there then, unless another store covers that folder.
 */
export function transcriptAt({ project, layout }: Repository, name: string, path: string): FoundTranscripts {
  const file = presentForm(path);
  const found: FoundTranscripts = { files: [], sub_agents: [], problems: [] };
  const agent = agentNamed(name)?.places?.();
  const projects = pathsOf(project);
  const isHere = (cwd: string): boolean => isInProject(cwd, projects) || !hasOtherStore(cwd, layout.root);
  if (agent && isAbsolute(file)) visitKnownFile({ agent, projects, isHere, found, walked: new Set() }, file);
  return found;
}

/**
 * Reports the conversations that an agent keeps in a form that ctx does not read and that have no transcript.
 * @param home the agent's home
 */
function reportChats(
  found: FoundTranscripts,
  { agent, chats }: AgentTranscripts,
  home: string,
  projects: readonly string[],
): void {
  if (!chats) return;
  const root = join(home, chats.root);
  const hasTranscript = (id: string): boolean =>
    [...found.files, ...found.problems].some((each) => each.agent === agent && each.file.includes(id));
  const listed = (folder: string): string[] => {
    const link = unreadLink(agent, folder);
    if (link && !found.problems.some(({ file }) => file === link.file)) found.problems.push(link);
    return link ? [] : listFolder(folder);
  };
  try {
    for (const project of listed(root).filter((name) => chats.holds(name, projects))) {
      for (const id of listed(join(root, project))) {
        const file = join(root, project, id, chats.file);
        if (exists(file) && !hasTranscript(id))
          found.problems.push(unread(agent, file, 'unknown', 'is a conversation that has no transcript.'));
      }
    }
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(unreadBy(agent, root, error));
  }
}
