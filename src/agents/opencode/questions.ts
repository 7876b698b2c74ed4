/** The tool with which opencode asks the user, and the user's answer. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';

/** Returns the question of a tool, as text; null if it asks none. */
export const questionOf = (name: string, input: JsonValue): string | null =>
  name === 'question' ? questionText(input) : null;

/** Returns the user's answer; null if there is none. */
export function answerOf(part: ToolPart): string | null {
  if (part.state !== 'output-available') return null;
  const answers = objectOf(part['result'])?.['answers'];
  const texts = Array.isArray(answers)
    ? answers.flatMap((one) => (Array.isArray(one) ? one.map(String).join(', ') : []))
    : [];
  return texts.filter((text) => text !== '').join('\n') || textOf(part['output']) || null;
}
