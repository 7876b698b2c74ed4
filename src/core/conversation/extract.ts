/** Summarises a conversation without a model: what was asked, done, decided and left open, in the words that were said. */
import { isStub } from '../externalise.ts';
import type { JsonValue } from '../json.ts';
import { isObject } from '../json.ts';
import type { Part, ToolPart } from '../message.ts';
import { head, oneLine } from '../text.ts';

/** A message to be summarised, with what of it counts. */
export interface Told {
  role: 'system' | 'user' | 'assistant';
  /** True if the user wrote it, and not a program in the user's name. */
  isUsers: boolean;
  /** True if it is an agent's own summary of what came before. */
  isSummary: boolean;
  parts: readonly Part[];
}

/** Most characters of a line. */
const LINE = 300;
/** The same for what the user said: the task is in it. */
const REQUEST = 600;

/** Most lines of each list; the last ones count. Of what was asked and decided there may be more if there is room. */
const LIMITS = { requests: 24, decisions: 24, questions: 12, files: 40, commands: 30, words: 3, todos: 20 };

/** Most characters of a summary. */
const LONGEST = 24_000;
/** Shares of a summary that what was asked and decided may fill. */
const ROOMS = { requests: 0.33, decisions: 0.2 };
/** Share of the lists that is tried, one after the other. */
const SHARES = [1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05];
/** Most characters of an earlier summary. */
const EARLIER = 12_000;

/** Words by which a sentence says what was decided, and why. */
const DECIDES =
  /\b(?:decid\w+|decision|chose|chosen|instead of|rather than|because|so that|(?:we|i)(?:'ll| will| should| won't) (?:use|keep|not|leave|go with|stick|switch|avoid)|root cause|the (?:problem|cause|reason|bug|fix) (?:is|was)|turns? out|(?:which is|that'?s) why|the difference|must(?: not)?|never|always|prefer\w*|agreed|trade-?off)\b/i;

/** Keys under which tools take a path. */
const PATH_KEYS = ['file_path', 'path', 'filePath', 'absolute_path', 'notebook_path', 'file', 'filename'];
/** Tools that change files, by their names. */
const CHANGES = /write|edit|patch|replace|create|delete|move|rename|insert|notebook/i;
const COMMAND_KEYS = ['command', 'cmd', 'script', 'commandLine', 'CommandLine'];
/** The heads of files in a patch. */
const PATCHED = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b\/)(.+)$/gm;

/** Notes on a conversation, by kind; each text once, in the order in which it came. */
class Notes {
  readonly requests: string[] = [];
  readonly decisions: string[] = [];
  readonly questions: string[] = [];
  readonly files = new Map<string, number>();
  readonly read = new Set<string>();
  readonly commands = new Map<string, string>();
  readonly commits: string[] = [];
  readonly failures: string[] = [];
  readonly words: string[] = [];
  readonly earlier: string[] = [];
  todos: string[] = [];
}

/**
 * Summarises messages under the headings Goal, Progress, Decisions and Next steps.
 * @param task of the session
 * @param limit most characters, about: the lists are made shorter until the summary fits
 */
export function extractSummary(task: string, messages: readonly Told[], limit = LONGEST): string {
  const notes = new Notes();
  let asked: string | null = null;
  for (const { role, isUsers, isSummary, parts } of messages) {
    for (const part of parts) {
      if (part.type === 'data-compaction') noteEarlier(notes, part['data']);
      else if (part.type === 'dynamic-tool') noteCall(notes, part as ToolPart);
      if (part.type !== 'text') continue;
      const text = whole(part.text);
      if (isSummary) notes.earlier.push(text.trim());
      else if (isUsers) {
        if (asked !== null) notes.questions.push(`${asked} → ${oneLine(text, LINE)}`);
        asked = null;
        notes.requests.push(oneLine(text, REQUEST));
      } else if (role === 'assistant') {
        notes.words.push(text);
        for (const sentence of sentencesOf(text))
          if (DECIDES.test(sentence)) notes.decisions.push(oneLine(sentence, LINE));
        asked = questionAtEnd(text);
      }
    }
  }
  let summary = '';
  for (const share of SHARES) {
    summary = wordsOf(task, notes, share, limit);
    if (summary.length <= limit) break;
  }
  return summary;
}

/** A text; of one that is not held, its beginning. */
const whole = (text: unknown): string => (isStub(text) ? text.preview : String(text));

/** An earlier summary, which this one replaces: its lines are kept. */
function noteEarlier(notes: Notes, data: unknown): void {
  const summary = isObject(data as JsonValue) ? (data as { summary?: unknown }).summary : undefined;
  if (typeof summary === 'string') notes.earlier.push(summary.trim());
}

function noteCall(notes: Notes, part: ToolPart): void {
  const { toolName, input } = part;
  const command = isObject(input as JsonValue) ? firstText(input as object, COMMAND_KEYS) : undefined;
  if (command !== undefined) noteCommand(notes, part, command);
  for (const path of pathsIn(toolName, input, command))
    if (CHANGES.test(toolName) || PATCH_NAME.test(command ?? ''))
      notes.files.set(path, (notes.files.get(path) ?? 0) + 1);
    else notes.read.add(path);
  if (/todo|update_plan/i.test(toolName)) notes.todos = todosIn(input);
  if (part.state === 'output-error' && command === undefined)
    notes.failures.push(`${toolName}: ${oneLine(whole((part as { errorText?: unknown }).errorText), LINE)}`);
}

/** A command that only looks at files: that it passed says nothing. */
const LOOKS =
  /^(?:cd [^&;]*(?:&&|;)\s*)?(?:cat|nl|ls|find|head|tail|sed -n|rg|grep|wc|pwd|tree|stat|file)\b[^;&|>]*(?:\|\s*(?:head|tail|sort|uniq|wc|grep|rg|sed -n)\b[^;&|>]*)*$/;

const PATCH_NAME = /\bapply_patch\b|^\*\*\* Begin Patch/;

/** Notes a command by how it ended; the last run of it counts. */
function noteCommand(notes: Notes, part: ToolPart, command: string): void {
  const line = oneLine(command, LINE);
  const exit = (part as { exit_code?: unknown }).exit_code;
  const failed = part.state === 'output-error' || (typeof exit === 'number' && exit !== 0);
  const ending = typeof exit === 'number' ? `exit ${exit}` : failed ? 'failed' : 'done';
  notes.commands.delete(line);
  notes.commands.set(line, failed ? `${ending}${lastLine(part)}` : ending);
  if (!/\bgit\b/.test(command)) return;
  for (const [, id, subject] of outputOf(part).matchAll(COMMITTED))
    notes.commits.push(oneLine(`${id} ${subject}`, LINE));
}

/** The line in which Git names a commit that it has made, with its id and its subject. */
const COMMITTED = /^\[[^\]\n]*? ([0-9a-f]{7,40})\] (.+)$/gm;

