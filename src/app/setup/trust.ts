/** Whether an agent heeds what a project brings along: what its own settings, or its environment, tell of that. */
import { join } from 'node:path';
import { codexReview, codexSwitch } from '../../agents/codex/review.ts';
import type { AgentHooks, Review } from '../../agents/contract/hook-settings.ts';
import { HOOKED_AGENTS } from '../../agents/index.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { projectOf, type Surroundings, userFolder } from './places.ts';
import { pathsOf } from './project-paths.ts';

/** What it takes more code to read than those should load who only read transcripts. */
const MORE: Readonly<Record<string, Pick<AgentHooks, 'review' | 'switch'>>> = {
  codex: { review: codexReview, switch: codexSwitch },
};

/** The hooks of an agent with all that is known of what its settings tell. */
export const withSettings = (agent: AgentHooks): AgentHooks => ({ ...agent, ...MORE[agent.agent] });

/** What is told of the hooks in a file, and of the project; null where the agent runs every hook. */
export function reviewOf(agent: AgentHooks, hooks: string, around: Surroundings): Review | null {
  const folder = userFolder(agent, around);
  if (!agent.review || folder === undefined) return null;
  const { files, read, variable } = agent.review;
  const texts = files.map((file) => readLinkedIfThere(join(folder, file))?.toString('utf8') ?? '');
  const review = read(texts, hooks, pathsOf(projectOf(around.directory)));
  const said = variable && around.environment[variable.name];
  return variable && said ? { ...review, trusted: said === variable.trusted } : review;
}

/** Whether the settings that a project brings along count; true where the agent asks for no trust. */
export function heedsProject(name: string, around: Surroundings): boolean {
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
