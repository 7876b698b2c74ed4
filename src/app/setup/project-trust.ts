/** Reads from an agent's settings and environment whether it trusts what a project brings along. */
import { join } from 'node:path';
import type { AgentHooks, Review } from '../../agents/contract/hook-settings.ts';
import { agentNamed } from '../../agents/index.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { projectOf, type Surroundings, userFolder } from './hook-places.ts';
import { pathsOf } from './project-paths.ts';

/** Returns the agent's review of the hooks in a file and of the project; null if the agent runs every hook. */
export function reviewOf(agent: AgentHooks, hooks: string, around: Surroundings): Review | null {
  const folder = userFolder(agent, around);
  if (!agent.review || folder === undefined) return null;
  const { files, read, variable } = agent.review;
  const texts = files.map((file) => readLinkedIfThere(join(folder, file))?.toString('utf8') ?? '');
  const review = read(texts, hooks, pathsOf(projectOf(around.directory)));
  const said = variable && around.environment[variable.name];
  return variable && said ? { ...review, trusted: said === variable.trusted } : review;
}

/** Returns whether an agent uses the settings of a project; true if the agent requires no trust. */
export function trustsProject(name: string, around: Surroundings): boolean {
  const settings = agentNamed(name)?.hooks?.settings();
  try {
    const review = settings && reviewOf(settings, '', around);
    return !review || review.trusted === true;
  } catch (error) {
    // Settings that cannot be read trust nothing.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
