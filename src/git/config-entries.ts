/** The entries that Git's config of a store must have, and those that a config lacks. */
import { type ConfigEntry, fetchedRemote, parseConfig } from '../core/config-file.ts';
import { quoted } from '../core/text.ts';
import { CONFIG } from './config.ts';

/** Returns the entries that `init` writes. */
const written = (): ConfigEntry[] => parseConfig(CONFIG);

/** Returns the value that a key must have; undefined if `init` writes none for it. */
const rightValue = (key: string): string | undefined => written().find((entry) => entry.key === key)?.value;

/** Returns the command that corrects a forbidden entry of a config; null if the entry must be removed. */
export function remedyFor(config: string, { key, value }: ConfigEntry): string | null {
  const set = `git config --file ${quoted(config)}`;
  const right = rightValue(key);
  if (right !== undefined) return `It must be ${right}: ${set} --replace-all ${key} ${right}`;
  const remote = fetchedRemote(key);
  if (remote === null) return null;
  const beside = `"+refs/*:refs/remotes/${remote}/*"`;
  return `It may not fetch over pointers of ctx's own: ${set} --fixed-value --replace-all ${key} ${beside} ${quoted(value)}`;
}

/**
 * Returns the entries that `init` writes and that a config lacks: without them Git collects garbage, expires reflogs, and
 * lets other users read.
 */
export function missingFrom(entries: readonly ConfigEntry[]): ConfigEntry[] {
  const keys = new Set(entries.map(({ key }) => key));
  return written().filter(({ key }) => !keys.has(key));
}

/** Returns a config with the missing entries appended. @throws {SyntaxError} if it cannot be parsed */
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
