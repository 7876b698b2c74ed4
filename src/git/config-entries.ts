/** What must stand in Git's config of a store, entry by entry, and what a config has lost of it. */
import { type ConfigEntry, fetchedRemote, parseConfig } from '../core/config-file.ts';
import { quoted } from '../core/text.ts';
import { CONFIG } from './config.ts';

/** The entries of what `init` writes. */
const written = (): ConfigEntry[] => parseConfig(CONFIG);

/** The value that a key must have; undefined where `init` writes none for it. */
export const rightValue = (key: string): string | undefined => written().find((entry) => entry.key === key)?.value;

/** What to type where an entry may not stand in a config so; null where it is to be removed. */
export function remedyFor(config: string, { key, value }: ConfigEntry): string | null {
  const set = `git config --file ${quoted(config)}`;
  const right = rightValue(key);
  if (right !== undefined) return `It must be ${right}: ${set} --replace-all ${key} ${right}`;
  const remote = fetchedRemote(key);
  if (remote === null) return null;
  const beside = `"+refs/*:refs/remotes/${remote}/*"`;
  return `It may not fetch over pointers of ctx's own: ${set} --fixed-value --replace-all ${key} ${beside} ${quoted(value)}`;
}

/** The entries that `init` writes and that a config has none of: without them Git collects, forgets, and lets others read. */
export function missingFrom(entries: readonly ConfigEntry[]): ConfigEntry[] {
  const keys = new Set(entries.map(({ key }) => key));
  return written().filter(({ key }) => !keys.has(key));
}

/** A config with the entries that are missing behind all that stands in it. @throws {SyntaxError} where it cannot be read */
export function completed(config: string): string {
  const lines = CONFIG.split('\n');
  let text = config === '' || config.endsWith('\n') ? config : `${config}\n`;
  let section = '';
  for (const { key, line } of missingFrom(parseConfig(config))) {
    const [name = ''] = key.split('.');
    text += `${name === section ? '' : `[${name}]\n`}${lines[line - 1]}\n`;
    section = name;
  }
  return text;
}
