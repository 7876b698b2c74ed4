/** Handles a payload that an agent sends to the hook of another agent, whose settings it reads as well. */
import type { AgentHooks } from '../../../agents/contract/hook-settings.ts';
import { hasOwnHooks } from '../../../core/hook-settings.ts';
import { readIfThere } from '../../../platform/files.ts';
import { placesOf, type Surroundings } from '../../setup/hook-places.ts';

/** Largest settings that are read, in bytes. */
const LIMIT = 1024 * 1024;

/** Returns whether an agent also has hooks of ctx of its own here: then it reports every event twice. */
export const reportsItself = (hooks: AgentHooks, around: Surroundings): boolean => {
  const { installation } = hooks;
  return (
    installation.as === 'settings' &&
    placesOf(hooks, around).some(({ file }) => hasOwnHooks(textOf(file), installation.shape))
  );
};

/** Reads a file; empty if it cannot be read, since it can hold no hook then. */
function textOf(file: string): string {
  try {
    return readIfThere(file, LIMIT)?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}
