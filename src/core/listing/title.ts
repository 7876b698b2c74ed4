/** Titles of sessions: what a person calls one, in a line. */
import { head, oneLine } from '../text.ts';
import { withoutMarkdown } from './plain-sentence.ts';

/** Longest title, in UTF-16 code units (rule of ctx). */
export const TITLE_LIMIT = 72;

/** A shorter sentence than this is continued with the next one. */
const SHORTEST_SENTENCE = 16;

/** Texts from which a title is derived. */
export interface Titled {
  task_description: string;
  /** The title that the agent gave, or that its user gave in the agent. */
  title?: string | undefined;
  /** The title that was given with `ctx rename`. */
  renamed?: string | undefined;
}

/**
 * Returns the title of a session: the one that `ctx rename` set, else the one that the agent set, else one derived from the task.
 * @returns one line of at most `TITLE_LIMIT` code units; empty if the task is empty
 */
export function titleOf({ renamed, title, task_description }: Titled): string {
  // The words of the user stay as they are.
  if (renamed) return cut(oneLine(renamed, TITLE_LIMIT * 4));
  const line = title === undefined ? '' : cut(oneLine(withoutMarkdown(title), TITLE_LIMIT * 4));
  return line || titleFromPrompt(task_description) || cut(oneLine(task_description, TITLE_LIMIT * 4));
}

/** The task of a session that has begun without one. */
export const UNTITLED = 'Untitled session';

/** Returns whether a prompt is a command of the agent's own without a word of the user, as "/mode" is: a prompt after it says more. */
export const isLoneCommand = (prompt: string): boolean => /^\/[a-z][\w:-]*$/i.test(prompt.trim());

/** Returns whether nothing names a session yet: its task says nothing of what it is about. */
export const isUnnamed = ({ renamed, title, task_description: task }: Titled): boolean =>
  !renamed && !title && (task === UNTITLED || isLoneCommand(task));

/** Returns a session under the title that a later prompt gives it, if that says something. */
export function named<Session extends Titled>(session: Session, prompt: string): Session {
  const title = isLoneCommand(prompt) ? '' : titleFromPrompt(prompt);
  return title === '' ? session : { ...session, title };
}

/** Returns the title of a session's commit: the one that `ctx rename` set, its message if somebody worded one, else that of the session. */
export function commitTitle(message: string, session: Titled): string {
  const { task_description: task } = session;
  const isMade = message === task || message.endsWith(`: ${task}`);
  return isMade || session.renamed ? titleOf(session) : cut(oneLine(withoutMarkdown(message), TITLE_LIMIT * 4));
}

/** Elements that editors and agents put into a prompt, with their content. */
const ELEMENT = /<([a-z][\w-]*)(?: [^<>]*)?>[\s\S]*?<\/\1>/gi;
const TAG = /<\/?[a-z][\w-]*(?: [^<>]*)?\/?>/gi;
/** Placeholders for pasted text and images, as Claude Code and Codex write them. */
const PLACEHOLDER = /\[(?:image|pasted (?:text|content)|attached image|file)[^\]\n]*\]/gi;
/** A command of an agent in front of what the user says: `/review`, `/plugin:brainstorming`, `$skill`. */
const COMMAND = /^[/$][a-z][\w:.-]*(?=\s|$)/i;

/** Matches courtesies before a request. */
const COURTESIES = new RegExp(
  String.raw`^(?:(?:please|pls|plz|kindly|hey|hi|hello|ok(?:ay)?|alright|so|well|now|great|thanks|thank you)\b[\s,!.:]*|` +
    String.raw`(?:can|could|would|will) (?:you|we)(?: please)?(?: help me(?: to)?)?\s+|` +
    String.raw`(?:an? )?(?:new|another|next|different) (?:task|topic|request|issue|thing)\s*[:–—-]\s*|` +
    String.raw`i(?:'d| would) like (?:you )?to\s+|i (?:want|need) you to\s+|let'?s\s+|` +
    String.raw`(?:please )?(?:implement|execute|follow) (?:the following|this) plan\s*[:.]?\s*)`,
  'i',
);

/** Returns a title derived from a prompt, without tags, placeholders, Markdown, commands and courtesies; empty if nothing else is in it. */
export function titleFromPrompt(prompt: string): string {
  let text = prompt
    .slice(0, TITLE_LIMIT * 256)
    .replace(ELEMENT, ' ')
    .replace(TAG, ' ')
    .replace(PLACEHOLDER, ' ');
  text = withoutMarkdown(text).trim();
  text = without(text, COMMAND);
  for (let before = ''; before !== text; ) {
    before = text;
    text = without(text, COURTESIES);
  }
  return cut(firstSentence(text));
}

/** Returns a text without what it begins with, if more than a word or two is left: "Hello, agent!" says no more without its first word. */
function without(text: string, beginning: RegExp): string {
  const rest = text.slice(beginning.exec(text)?.[0].length ?? 0).trim();
  return /\S\s+\S/.test(rest) || rest.length >= SHORTEST_SENTENCE ? rest : text;
}

/** Ends of sentences: a mark before white space, or the end of a line. */
const SENTENCE_END = /[.!?…](?=\s|$)|[。！？]|\n/g;

/** Returns the first sentence of a text in one line, with the next one if the first is too short to say anything. */
function firstSentence(text: string): string {
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    if (index < SHORTEST_SENTENCE) continue;
    return oneLine(text.slice(0, index + mark.length), Number.MAX_SAFE_INTEGER).replace(/[\s.:;,]+$/, '');
  }
  return oneLine(text, TITLE_LIMIT * 4).replace(/[\s.:;,]+$/, '');
}

/** Cuts a line at a word to the length of a title. */
function cut(line: string): string {
  if (line.length <= TITLE_LIMIT) return line;
  const begin = head(line, TITLE_LIMIT - 1);
  const space = begin.lastIndexOf(' ');
  return `${(space > TITLE_LIMIT / 2 ? begin.slice(0, space) : begin).replace(/[\s.:;,]+$/, '')}…`;
}
