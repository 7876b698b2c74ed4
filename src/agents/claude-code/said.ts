/** What a user record is: the user's own words, an interrupt, or bookkeeping of the program; and questions as text. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import type { Result } from '../shared/parts.ts';

/** The beginning of what Claude Code writes in the user's name when they stop it. */
export const INTERRUPTED = '[Request interrupted by user';

/** Whether a text says that the user stopped the agent, and nothing else on that line: their own words may quote it. */
const isStopped = (text: string): boolean =>
  text.startsWith(INTERRUPTED) && /^[^\]\n]{0,40}\][ \t]*(?:\n|$)/.test(text.slice(INTERRUPTED.length));

/** Texts that begin with one of these tags were written by the program, in the user's name. */
const BOOKKEEPING =
  /^\s*<(?:local-command-[a-z]+|bash-[a-z]+|task-notification|user-memory-input|system-reminder|ide_[a-z_]+|agent-notification|teammate-message|tick|background-task[a-z-]*|new-diagnostics|command-(?:name|args|contents)|user-prompt-submit-hook|mcp-(?:resource|polling)[a-z-]*)[\s>]/;

/** A command of the user's own or of a skill: the message comes first. Those of the program itself begin with the name. */
const OWN_COMMAND = /^\s*<command-message>/;

export type Said =
  /** The user's words; they begin a turn. */
  | { kind: 'prompt'; text: string }
  /** The user stopped the agent; `text` is what else they said in the same breath. */
  | { kind: 'interrupt'; text: string }
  | { kind: 'other' };

function tag(text: string, name: string): string {
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim() ?? '';
}

/** `/review staged files`, as the user typed it. */
function ownCommand(text: string): string {
  const name = tag(text, 'command-name') || tag(text, 'command-message');
  return `${name.startsWith('/') ? '' : '/'}${name} ${tag(text, 'command-args')}`.trim();
}

/** The texts of a content, one by one; a picture is a word in brackets. */
function textsOf(blocks: readonly JsonValue[]): string[] {
  return blocks.flatMap((block) => {
    if (!isObject(block)) return [];
    if (block['type'] === 'image' || block['type'] === 'document') return [`[${block['type']}]`];
    const text = block['type'] === 'text' ? textOf(block['text']) : undefined;
    return text === undefined ? [] : [text];
  });
}

/** What the user typed, from the texts of their words. */
const joined = (words: readonly string[]): string =>
  words
    .map((word) => (OWN_COMMAND.test(word) ? ownCommand(word) : word))
    .join('\n')
    .trim();

/** Tells what a user record says, from its blocks that are no tool results. */
export function whatIsSaid(record: JsonObject, blocks: readonly JsonValue[]): Said {
  if (record['isMeta'] === true || record['isCompactSummary'] === true) return { kind: 'other' };
  if (record['isVisibleInTranscriptOnly'] === true) return { kind: 'other' };
  const texts = textsOf(blocks).filter((text) => !BOOKKEEPING.test(text));
  const words = texts.filter((text) => !isStopped(text));
  const text = joined(words);
  const origin = textOf(objectOf(record['origin'])?.['kind']);
  if (words.length < texts.length) return { kind: 'interrupt', text };
  if (origin !== undefined && origin !== 'human') return { kind: 'other' };
  return text === '' ? { kind: 'other' } : { kind: 'prompt', text };
}

/** The user's own words in the texts of a message; null where the program wrote all of them. Who quotes its line goes on behind it. */
export function usersWordsIn(texts: readonly string[]): string | null {
  const isLine = (text: string): boolean => isStopped(text) && !text.trim().includes('\n');
  return joined(texts.filter((text) => !BOOKKEEPING.test(text) && !isLine(text))) || null;
}

/** Tools whose call is a question to the user. */
export function isQuestion(name: string): boolean {
  return name === 'AskUserQuestion' || name === 'ExitPlanMode';
}

const UNKNOWN = 'The agent asks a question.';

const answersIn = (told: Result['told']): JsonObject => objectOf(objectOf(told)?.['answers']) ?? {};

/** A question that a tool puts, as text. */
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

/** The question that a tool has put and come back from, as text: its answers name it, too. */
export function answeredText(name: string, input: JsonValue, { told }: Result): string {
  const text = questionText(name, input);
  return (text === UNKNOWN && Object.keys(answersIn(told)).join('\n\n')) || text;
}

function optionLine(option: JsonValue): string[] {
  if (typeof option === 'string') return [`- ${option}`];
  const label = isObject(option) ? textOf(option['label']) : undefined;
  if (label === undefined) return [];
  const description = textOf(objectOf(option)?.['description']);
  return [`- ${label}${description ? `: ${oneLine(description)}` : ''}`];
}

/** What the user answered to a question of a tool. */
export function answerText(name: string, result: Result): string {
  if (name === 'ExitPlanMode') return 'Plan approved';
  const answers = Object.entries(answersIn(result.told)).map(([question, answer]): [string, string] => [
    question,
    typeof answer === 'string' ? answer : JSON.stringify(answer),
  ]);
  const only = answers.length === 1 ? answers[0]?.[1] : undefined;
  if (only !== undefined) return only;
  return answers.map(([question, answer]) => `${question}: ${answer}`).join('\n') || result.text || 'Answered';
}
