/** The tool with which Gemini CLI asks the user, and the user's answer. */
import { type JsonValue, textOf } from '../../core/json.ts';
import { readValue } from '../shared/lines.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';
import { answerText } from './user-words.ts';

/** Returns the question of a tool, as text; null if it asks none. */
export const questionOf = (name: string, input: JsonValue): string | null =>
  name === 'ask_user' ? questionText(input) : null;

/** Returns the user's answer in the result of a call; null if there is none. */
export function answerOf(part: ToolPart): string | null {
  return part.state === 'output-available' ? answerText(readValue(textOf(part['output']) ?? '')) : null;
}
