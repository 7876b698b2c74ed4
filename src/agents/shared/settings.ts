/** An agent's own settings, as far as they say something: JSON that may have comments in it. */
import type { JsonValue } from '../../core/json.ts';
import { plainValue, readJsonc } from '../../core/jsonc.ts';

/** The value of a text; null where it cannot be read: it says nothing then. */
export function readSettings(text: string): JsonValue {
  try {
    const root = readJsonc(text);
    return root ? plainValue(root) : null;
  } catch {
    return null;
  }
}

/** A folder and all that it lies in, the nearest first. */
export function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; ; ) {
    const above = at.replace(/[/\\][^/\\]*$/, '');
    if (above === at) return folders;
    folders.push(above === '' ? '/' : above);
    at = above;
  }
}
