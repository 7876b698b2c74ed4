/** What Codex's own settings tell of hooks: whether they are switched off, which ones the user has passed, and whether a project is trusted. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Review, ReviewPlace, SwitchPlace } from '../contract/hook-settings.ts';
import { readToml } from './toml.ts';

/** Apart from Codex's hooks, which every command that reads transcripts loads: a reader of TOML comes with it. */
export const codexReview: ReviewPlace = {
  files: ['config.toml'],
  read: reviewOf,
  remedy: 'Open Codex once in this project, and pass the hooks there: /hooks',
};

export const codexSwitch: SwitchPlace = {
  files: ['config.toml'],
  isOff: isSwitchedOff,
  remedy: 'Take "hooks = false" (or "codex_hooks = false") out of its [features]',
};

/** Whether `config.toml` switches all hooks off; the older name counts where the newer one is not there. */
function isSwitchedOff(config: string): boolean | undefined {
  try {
    const { hooks, codex_hooks } = tableAt(readToml(config), 'features');
    const isOn = [hooks, codex_hooks].find((each) => typeof each === 'boolean');
    return isOn === undefined ? undefined : !isOn;
  } catch (error) {
    // What is no TOML says nothing of it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Reads `config.toml`; each hook that Codex runs is told as `<event>:<group>:<hook>`, as it stands in the hooks' file.
 * @param hooks the file that the hooks stand in
 * @param projects the paths of the project
 * @throws {SyntaxError} where it is no TOML
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

/** The table under a key; an empty one where there is none. */
function tableAt(table: object, key: string): JsonObject {
  const value: unknown = Object.entries(table).find(([name]) => name === key)?.[1];
  return isObject(value) ? value : {};
}

/** Whether Codex runs the hook: one that was passed may be switched off since. */
function isRun(entry: unknown): boolean {
  if (!isObject(entry) || entry['enabled'] === false) return false;
  return typeof entry['trusted_hash'] === 'string' && entry['trusted_hash'] !== '';
}

/** `post_tool_use:0:1`, as Codex keeps it, with the event as the hooks' file names it. */
const placeOf = (key: string): string =>
  key.replace(/^[a-z_]+/, (event) => event.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()));
