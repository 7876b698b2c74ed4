/** Whether an agent's own settings switch all its hooks off. */
import { join } from 'node:path';
import type { AgentHooks } from '../../agents/contract/hook-settings.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { placesOf, type Surroundings } from './places.ts';
import { heedsProject, withSettings } from './trust.ts';

/** The file that does so, and what mends it; null where none does: the weightiest that says something of it counts. */
export function switchedOff(agent: AgentHooks, around: Surroundings): { file: string; remedy: string } | null {
  const { switch: place } = withSettings(agent);
  if (!place) return null;
  const { files, isOff, remedy } = place;
  const isHeeded = heedsProject(agent.agent, around);
  const places = placesOf(agent, around).filter(({ scope }) => scope === 'user' || isHeeded);
  for (const file of places.flatMap(({ folder }) => files.map((name) => join(folder, name)))) {
    const isSwitchedOff = isOff(readLinkedIfThere(file)?.toString('utf8') ?? '');
    if (isSwitchedOff !== undefined) return isSwitchedOff ? { file, remedy } : null;
  }
  return null;
}
