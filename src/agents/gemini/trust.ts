/** What Gemini CLI's own files tell of trust: none is needed where it is switched off, else the rule with the longest path counts. */
import { objectOf, textOf } from '../../core/json.ts';
import type { Review } from '../contract/hook-settings.ts';
import { foldersAbove, readSettings } from '../shared/settings.ts';
import { settingAt } from './settings.ts';

/** Reads `trustedFolders.json`, and the user's `settings.json`. */
export function trustOf(
  [text = '', settings = '']: readonly string[],
  _hooks: string,
  projects: readonly string[],
): Review {
  if (settingAt(settings, 'security', 'folderTrust', 'enabled') === false) return { events: null, trusted: true };
  const rules = Object.entries(objectOf(readSettings(text)) ?? {});
  rules.sort(([a], [b]) => b.length - a.length);
  const folders = projects.flatMap(foldersAbove);
  for (const [path, value] of rules) {
    const rule = textOf(value);
    const [, parent] = foldersAbove(path);
    const place = rule === 'TRUST_PARENT' ? (parent ?? path) : path;
    if (!folders.includes(place)) continue;
    if (rule === 'DO_NOT_TRUST') return { events: null, trusted: false };
    if (rule === 'TRUST_FOLDER' || rule === 'TRUST_PARENT') return { events: null, trusted: true };
  }
  return { events: null, trusted: null };
}
