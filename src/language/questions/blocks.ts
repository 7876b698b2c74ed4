/** Splits an agent's message into blocks and sentences, without code, links and quotations. */

const MARK = /^\s*(?:[-*+•]|\d{1,2}[.)]|\(?[A-Za-z][.)])\s+/;
/** Two patterns, since a hook waits until one is compiled, and few lines may have such a mark. */
const CHOICE_MARK =
  /^\s*(?:\*\*(?:\d{1,2}|[A-Za-z])(?:[.):](?:\*\*)?|\*\*[.):])|(?:\*\*)?(?:option|choice|variant|alternative) (?:\d{1,2}|[A-Za-z])(?:[.):](?:\*\*)?|\*\*[.):]))\s+/i;
/** The mark that a line begins with, and the blanks behind it; empty if it is no item of a list. */
function itemMark(line: string): string {
  const start = line.trimStart().slice(0, 2);
  const mayBeChoice = start === '**' || 'ocva'.includes(start.charAt(0).toLowerCase());
  return MARK.exec(line)?.[0] ?? (mayBeChoice ? CHOICE_MARK.exec(line)?.[0] : undefined) ?? '';
}

/** Returns whether a line is one of a list or a table: an item of it, or what continues below one. */
function isListLine(line: string): boolean {
  const first = line.charAt(0);
  const mayBe = first === '|' || first === '' || /\s/.test(first);
  return itemMark(line) !== '' || (mayBe && /^\s{2,}\S|^\|.*\|\s*$/.test(line));
}

/** Blank lines part a text into blocks. */
export interface Block {
  /** As it was written. */
  text: string;
  /** Without code, links and quotations: what is asked is asked in plain words. */
  plain: string;
  isList: boolean;
  /** True if the block is only the heading of a list of choices. */
  isHeading: boolean;
  /** True if every line of the block is a quotation of the user or of a text. */
  isQuote: boolean;
}

/** A line that only calls what is below it a choice: "Options:", "**Possible choices**". */
const CHOICES_HEADING =
  /^[ \t]*[#*_ \t]{0,8}(?:(?:the|my|your|our|possible|some|available) ){0,2}(?:options|choices|alternatives|possibilities|candidates)[:*_ \t]{0,6}$/gim;
/** One of these is in every such line: most last words have none, and a hook would wait until the pattern is compiled. */
const CALLS_CHOICES = ['options', 'choices', 'alternatives', 'possibilities', 'candidates'];
const LEADS_TO_LIST = /(:[*_]{0,2})[ \t]*\n(?=[ \t]*(?:[-*+•]|\d{1,2}[.)]|\(?[A-Za-z][.)])[ \t])/gu;
/** A choice with a list of its ways right below. */
const CHOICE_OVER_LIST =
  /(\bor [^\n?]{1,120}[?][*_]{0,2})[ \t]*\n(?=[ \t]*(?:[-*+•]|\d{1,2}[.)]|\(?[A-Za-z][.)]|\*\*[A-Za-z0-9]{1,2}[.):*]))/g;
const QUOTED_LINE = /^[ \t]*>.*\n(?![ \t]*>)/gmu;
const MOST_BLOCKS = 6;

/** The last blocks of a text. */
export function blocksOf(text: string): Block[] {
  const prose = withoutCode(text);
  const hasHeading = has(prose.toLowerCase(), ...CALLS_CHOICES);
  return parted(hasHeading ? prose.replace(CHOICES_HEADING, '\n$&\n') : prose)
    .map((block) => block.trim())
    .filter((block) => block !== '' && !('-*_='.includes(block.charAt(0)) && /^([-*_=] ?){3,}$/.test(block)))
    .slice(-MOST_BLOCKS)
    .map((block) => ({
      text: block,
      plain: plainWords(block),
      isList: block.split('\n').every(isListLine),
      isHeading: hasHeading && block.search(CHOICES_HEADING) === 0 && !block.includes('\n'),
      isQuote: block.split('\n').every((line) => /^\s*>/.test(line)),
    }));
}

