/** Mirrors what a command or a hook has saved, in a project that asks for that. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { mirrorSessions } from './mirror.ts';

/** Mirrors the sessions that a command has paused or ended, if the project asks for that. @returns what went wrong, a sentence each */
export function mirrorSaved(repository: Repository): string[] {
  const { saved, settings } = repository;
  if (settings.conversations === null || saved.size === 0) return [];
  try {
    mirrorSessions(repository, { ids: [...saved] });
    return [];
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return [`The conversation is saved, and was not mirrored: ${error.message}`];
  } finally {
    saved.clear();
  }
}
