/** Reads from an agent's settings and environment whether it trusts what a project brings along. */
import { join } from 'node:path';
import { codexReview, codexSwitch } from '../../agents/codex/review.ts';
import type { AgentHooks, Review } from '../../agents/contract/hook-settings.ts';
import { HOOKED_AGENTS } from '../../agents/index.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { projectOf, type Surroundings, userFolder } from './hook-places.ts';
import { pathsOf } from './project-paths.ts';

/** Readers that are kept apart, so that those who only read transcripts do not load their code. */
const MORE: Readonly<Record<string, Pick<AgentHooks, 'review' | 'switch'>>> = {
  codex: { review: codexReview, switch: codexSwitch },
};

/** Returns the hooks of an agent with all readers of its settings. */
export const withSettings = (agent: AgentHooks): AgentHooks => ({ ...agent, ...MORE[agent.agent] });

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
  const agent = HOOKED_AGENTS.find((each) => each.agent === name);
  try {
    const review = agent && reviewOf(withSettings(agent), '', around);
    return !review || review.trusted === true;
  } catch (error) {
    // Settings that cannot be read trust nothing.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
