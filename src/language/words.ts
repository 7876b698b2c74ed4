/** A message as words: what a person wrote, without the code, logs, quotations and links that came along with it. */

import { bare, isSymbol, tokensOf } from './characters.ts';
import { PATTERNS } from './patterns.ts';

/** How much of a message is looked at: its beginning and its end. What lies between is a paste, or says the same at length. */
export const HEAD = 1500;
export const TAIL = 700;
/** How much of what the user says is taken word by word, likewise: a hook waits for each. */
const WORDS_HEAD = 900;
const WORDS_TAIL = 450;

/** Words between two marks (comma, colon, dash, full stop), in lower case and without apostrophes. */
export interface Clause {
  readonly words: readonly string[];
  /** As it was typed, to be quoted. */
  readonly shown: string;
  /** The mark that ends it: `?`, `!`, `.` where a sentence ends, `,` where it continues. */
  readonly end: '?' | '!' | '.' | ',';
}

const JOINS: ReadonlySet<string> = new Set(['and', 'then', 'so']);
const BEGINS: ReadonlySet<string> = new Set(['lets', 'can', 'could', 'please', 'also', 'what', 'why', 'how']);
const STOPS: Readonly<Record<string, Clause['end']>> = {
  '?': '?',
  '？': '?',
  '!': '!',
  '！': '!',
  '.': '.',
  '。': '.',
  '…': '.',
  '\n': '.',
  ',': ',',
  '，': ',',
  '、': ',',
  ';': ',',
  '；': ',',
  ':': ',',
  '：': ',',
  '(': ',',
  ')': ',',
  '—': ',',
  '–': ',',
};

/** The part of a message that is read. */
export function readPart(message: string, head = HEAD, tail = TAIL): string {
  const text = message.trim();
  return text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
}

/** Whether a message holds something pasted beside, or instead of, what was typed. */
interface Typed {
  readonly text: string;
  readonly hasPaste: boolean;
}

/**
 * Returns whether a line begins as those do that people type: the pattern of the others takes long to compile, and a hook would
 * wait.
 */
const beginsInWord = (line: string): boolean => /^[A-Za-z]/.test(line) && !line.startsWith('at ');

/** Returns the typed text of a message, without pasted lines. */
function typedOf(message: string): Typed {
  let isCode = false;
  let hasPaste = false;
  const part = readPart(message, WORDS_HEAD, WORDS_TAIL);
  const unwrapped = part.includes('<') ? part.replace(PATTERNS.wrapper, '') : part;
  const said = unwrapped.includes('#') ? unwrapped.replace(PATTERNS.attachment, ' ') : unwrapped;
  if (said !== unwrapped) hasPaste = true;
  const lines = said.split('\n');
  const kept = lines.filter((whole, index) => {
    const line = whole.trimStart();
    const isFence = PATTERNS.fence.test(line);
    if (isFence) isCode = !isCode;
    // What comes first somebody has typed, whatever sign it ends with.
    const isPasted =
      isFence ||
      isCode ||
      (!beginsInWord(line) && PATTERNS.pasted.test(line)) ||
      (/[:(]/.test(line) && PATTERNS.problem.test(line)) ||
      (index > 0 && PATTERNS.code.test(line));
    if (isPasted) hasPaste = true;
    return !isPasted;
  });
  return { text: kept.join('\n'), hasPaste };
}

const PLACEHOLDERS: ReadonlySet<string> = new Set(['codespan', 'quotation', 'weblink']);

/** Puts one word in the place of each quotation and code span, which say what is talked about and not what is wanted. */
function withoutQuotations(text: string): string {
  const quoted = text.includes('`') ? text.replace(PATTERNS.codeSpan, ' codespan ') : text;
  const linked = /["“「]/.test(quoted) ? quoted.replace(PATTERNS.quotation, ' quotation ') : quoted;
  return linked.includes('://') ? linked.replace(PATTERNS.link, ' weblink ') : linked;
}

/** "sooooo" is "so": runs of three and more equal letters become one. */
function withoutRuns(word: string): string {
  let hasRun = false;
  for (let index = 2; index < word.length && !hasRun; index += 1)
    hasRun = word[index] === word[index - 1] && word[index] === word[index - 2];
  if (!hasRun) return word;
  let result = '';
  for (let index = 0; index < word.length; ) {
    let next = index + 1;
    while (word[next] === word[index]) next += 1;
    const letters = word.slice(index, next);
    result += next - index >= 3 && letters >= 'a' && letters < '{' ? letters.charAt(0) : letters;
    index = next;
  }
  return result;
}

/** A token as the word that the tables know: lower case, no apostrophe, no marks around it; empty if it is none. */
function wordOf(token: string): string {
  if (isSymbol(token)) return token;
  if (token === '+1') return '👍';
  const word = bare(token).toLowerCase();
  if (word === '' || word === '#' || word === '/') return '';
  const plain = word.replaceAll('’', "'");
  // Without its apostrophe the one is another word, and phrases part the choices for a word by the sign in the other.
  if (plain === '10/10') return 'tenoften';
  return plain === "we'll" ? 'wewill' : withoutRuns(plain.replaceAll("'", '').replaceAll('`', '').replaceAll('´', ''));
}

/** The clauses of a message in order, none of them empty, and whether something was pasted beside them. */
export function clausesOf(message: string): { clauses: Clause[]; hasPaste: boolean } {
  const { text, hasPaste } = typedOf(message);
  const clauses: Clause[] = [];
  let words: string[] = [];
  let shown: string[] = [];
  /** Words that a conjunction parts are clauses of their own: "looks good but also …". */
  const part = (word: string, token: string): void => {
    const isSplit = word === 'but' || word === 'however' || (JOINS.has(words.at(-1) ?? '') && BEGINS.has(word));
    if (isSplit && words.length > (word === 'but' || word === 'however' ? 0 : 1)) close(',');
    words.push(word);
    shown.push(PLACEHOLDERS.has(word) ? '…' : token.length > 1 ? bare(token) : token);
  };
  const close = (end: Clause['end']): void => {
    const last = clauses.at(-1);
    if (words.length > 0) clauses.push({ words, shown: shown.join(' '), end });
    // "Really ?!": what ends a sentence counts, and a question most.
    else if (last && end !== ',' && last.end !== '?' && !(last.end !== ',' && end === '.'))
      clauses[clauses.length - 1] = { ...last, end };
    words = [];
    shown = [];
  };
  for (const token of tokensOf(withoutQuotations(text))) {
    const stop = STOPS[token];
    if (stop) {
      close(stop);
      continue;
    }
    const word = wordOf(token);
    if (word !== '') part(word, token);
    if (token.endsWith('.')) close('.');
    else if (token === '-' || token === '--') close(',');
  }
  close('.');
  return { clauses, hasPaste };
}