/** The text that a call gave back; of a list of parts, their texts. */
function outputOf(part: ToolPart): string {
  const { errorText, output } = part as { errorText?: unknown; output?: unknown };
  const given = errorText ?? output;
  if (typeof given === 'string' || isStub(given)) return whole(given);
  const texts = Array.isArray(given) ? given.map((one: unknown) => (one as { text?: unknown } | null)?.text) : [];
  return texts.flatMap((text) => (typeof text === 'string' || isStub(text) ? whole(text) : [])).join('\n');
}

/** The last line of what a failed command said. */
function lastLine(part: ToolPart): string {
  const line = outputOf(part).trim().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${oneLine(line, 160)}`;
}

function firstText(input: object, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value.join(' ');
    if (isStub(value)) return value.preview;
  }
  return undefined;
}

function pathsIn(tool: string, input: unknown, command: string | undefined): string[] {
  const text = typeof input === 'string' ? input : (command ?? '');
  const patch = isObject(input as JsonValue) ? firstText(input as object, ['patch', 'input', 'diff']) : undefined;
  const patched = [...`${text}\n${patch ?? ''}`.matchAll(PATCHED)].map((match) => (match[1] as string).trim());
  if (patched.length > 0) return patched;
  const path =
    isObject(input as JsonValue) && !/^(?:bash|shell)$/i.test(tool) ? firstText(input as object, PATH_KEYS) : undefined;
  return path === undefined ? [] : [oneLine(path, LINE)];
}

/** Lists the things to do: the open ones first. */
function todosIn(input: unknown): string[] {
  const fields = (input ?? {}) as Record<string, unknown>;
  const list = fields['todos'] ?? fields['plan'] ?? fields['items'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): string[] => {
    const { content, step, text, status } = (item ?? {}) as Record<string, unknown>;
    const words = [content, step, text].find((one) => typeof one === 'string');
    if (words === undefined || /complete|done|cancel/i.test(String(status))) return [];
    return [`${oneLine(String(words), LINE)}${status === undefined ? '' : ` (${oneLine(String(status), 20)})`}`];
  });
}

/** The sentences of a text outside of its code blocks; an item of a list is one. */
function sentencesOf(text: string): string[] {
  const prose = text.replaceAll(/```[\s\S]*?(?:```|$)/g, '\n');
  return prose
    .split(/\n+|(?<=[.!?])\s+(?=[A-Z`"'(*])/)
    .map((sentence) => sentence.replace(/^[\s>#*\-\d.]+/, '').trim())
    .filter((sentence) => sentence.length > 20);
}

/** The question with which a text ends; null if it ends with none. */
function questionAtEnd(text: string): string | null {
  const last = sentencesOf(text).at(-1);
  return last?.endsWith('?') ? oneLine(last, LINE) : null;
}

/** The last of some texts, each once. */
function lastOf(texts: readonly string[], limit: number): string[] {
  const once = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '');
  return once.slice(-limit);
}

/** The first and the last of some texts, each once: as many as there is room for, in characters, and no fewer than `limit`. */
function fittingOf(texts: readonly string[], limit: number, room: number): string[] {
  const once = [...new Set(texts)];
  let most = limit;
  const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 3, 0);
  while (most < once.length && lengthOf(endsOf(once, most + 1)) <= room) most += 1;
  return endsOf(once, most);
}

/** The first and the last of some texts, each once. */
function endsOf(texts: readonly string[], limit: number): string[] {
  const once = [...new Set(texts)].filter((text) => text !== '');
  const last = Math.floor(limit / 2);
  return once.length <= limit ? once : [...once.slice(0, limit - last), ...once.slice(once.length - last)];
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];

function wordsOf(task: string, notes: Notes, share: number, limit: number): string {
  const room = (part: number): number => limit * part * share;
  const most = (lines: number): number => Math.max(1, Math.round(lines * share));
  const { requests, decisions, questions, files, read, commands, commits, failures, words, todos, earlier } = notes;
  const changed = [...files].map(([path, times]) => (times > 1 ? `${path} (${times} times)` : path));
  const looked = [...read].filter((path) => !files.has(path));
  const ran = [...commands];
  const isBad = ([, ending]: [string, string]): boolean => ending !== 'done' && ending !== 'exit 0';
  const line = ([command, ending]: [string, string]): string => `\`${command}\` (${ending})`;
  const spoken = words.slice(-most(LIMITS.words));
  const last = spoken.flatMap((text, index) =>
    paragraphsOf(text, index === spoken.length - 1 ? most(LAST) : BEFORE_LAST),
  );
  return [
    '## Goal',
    ...list('', [oneLine(task, REQUEST)]).slice(1),
    ...list('The user asked, in order:', fittingOf(requests, most(LIMITS.requests), room(ROOMS.requests))),
    '',
    '## Progress',
    ...(earlier.length > 0
      ? ['Summary of what came before:', ...earlier.flatMap((text) => quoted(head(text, EARLIER * share))), '']
      : []),
    ...list('Files changed:', lastOf(changed, most(LIMITS.files))),
    ...list('Files read:', lastOf(looked, most(LIMITS.files / 2))),
    ...list('Commands that failed, the last run of each:', lastOf(ran.filter(isBad).map(line), most(LIMITS.commands))),
    ...list(
      'Commands that passed:',
      lastOf(ran.filter((one) => !isBad(one) && !LOOKS.test(one[0])).map(line), most(LIMITS.commands)),
    ),
    ...list('Commits made:', lastOf(commits, most(LIMITS.questions))),
    ...list('Calls that failed:', lastOf(failures, most(LIMITS.questions))),
    '',
    '## Decisions',
    ...list('Said, and why:', fittingOf(decisions, most(LIMITS.decisions), room(ROOMS.decisions))).slice(1),
    ...list('Questions to the user, and the answers:', lastOf(questions, most(LIMITS.questions))),
    '',
    '## Next steps',
    ...list('To do:', todos.slice(0, most(LIMITS.todos))),
    ...list('The last words:', last),
  ]
    .join('\n')
    .concat('\n');
}

/** An earlier summary as a quotation, so that its headings are none of this one. */
const quoted = (summary: string): string[] => summary.split('\n').map((text) => `> ${text}`.trimEnd());

/** Number of paragraphs whose last words are kept, and number of earlier ones for each. */
const LAST = 16;
const BEFORE_LAST = 4;

/** The first and the last paragraphs of a text, a line each. */
function paragraphsOf(text: string, limit: number): string[] {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => oneLine(paragraph, REQUEST));
  return endsOf(paragraphs, limit);
}
