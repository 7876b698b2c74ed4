/** Whose words a user record contains: the user's own, an interrupt, or a text of the program; and questions as text. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import type { Result } from '../shared/parts.ts';
import { CLAUDE_CODE_FOREIGN, wordsOfAgent } from './foreign.ts';

/** The beginning of the program's text in the user's name when the user stops the agent. */
export const INTERRUPTED = '[Request interrupted by user';

/** Returns whether the first line of a text is only that the user stopped the agent: the user's own words may quote it. */
const isStopped = (text: string): boolean =>
  text.startsWith(INTERRUPTED) && /^[^\]\n]{0,40}\][ \t]*(?:\n|$)/.test(text.slice(INTERRUPTED.length));

/** The meaning of a user record. */
export type UserText =
  /** The user's words, which begin a turn. */
  | { kind: 'prompt'; text: string }
  /** The user stopped the agent; `text` is what else they said with it. */
  | { kind: 'interrupt'; text: string }
  | { kind: 'other' };

/** Returns the texts of a content; a picture is a word in brackets. */
function textsOf(blocks: readonly JsonValue[]): string[] {
  return blocks.flatMap((block) => {
    if (!isObject(block)) return [];
    if (block['type'] === 'image' || block['type'] === 'document') return [`[${block['type']}]`];
    const text = block['type'] === 'text' ? textOf(block['text']) : undefined;
    return text === undefined ? [] : [text];
  });
}

/** Origins whose words begin a turn: the user, even if the text waited in the queue. */
const PEOPLE: readonly unknown[] = [undefined, 'human'];

/** Fields of a record that contains none of the user's words. */
const MARKS = ['isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly', 'isVirtual', 'queueTranscriptOnly'] as const;

/** Returns whether a record has a field that says that the user has not written it. */
const isForeign = (record: JsonObject): boolean =>
  !PEOPLE.includes(textOf(objectOf(record['origin'])?.['kind'])) || record['promptSource'] === 'system';

/** Returns the meaning of a user record, from its blocks that are no tool results. */
export function textOfUser(record: JsonObject, blocks: readonly JsonValue[]): UserText {
  if (MARKS.some((mark) => record[mark] === true)) return { kind: 'other' };
  const texts = textsOf(blocks);
  const words = texts.filter((text) => !isStopped(text));
  const text = ownWordsIn(words, CLAUDE_CODE_FOREIGN);
  if (words.length < texts.length) return { kind: 'interrupt', text: text ?? '' };
  return text === null || isForeign(record) ? { kind: 'other' } : { kind: 'prompt', text };
}

/** Returns the same in a sub-agent's own file, in which another agent's words are a prompt. */
export function textInFile(record: JsonObject, blocks: readonly JsonValue[]): UserText {
  const said = textOfUser(record, blocks);
  if (said.kind !== 'other' || record['isSidechain'] !== true) return said;
  const text = textsOf(blocks)
    .flatMap((one) => wordsOfAgent(one) ?? [])
    .join('\n');
  return text === '' ? said : { kind: 'prompt', text };
}

/** Returns the user's own words in the texts of a message; null if the program wrote all of them. Text after a quoted line counts. */
export function usersWordsIn(texts: readonly string[]): string | null {
  const isLine = (text: string): boolean => isStopped(text) && !text.trim().includes('\n');
  return ownWordsIn(
    texts.filter((text) => !isLine(text)),
    CLAUDE_CODE_FOREIGN,
  );
}

/** Returns whether the call of a tool is a question to the user. */
export function isQuestion(name: string): boolean {
  return name === 'AskUserQuestion' || name === 'ExitPlanMode';
}

const UNKNOWN = 'The agent asks a question.';

const answersIn = (structured: Result['structured']): JsonObject => objectOf(objectOf(structured)?.['answers']) ?? {};

/** Returns the question of a tool, as text. */
export function questionText(name: string, input: JsonValue): string {
  const fields = objectOf(input) ?? {};
  if (name === 'ExitPlanMode') {
    const plan = textOf(fields['plan']);
    return plan ? `Shall I go on with this plan?\n\n${plan}` : 'Shall I go on with the plan?';
  }
  const questions = Array.isArray(fields['questions']) ? fields['questions'] : [fields];
  const texts = questions.flatMap((question) => {
    const text = isObject(question) ? textOf(question['question']) : undefined;
    if (text === undefined) return [];
    const options = Array.isArray(objectOf(question)?.['options'])
      ? (objectOf(question)?.['options'] as JsonValue[])
      : [];
    return [[text, ...options.flatMap(optionLine)].join('\n')];
  });
  return texts.join('\n\n') || UNKNOWN;
}

/** Returns the question of a tool that has a result, as text: the answers name it, too. */
export function answeredText(name: string, input: JsonValue, { structured }: Result): string {
  const text = questionText(name, input);
  return (text === UNKNOWN && Object.keys(answersIn(structured)).join('\n\n')) || text;
}

function optionLine(option: JsonValue): string[] {
  if (typeof option === 'string') return [`- ${option}`];
  const label = isObject(option) ? textOf(option['label']) : undefined;
  if (label === undefined) return [];
  const description = textOf(objectOf(option)?.['description']);
  return [`- ${label}${description ? `: ${oneLine(description)}` : ''}`];
}

/** Returns the user's answer to a question of a tool. */
export function answerText(name: string, result: Result): string {
  if (name === 'ExitPlanMode') return 'Plan approved';
  const answers = Object.entries(answersIn(result.structured)).map(([question, answer]): [string, string] => [
    question,
    typeof answer === 'string' ? answer : JSON.stringify(answer),
  ]);
  const only = answers.length === 1 ? answers[0]?.[1] : undefined;
  if (only !== undefined) return only;
  return answers.map(([question, answer]) => `${question}: ${answer}`).join('\n') || result.text || 'Answered';
}
