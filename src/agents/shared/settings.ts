/** An agent's own settings: JSON that may have comments in it. */
import type { JsonValue } from '../../core/json.ts';
import { plainValue, readJsonc } from '../../core/jsonc.ts';

/** Parses a text; null if it is invalid. */
export function readSettings(text: string): JsonValue {
  try {
    const root = readJsonc(text);
    return root ? plainValue(root) : null;
  } catch {
    return null;
  }
}

/** Returns a folder and all folders above it, the nearest first. */
export function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; ; ) {
    const above = at.replace(/[/\\][^/\\]*$/, '');
    if (above === at) return folders;
    folders.push(above === '' ? '/' : above);
    at = above;
  }
}
