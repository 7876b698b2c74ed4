/** What becomes of a payload that an agent sends to the hook of another, whose settings it reads as well. */
import { HOOKED_AGENTS } from '../agents/index.ts';
import { hasOwnHooks } from '../core/hook-settings.ts';
import { readIfThere } from '../platform/files.ts';
import { placesOf, type Surroundings } from './hook-places.ts';

/** Largest settings that are looked at, in bytes. */
const LIMIT = 1024 * 1024;

/** Whether an agent has hooks of ctx of its own here: then it tells of every event twice. */
export function isToldItself(sender: string, around: Surroundings): boolean {
  const hooks = HOOKED_AGENTS.find(({ agent }) => agent === sender);
  if (hooks?.stand.as !== 'settings') return false;
  const { shape } = hooks.stand;
  return placesOf(hooks, around).some(({ file }) =>
    hasOwnHooks(readIfThere(file, LIMIT)?.toString('utf8') ?? '', shape),
  );
}
