/** Reads Codex's own settings of hooks: whether they are switched off, which ones the user has passed, and whether a project is trusted. */

import { parse, TomlError, type TomlTable } from 'smol-toml';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Review } from '../contract/hook-settings.ts';

/**
 * Parses a TOML text.
 * @throws {SyntaxError} beginning with the number of the line; it quotes nothing, since such files may contain keys for services
 */
export function readToml(text: string): TomlTable {
  try {
    // An integer that no number holds is still valid.
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines around the position follow the reason.
    const [told = ''] = error.message.split('\n');
    const reason = told.replace(/^Invalid TOML document: /, '');
    throw new SyntaxError(`line ${error.line}: it is not TOML (${reason})`);
  }
}

/** Returns whether `config.toml` switches all hooks off; the older name counts if the newer one is absent. */
export function isSwitchedOff(config: string): boolean | undefined {
  try {
    const { hooks, codex_hooks } = tableAt(readToml(config), 'features');
    const isOn = [hooks, codex_hooks].find((each) => typeof each === 'boolean');
    return isOn === undefined ? undefined : !isOn;
  } catch (error) {
    // A text that is no TOML says nothing.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Reads `config.toml`; returns each hook that Codex runs as `<event>:<group>:<hook>`, by its position in the hooks' file.
 * @param hooks the file with the hooks
 * @param projects the paths of the project
 * @throws {SyntaxError} if it is no TOML
 */
export function reviewOf([config = '']: readonly string[], hooks: string, projects: readonly string[]): Review {
  const settings = readToml(config);
  const state = Object.entries(tableAt(tableAt(settings, 'hooks'), 'state'));
  const events = state.flatMap(([key, entry]) =>
    key.startsWith(`${hooks}:`) && isRun(entry) ? [placeOf(key.slice(hooks.length + 1))] : [],
  );
  const levels = projects.map((project) => tableAt(tableAt(settings, 'projects'), project)['trust_level']);
  const level = levels.find((each) => typeof each === 'string');
  return { events, trusted: level === undefined ? null : level === 'trusted' };
}

/** Returns the table under a key; an empty one if there is none. */
function tableAt(table: object, key: string): JsonObject {
  const value: unknown = Object.entries(table).find(([name]) => name === key)?.[1];
  return isObject(value) ? value : {};
}

/** Returns whether Codex runs the hook: one that was passed may be switched off since. */
function isRun(entry: unknown): boolean {
  if (!isObject(entry) || entry['enabled'] === false) return false;
  return typeof entry['trusted_hash'] === 'string' && entry['trusted_hash'] !== '';
}

/** Returns the position of a hook, such as `post_tool_use:0:1`, with the event in the spelling of the hooks' file. */
const placeOf = (key: string): string =>
  key.replace(/^[a-z_]+/, (event) => event.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()));
