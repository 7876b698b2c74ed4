/** What becomes of a payload that Cursor sends to the hook of another agent, whose settings it reads as well. */
import { cursorHooks } from '../agents/cursor/hooks.ts';
import { hasOwnHooks } from '../core/hook-settings.ts';
import { readIfThere } from '../platform/files.ts';
import { placesOf, type Surroundings } from './hook-places.ts';

/** Largest settings that are looked at, in bytes. */
const LIMIT = 1024 * 1024;

/** Whether Cursor has hooks of ctx of its own here: then it tells of every event twice. */
export const isToldItself = (around: Surroundings): boolean =>
  placesOf(cursorHooks, around).some(({ file }) => hasOwnHooks(textOf(file), 'listed'));

/** The text of a file; empty where there is none that can be read, for no hook can stand there then. */
function textOf(file: string): string {
  try {
    return readIfThere(file, LIMIT)?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}
