/** What pi's own file tells of trust: for each folder true or false, that of the nearest one counts. */
import { objectOf } from '../../core/json.ts';
import type { Review } from '../contract/hook-settings.ts';
import { foldersAbove, readSettings } from '../shared/settings.ts';

/** Reads `trust.json`. */
export function trustOf([text = '']: readonly string[], _hooks: string, projects: readonly string[]): Review {
  const told = objectOf(readSettings(text)) ?? {};
  for (const project of projects) {
    for (const folder of foldersAbove(project)) {
      const trusted = told[folder];
      if (typeof trusted === 'boolean') return { events: null, trusted };
    }
  }
  return { events: null, trusted: null };
}
