/** A message as words: what a person wrote, without the code, logs, quotations and links that came along with it. */
import { bare, isSymbol, tokensOf } from './characters.ts';
import { PATTERNS } from './patterns.ts';

/** Length of the part of a message that is looked at: its beginning and its end. The rest is a paste, or says the same at length. */
export const HEAD = 1500;
export const TAIL = 700;
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
const BEGINS: ReadonlySet<string> = new Set(
  'lets can could please also what why how fix change remove update delete rename correct'.split(' '),
);
const STOPS: ReadonlyMap<string, Clause['end']> = new Map(
  (['?？', '!！', '.。…\n', ',，、;；:：()—–'] as const).flatMap((marks) =>
    [...marks].map((mark) => [mark, marks.charAt(0) as Clause['end']] as const),
  ),
);

/** The part of a message that is read. */
export function readPart(message: string, head = HEAD, tail = TAIL): string {
  const text = message.trim();
  return text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
}

/** The pattern of lines that nobody types takes long to compile, and most lines begin with a word. */
const beginsInWord = (line: string): boolean => /^[A-Za-z]/.test(line) && !line.startsWith('at ');
const ADDED = 'ide_opened_file ide_selection ide_diagnostics system-reminder environment_context'
  .split(' ')
  .map((tag) => `<${tag}>`);
const CONTEXT = '# Context from my IDE setup:';
/** A message without what the window of an agent put in front of it. */
function withoutAdded(message: string): string {
  let text = message.trimStart();
  if (text.startsWith(CONTEXT)) {
    const request = text.indexOf('\n## My request for ');
    text = request < 0 ? text : text.slice(text.indexOf('\n', request + 1) + 1);
  }
  for (let tag = ADDED.find((one) => text.startsWith(one)); tag; tag = ADDED.find((one) => text.startsWith(one))) {
    const end = text.indexOf(tag.replace('<', '</'));
    if (end < 0) return text;
    text = text.slice(end + tag.length + 1).trimStart();
  }
  return text;
}

/** Returns the typed text of a message, without pasted lines. */
function typedOf(message: string): { text: string; hasPaste: boolean } {
  let isCode = false;
  let hasPaste = false;
  const own = readPart(withoutAdded(message), WORDS_HEAD, WORDS_TAIL);
  const unwrapped = own.includes('<') ? own.replace(PATTERNS.wrapper, '') : own;
  const said = unwrapped.includes('#') ? unwrapped.replace(PATTERNS.attachment, ' ') : unwrapped;
  if (said !== unwrapped) hasPaste = true;
  const lines = said.split('\n');
  const kept = lines.filter((whole, index) => {
    const line = whole.trimStart();
    const isFence = PATTERNS.fence.test(line);
    if (isFence) isCode = !isCode;
    // Text that comes first is typed, whatever sign it ends with.
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
  const called = text.includes('(') ? text.replace(PATTERNS.call, '$1') : text;
  const quoted = called.includes('`') ? called.replace(PATTERNS.codeSpan, ' codespan ') : called;
  const linked = /["“「]/.test(quoted) ? quoted.replace(PATTERNS.quotation, ' quotation ') : quoted;
  return linked.includes('://') ? linked.replace(PATTERNS.link, ' weblink ') : linked;
}

/** "sooooo" is "so": runs of three and more equal letters become one. */
const withoutRuns = (word: string): string =>
  Array.from(word)
    .filter(
      (one, at, all) => one < 'a' || one > 'z' || one !== all[at - 1] || (one !== all[at + 1] && one !== all[at - 2]),
    )
    .join('');

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
    const stop = STOPS.get(token);
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
