/** The tool with which Gemini CLI asks the user, and what was answered to it. */
import { type JsonValue, textOf } from '../../core/json.ts';
import { readValue } from '../shared/lines.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';
import { answerText } from './user-words.ts';

/** The question that a tool puts, as text; null where it puts none. */
export const questionOf = (name: string, input: JsonValue): string | null =>
  name === 'ask_user' ? questionText(input) : null;

/** What a call's user answered, as the result tells it; null where nothing. */
export function answerOf(part: ToolPart): string | null {
  return part.state === 'output-available' ? answerText(readValue(textOf(part['output']) ?? '')) : null;
}
