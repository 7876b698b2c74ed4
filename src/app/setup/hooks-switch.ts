/** Finds the setting of an agent that disables all its hooks. */
import { join } from 'node:path';
import type { AgentHooks } from '../../agents/contract/hook-settings.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { placesOf, type Surroundings } from './hook-places.ts';
import { trustsProject } from './project-trust.ts';

/**
 * Returns the file that disables the hooks, and how to enable them; null if none does. The file of highest precedence
 * decides.
 */
export function disabledHooks(agent: AgentHooks, around: Surroundings): { file: string; remedy: string } | null {
  const { switch: place } = agent;
  if (!place) return null;
  const { files, isOff, remedy } = place;
  const isHeeded = trustsProject(agent.agent, around);
  const places = placesOf(agent, around).filter(({ scope }) => scope === 'user' || isHeeded);
  for (const file of places.flatMap(({ folder }) => files.map((name) => join(folder, name)))) {
    const isSwitchedOff = isOff(readLinkedIfThere(file)?.toString('utf8') ?? '');
    if (isSwitchedOff !== undefined) return isSwitchedOff ? { file, remedy } : null;
  }
  return null;
}
