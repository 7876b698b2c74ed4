/** Questions of a tool to the user, as text: the question and its options. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';

function optionLine(option: JsonValue): string[] {
  const label = textOf(objectOf(option)?.['label']);
  const description = textOf(objectOf(option)?.['description']);
  return label === undefined ? [] : [`- ${label}${description ? `: ${oneLine(description)}` : ''}`];
}

/** Returns the questions in the input of a call: `{questions: [{question, options: [{label, description}]}]}`. */
export function questionText(input: JsonValue): string {
  const questions = objectOf(input)?.['questions'];
  const texts = (Array.isArray(questions) ? questions : []).flatMap((one) => {
    const question = objectOf(one);
    const text = textOf(question?.['question']);
    if (text === undefined) return [];
    const options = Array.isArray(question?.['options']) ? question['options'] : [];
    return [[text, ...options.flatMap(optionLine)].join('\n')];
  });
  return texts.join('\n\n') || 'The agent asks a question.';
}
