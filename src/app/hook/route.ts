/** What becomes of a payload that an agent sends to the hook of another, whose settings it reads as well. */
import type { AgentHooks } from '../../agents/contract/hook-settings.ts';
import { hasOwnHooks } from '../../core/hook-settings.ts';
import { readIfThere } from '../../platform/files.ts';
import { placesOf, type Surroundings } from '../setup/hook-places.ts';

/** Largest settings that are looked at, in bytes. */
const LIMIT = 1024 * 1024;

/** Whether an agent has hooks of ctx of its own here: then it tells of every event twice. */
export const isToldItself = (hooks: AgentHooks, around: Surroundings): boolean => {
  const { stand } = hooks;
  return stand.as === 'settings' && placesOf(hooks, around).some(({ file }) => hasOwnHooks(textOf(file), stand.shape));
};

/** The text of a file; empty where there is none that can be read, for no hook can stand there then. */
function textOf(file: string): string {
  try {
    return readIfThere(file, LIMIT)?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}