/**
 * Returns whether one of some signs is in a text. Each pattern is compiled when it is first used: a hook uses those alone that
 * can match.
 */
const has = (text: string, ...signs: readonly string[]): boolean => signs.some((sign) => text.includes(sign));

/** A text at its blank lines, and at those that a list or a quotation would have before or behind it. */
function parted(prose: string): string[] {
  if (!prose.includes('\n')) return [prose];
  let text = prose;
  if (text.includes(':')) text = text.replace(LEADS_TO_LIST, '$1\n\n');
  if (text.includes('?')) text = text.replace(CHOICE_OVER_LIST, '$1\n\n');
  if (text.includes('>')) text = text.replace(QUOTED_LINE, '$&\n');
  return text.split(/\n[ \t]*(?:\n[ \t]*)+/);
}

const FENCE = /^\s*(```|~~~)/;

/** A text without its fenced code. */
function withoutCode(text: string): string {
  if (!has(text, '```', '~~~')) return text;
  const lines = text.split('\n');
  let fences = 0;
  for (const line of lines) if (FENCE.test(line)) fences++;
  // An odd fence: the text was cut, and begins inside of one.
  let isCode = fences % 2 === 1;
  for (let index = 0; fences > 0 && index < lines.length; index++) {
    const isFence = FENCE.test(lines[index] as string);
    if (isFence) isCode = !isCode;
    if (isCode || isFence) lines[index] = '';
  }
  return lines.join('\n');
}

/** Matches brackets behind a question that say how it may be answered: "Which port? (default 8080)" */
const ASIDE =
  /([?？]) ?[([](?=[^()[\]\n]{0,160}[)\]]$)(?:[^()[\]\n]{0,80}\b)?(?:defaults?|e\.g|for example|such as|recommend(?:ed)?|i(?:'d| would)|currently|(?:empty|blank)|optional)\b[^()[\]\n]{0,120}[)\]]$/i;

function plainWords(text: string): string {
  let plain = text;
  if (plain.includes('`')) plain = plain.replace(/`[^`\n]*`/g, 'code');
  if (plain.includes('](')) plain = plain.replace(/\]\([^)\s]*\)/g, ']');
  if (plain.includes('://')) plain = plain.replace(/\bhttps?:\/\/\S*[^\s.,;:!?]/g, 'link');
  if (has(plain, '“', '"')) plain = plain.replace(/“[^”\n]{0,400}”|"[^"\n]{0,400}"/g, 'words');
  if (has(plain.toLowerCase(), '(y', '( y', '[y', '[ y'))
    plain = plain.replace(/[([] ?[Yy](?:[Ee][Ss])? ?[/|] ?[Nn][Oo]? ?[)\]]/g, '');
  if (has(plain, '*', '_', '~')) plain = plain.replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '');
  return has(plain, '?', '？') && /[?？] ?[([]/.test(plain) ? plain.replace(ASIDE, '$1') : plain;
}

/** Returns whether anything is said. The pattern of all scripts takes long to compile, and few texts need it. */
const hasWords = (text: string): boolean => /[A-Za-z0-9]/.test(text) || /[\p{L}\p{N}]/u.test(text);

/** The sentences of a block, its list items each by itself. */
export function sentencesOf(plain: string): string[] {
  const joined = plain.split('\n').reduce((sum, line, index) => {
    const mark = itemMark(line);
    const between = index === 0 ? '' : mark === '' ? ' ' : '\n';
    return `${sum}${between}${line.slice(mark.length).replace(/^[#>\s]+/, '')}`;
  }, '');
  return joined
    .split(/\n|(?<=[.!?？。…][)\]"'”’]*)\s+(?=\S)/)
    .map((sentence) => sentence.trim())
    .filter(hasWords);
}
