/** The tool with which opencode asks the user, and what was answered to it. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolPart } from '../shared/parts.ts';
import { questionText } from '../shared/questions.ts';

/** The question that a tool puts, as text; null where it puts none. */
export const questionOf = (name: string, input: JsonValue): string | null =>
  name === 'question' ? questionText(input) : null;

/** What the user answered; null where they did not. */
export function answerOf(part: ToolPart): string | null {
  if (part.state !== 'output-available') return null;
  const answers = objectOf(part['result'])?.['answers'];
  const texts = Array.isArray(answers)
    ? answers.flatMap((one) => (Array.isArray(one) ? one.map(String).join(', ') : []))
    : [];
  return texts.filter((text) => text !== '').join('\n') || textOf(part['output']) || null;
}
