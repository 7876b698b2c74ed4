/** What Codex's own settings tell of a review: which hooks the user has passed, and whether a project is trusted. */

import type { Review } from '../hook-settings.ts';

/** A table with a quoted last name, `[hooks.state."…"]`, as Codex writes it. */
const TABLE = /^\s*\[\s*([\w.]+)\s*\.\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*\]\s*(?:#.*)?$/;
const PAIR = /^\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#]+)/;

/**
 * Reads `config.toml`.
 * @param hooks the file that the hooks stand in
 * @param projects the paths of the project
 */
export function reviewOf([config = '']: readonly string[], hooks: string, projects: readonly string[]): Review {
  const events = new Set<string>();
  let trusted: boolean | null = null;
  for (const { table, name, key, value } of entriesOf(config)) {
    if (table === 'hooks.state' && key === 'trusted_hash' && value !== '' && name.startsWith(`${hooks}:`)) {
      events.add(name.slice(hooks.length + 1).split(':')[0] as string);
    }
    if (table === 'projects' && key === 'trust_level' && projects.includes(name)) trusted = value === 'trusted';
  }
  return { events: [...events], trusted };
}

function* entriesOf(config: string): Generator<{ table: string; name: string; key: string; value: string }> {
  let [table, name] = ['', ''];
  for (const line of config.split(/\r?\n/)) {
    const header = TABLE.exec(line);
    if (header) [table, name] = [header[1] as string, unquoted(header[2] as string)];
    else if (/^\s*\[/.test(line)) [table, name] = ['', ''];
    const pair = PAIR.exec(line);
    if (pair) yield { table, name, key: pair[1] as string, value: unquoted(pair[2] as string) };
  }
}

/** A TOML string without its quotes; one between double quotes has the escapes of JSON. */
function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return text.startsWith('"') ? String(JSON.parse(text)) : text;
  } catch {
    return text.slice(1, -1);
  }
}
