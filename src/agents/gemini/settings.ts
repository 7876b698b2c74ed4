/** One setting of Gemini CLI, found by the names that lead to it. */
import { type JsonValue, objectOf } from '../../core/json.ts';
import { readSettings } from '../shared/settings.ts';

/** The value of a setting in the text of a file; undefined where it says nothing of it. */
export function settingAt(text: string, ...names: string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>((value, name) => objectOf(value)?.[name], readSettings(text));
}
