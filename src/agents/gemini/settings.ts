/** Reads one setting of Gemini CLI. */
import { type JsonValue, objectOf } from '../../core/json.ts';
import { readSettings } from '../shared/settings.ts';

/** Returns the value of a setting in the text of a file, by the names that lead to it; undefined if it is not set. */
export function settingAt(text: string, ...names: string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>((value, name) => objectOf(value)?.[name], readSettings(text));
}
