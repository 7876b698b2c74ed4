/** Reads what is between a name and its value: a sign, a type, the next line, a bracket, in any depth of escaping. */
import { lazily, lazyPattern } from '../core/lazily.ts';
import { BLANKS, isBlank, pastBlanks, pastPlainSeparator } from './plain-separator.ts';
import { COLOUR, QUOTE } from './quotes.ts';

/** Blanks and colours between a name, its sign and its value. */
const GAP = `[ \\t]{0,${BLANKS}}(?:${COLOUR}[ \\t]{0,8}){0,3}`;
/** The end of a line, as it is or escaped, and the sign of a diff behind it. */
const NEW_LINE = '(?:\\r?\\n|(?:\\\\{1,31}r)?\\\\{1,31}n)[+-]?';
/** The number of a line in front of it, as editors, `cat -n`, `grep -n` and agents' tools show it. */
const NUMBER = '(?:[ \\t]{0,8}[0-9]{1,7}(?:→|\\t|\\\\{1,31}t|[:|-]))?';
/** Code in front of the text of a secret: a call that makes something of it, or just a bracket. */
const MADE =
  '(?:Field|Secret(?:Str(?:ing)?)?(?:::new)?|String(?:::from)?|Box::from|str|bytes|Some|Buffer\\.from|\\[\\]byte)?\\((?:default=)?';
/** Text between a name and its value, each kind with its possible first characters. */
const TYPED = lazyPattern(
  `\\??:[ \\t]{0,4}(?:&(?:'static )?)?[A-Za-z][A-Za-z0-9_.<>|[\\]]{0,40}[ \\t]{1,4}=[ \\t]{1,4}(?:${MADE}(?=${QUOTE}))?`,
  'y',
);
/** A type behind the name as Go has it, brackets as C has them, what C# does with a property, and what C++ initialises with. */
const TYPED_BEHIND = lazyPattern(
  `(?:[ \\t]{1,4}(?:string|\\*string|\\[\\]byte)[ \\t]{1,4}=[ \\t]{1,4}(?:\\[\\]byte\\()?|\\[[0-9]{0,5}\\][ \\t]{0,4}=[ \\t]{0,4}|[ \\t]{1,4}\\{ ?get; ?(?:(?:private |protected |internal )?(?:set|init); ?)?\\} ?= ?|\\{[ \\t]{0,2})(?=${QUOTE})`,
  'y',
);
/** A quote as HTML writes it, and what Markdown makes bold with. */
const MARK = '&(?:quot|#34|#39|apos);|\\*\\*';
/** An anchor and a tag, as YAML has them in front of a value. */
const YAML = '&[A-Za-z0-9_]{1,20}[ \\t]{1,4}|!!str[ \\t]{1,4}';
/** A sign; also if a service names the key that it refuses: "Incorrect API key provided: …". */
export const PLAIN = lazyPattern(
  `(?:(?<=[Kk]ey)[ \\t]provided)?\\??(?:${COLOUR}){0,3}(?:${QUOTE}|${MARK})?\\]?${GAP}(?:={1,3}>?|\\?=|!={1,2}|\\|\\|=|<-|:=|:{1,2}[-=]?|>|\\\\{1,31}u003[dD])(?:${MARK}|<!\\[CDATA\\[)?${GAP}(?:${MARK}|${YAML}|(?:${MADE}|(?<==)\\{)(?=${QUOTE}))?`,
  'y',
);
/** If a line would be too long, the value is on the next one: as a text, or in YAML as all of the line. */
const NEXT_LINE = lazyPattern(
  `(?:${QUOTE})?[ \\t]{0,4}(?:=|:=|:)[ \\t]{0,4}\\(?[ \\t]{0,4}${NEW_LINE}${NUMBER}[ \\t]{1,40}(?=${QUOTE})`,
  'y',
);
const NEXT_SCALAR = lazyPattern(
  `(?:${QUOTE})?[ \\t]{0,4}:[ \\t]{1,4}[>|][+-]?[ \\t]{0,4}${NEW_LINE}${NUMBER}[ \\t]{1,40}`,
  'y',
);
/** As property lists of macOS have it. */
const NEXT_ELEMENT = lazily(() => /<\/key>(?:[ \t\r\n+-]|\\{1,31}[nrt]){0,24}<string>/y);
/** One value or another: `prod ? process.env.KEY : "…"`, `getenv("PW") or "…"`. */
const EITHER = lazyPattern(
  `[ \\t]{0,4}=[ \\t]{0,4}(?:[^\\s"'\`;=]{1,60}[ \\t]{1,4}\\?[ \\t]{1,4}[^\\s"'\`;]{1,60}[ \\t]{1,4}:|[^\\s"'\`;=]{1,60}(?:${QUOTE}[\\w .:?-]{0,40}${QUOTE}\\)?)?[ \\t]{1,4}(?:or|\\|\\||\\?\\?))[ \\t]{1,4}(?=${QUOTE})`,
  'y',
);
/** Matches the text that parts the two, behind the first. */
const PARTS = lazily(() => / (?:\?|or|\|\||\?\?) /);
/** Matches the value that a program takes if nothing else is set. */
const INSTEAD = lazyPattern(`[ \\t]{1,4}(?:\\|\\||\\?\\?|or)[ \\t]{1,4}(?=${QUOTE})`, 'y');
/** The cell beside a name in a table of Markdown, or in one that is drawn with lines; these are also read byte by byte. */
const LINE = '(?:\\||│|â\\u0094\\u0082)';
const CELL = lazyPattern(`[\`*]{0,2}[ \\t]{1,40}${LINE}[ \\t]{1,40}`, 'y');
const CELL_BEFORE = lazyPattern(`${LINE}[ \\t]{1,8}[\`*]{0,2}$`);
/** A field of a form that is sent in parts. */
const PART = lazyPattern(`${QUOTE}(?:\\r?\\n|(?:\\\\{1,31}r)?\\\\{1,31}n){2}`, 'y');
const PART_BEFORE = lazily(() => /name=\\{0,31}"$/);
/** A variable of Terraform with what it is where nobody sets it. */
const DEFAULT = lazyPattern(`${QUOTE}[ \\t]{0,4}\\{[^{}]{0,300}?default[ \\t]{0,8}=[ \\t]{0,8}(?=${QUOTE})`, 'y');
const DEFAULT_BEFORE = lazily(() => /variable[ \t]{1,4}\\{0,31}"$/);
const LISTED = lazyPattern(`${QUOTE},[ \\t\\r\\n]{0,12}(?=${QUOTE})`, 'y');
/** Blanks and ends of lines, as they are or escaped, and the sign of a diff behind those. */
const APART = '(?:[ \\t\\r\\n+-]|\\\\{1,31}[nrt])';
/** As JSON has it, and as XML and Terraform have. */
const PAIRED = lazyPattern(
  `${QUOTE}(?:,${APART}{0,24}${QUOTE}(?:Parameter)?value${QUOTE}:[ \\t]{0,4}|,?${APART}{1,24}value[ \\t]{0,8}=[ \\t]{0,8})(?=${QUOTE})`,
  'iy',
);
/** An object that holds the value, and little before it. */
const NESTED = lazyPattern(
  `${QUOTE}[ \\t]{0,4}:[ \\t]{0,4}\\{[^{}]{0,120}?${QUOTE}value${QUOTE}[ \\t]{0,4}:[ \\t]{0,4}(?=${QUOTE})`,
  'y',
);
/** The same before each of several: in fewer depths of escaping, and no more ends of lines than a few, for they add up. */
const AGAIN = '(?:[ \\t+-]{0,4}\\\\{1,15}[nrt]){0,6}[ \\t\\r\\n+-]{0,24}';
/** Matches other text between a name and its value: a few short members, attributes or lines. */
const SCALAR = `(?:${QUOTE}[\\w .:/@-]{0,60}${QUOTE}|[a-z]{1,8}|[0-9]{1,12}|\\[[^[\\]{}]{0,60}\\])`;
const MEMBER = `,${AGAIN}(?:${QUOTE})?(?!(?:Parameter)?value)[A-Za-z_]{1,24}(?:${QUOTE})?:[ \\t]{0,4}${SCALAR}`;
const AMONG_MEMBERS = lazyPattern(
  `${QUOTE}(?:${MEMBER}){0,4},${AGAIN}(?:${QUOTE})?(?:Parameter)?value(?:${QUOTE})?:[ \\t]{0,4}(?=${QUOTE})`,
  'iy',
);
const MEMBER_BEFORE = lazyPattern(
  `(?:name|key|id|variable)(?:${QUOTE})?[ \\t]{0,4}:[ \\t]{0,4}${QUOTE}(?:/?[\\w.-]{1,24}/){0,4}$`,
  'i',
);
/** Those of a page say how something looks that is read, and is no setting. */
const ATTRIBUTES = `(?:(?=[ \\t\\r\\n\\\\+-])${AGAIN}(?!(?:value|class|style|for|href|role)=)[A-Za-z][\\w:.-]{0,40}=${QUOTE}[^"'<>\\\\\\r\\n]{0,160}${QUOTE}){1,4}`;
const AMONG_ATTRIBUTES = lazyPattern(
  `${QUOTE}${ATTRIBUTES}(?=[ \\t\\r\\n\\\\+-])${AGAIN}value[ \\t]{0,8}=[ \\t]{0,8}(?=${QUOTE})`,
  'iy',
);
const ELEMENT = lazyPattern(`${ATTRIBUTES}[ \\t]{0,4}>`, 'y');
const ELEMENT_BEFORE = lazily(() => /<(?:[A-Za-z][\w.-]{0,20}:)?$/);
const NAMED_ELEMENT = lazyPattern(`${QUOTE}${ATTRIBUTES}[ \\t]{0,4}>`, 'y');
const NAMED_BEFORE = lazyPattern(`<[A-Za-z][\\w:.-]{0,40}[ \\t]{1,8}(?:id|name|key)=${QUOTE}$`);
/** As parameters are given to CloudFormation. */
const PARAMETER = lazily(() => /,ParameterValue=/y);
/** As Erlang has it, if nothing else is in the same brackets. */
const TUPLE = lazyPattern(`,[ \\t]{0,4}(?=${QUOTE})`, 'y');
const TUPLE_BEFORE = lazily(() => /\{:?$/);
const BELOW = lazily(() => /\r?\n[ \t-]{0,24}value:[ \t]{0,4}/y);
/** Text in front of a line: a number, a file, a time, the sign of a diff or of a quotation. */
const BEFORE_LINE = 'A-Za-z0-9_.,/+>|→:()[\\]\\t -';
/** The same with that in front of each line. */
const BELOW_MARGIN = lazyPattern(
  `(?:${QUOTE})?(?:\\r?\\n|\\\\{1,31}(?:r\\\\{1,31})?n)(?:[${BEFORE_LINE}]{0,120}\\\\{1,31}t){0,3}[${BEFORE_LINE}]{0,160}?[ \\t>+|→:-]value:[ \\t]{0,4}`,
  'y',
);
const BELOW_OTHERS = lazyPattern(
  `(?:${QUOTE})?(?:\\r?\\n[ \\t]{1,24}(?!value)[A-Za-z_]{1,24}:[ \\t]{1,4}[\\w"'./-]{1,40}){1,4}\\r?\\n[ \\t]{1,24}value:[ \\t]{0,4}`,
  'y',
);
const NAME_BEFORE = lazily(() => /(?:name|key):[ \t]{1,4}(?:\\{0,31}["'])?$/);
const LONGEST_BEFORE = 128;
const FLAG = lazily(() => /[ \t]{1,4}/y);
/** A call that is given nothing else: `setPassword("…")`. */
const CALL = lazyPattern(`\\([ \\t]{0,2}(?=${QUOTE})`, 'y');
/** Nothing but a blank: `storePassword '…'`, `:password "…"`. */
const BARE_TEXT = lazyPattern(`[ \\t]{1,4}(?=${QUOTE})`, 'y');
/** In a table without lines. */
const TAB = lazily(() => /(?:\t|\\{1,31}t){1,4}| {2,40}/y);

/** Returns where a pattern ends that matches at an index; -1 if it does not. */
export function after(pattern: () => RegExp, text: string, index: number): number {
  const own = pattern();
  own.lastIndex = index;
  return own.test(text) ? own.lastIndex : -1;
}

/**
 * Way in which a value follows its name: `listed` is only the next text in a list or a call, `tuple` the same in braces, `cell` and `tab` the next of a table,
 * `call` what a function of that name is given, `beside` a text behind a blank, `line` all of the next line, `element` all
 * of the next element.
 */
export interface Link {
  readonly begin: number;
  readonly how: 'sign' | 'listed' | 'tuple' | 'flag' | 'cell' | 'tab' | 'call' | 'beside' | 'line' | 'element';
}

/** A way in which a value follows a name. */
interface Way {
  /** Characters with which it can begin: most names are followed by what only a few ways look at. */
  readonly first: string;
  /** If it begins with blanks, what is behind them. */
  readonly behind?: string;
  readonly pattern: () => RegExp;
  readonly how: Link['how'];
  /** Characters right before the name, if that says most others. */
  readonly leads?: string;
  /** Matches the end of the text before the name. */
  readonly before?: () => RegExp;
}

const QUOTES = '"\'`\\';
/** Characters after a name without a sign. */
const WITHOUT_SIGN = ' \t\\';
/** They are tried in this order. */
const WAYS: readonly Way[] = [
  { first: ':?', pattern: TYPED, how: 'sign' },
  { first: ' \t[{', behind: 's*[{', pattern: TYPED_BEHIND, how: 'sign' },
  { first: QUOTES, pattern: NESTED, how: 'sign' },
  { first: ` \t\u001b?${QUOTES}&*]=!|<:>`, pattern: PLAIN, how: 'sign' },
  { first: '(', pattern: CALL, how: 'call' },
  { first: '<', pattern: NEXT_ELEMENT, how: 'element' },
  { first: QUOTES, pattern: PAIRED, how: 'sign' },
  { first: QUOTES, pattern: AMONG_MEMBERS, how: 'sign', before: MEMBER_BEFORE },
  { first: QUOTES, pattern: AMONG_ATTRIBUTES, how: 'sign' },
  { first: QUOTES, pattern: NAMED_ELEMENT, how: 'element', before: NAMED_BEFORE },
  { first: ' \t\r\n', leads: '<:', pattern: ELEMENT, how: 'element', before: ELEMENT_BEFORE },
  { first: '\r\n', pattern: BELOW, how: 'sign' },
  { first: `\r\n${QUOTES}`, pattern: BELOW_OTHERS, how: 'sign', before: NAME_BEFORE },
  { first: ' \t', behind: '|?o', pattern: INSTEAD, how: 'sign' },
  { first: QUOTES, pattern: LISTED, how: 'listed' },
  { first: ',', pattern: PARAMETER, how: 'sign' },
  { first: ',', pattern: TUPLE, how: 'tuple', before: TUPLE_BEFORE },
  { first: `\r\n${QUOTES}`, pattern: BELOW_MARGIN, how: 'sign', before: NAME_BEFORE },
  { first: QUOTES, pattern: PART, how: 'sign', before: PART_BEFORE },
  { first: QUOTES, pattern: DEFAULT, how: 'sign', before: DEFAULT_BEFORE },
  { first: ' \t`*', behind: '|│\u00e2', pattern: CELL, how: 'cell', before: CELL_BEFORE },
];
/** The same by what follows the name: put together once, for a text has many names. */
const waysBy = new Map<string, readonly Way[]>();

function waysFor(next: string): readonly Way[] {
  let ways = waysBy.get(next);
  if (!ways) {
    ways = WAYS.filter(({ first }) => next !== '' && first.includes(next));
    waysBy.set(next, ways);
  }
  return ways;
}

/** A tag that is still open, as it is or escaped. */
const TAG = lazily(() => /(?:<|&lt;|\\u003[cC])(?:[/!?]?[A-Za-z][^<>]*)?$/);
const LONGEST_TAG = 400;

/**
 * Returns whether `>` behind a name compares it, sends it somewhere, or leads from or to a part of something, by what is around
 * it.
 */
const isCompared = (text: string, start: number, end: number): boolean =>
  /[$.>]/.test(text.charAt(start - 1)) ||
  text.slice(start, end).includes('.') ||
  text.charAt(end - 1) === '-' ||
  /^[ \t]*>=/.test(text.slice(end, end + 8));

/** Returns whether a name is in a tag. */
const isInTag = (text: string, at: number): boolean => TAG().test(text.slice(Math.max(0, at - LONGEST_TAG), at));

/** More than a way takes between a name and what follows it. */
const MOST_BLANKS = BLANKS + 1;

/** All that may be between a name and its value. If a text is cut, only so much is still there as `rule.ts` says. */
export const linkPatterns = (): readonly RegExp[] =>
  [...WAYS.map(({ pattern }) => pattern), NEXT_SCALAR, NEXT_LINE, EITHER, FLAG, BARE_TEXT, TAB].map((own) => own());

/** As far as what PLAIN has read may continue before the line ends. */
const NEAR = 12;
const MAY_END_LINE = lazily(() => /[\n(>|\\]/);
const LONGEST_EITHER = 140;

/**
 * Finds the beginning of the value that belongs to a name; null if none does.
 * @param isFlag whether a blank is enough
 */
export function valueAfter(text: string, nameStart: number, nameEnd: number, isFlag: boolean): Link | null {
  const next = text.charAt(nameEnd);
  const ways = waysFor(next);
  const behind = isBlank(next) ? text.charAt(pastBlanks(text, nameEnd, MOST_BLANKS)) : next;
  // Plain steps: most processes are over before this is compiled, and iterators would be made at every name.
  for (let index = 0; index < ways.length; index++) {
    const way = ways[index] as Way;
    const { pattern, how, before, leads } = way;
    if (leads !== undefined && !leads.includes(text.charAt(nameStart - 1))) continue;
    if (way.behind !== undefined && behind !== next && !way.behind.includes(behind)) continue;
    const begin = (pattern === PLAIN ? pastPlainSeparator(text, nameEnd) : null) ?? after(pattern, text, nameEnd);
    if (begin < 0) continue;
    if (before && !before().test(text.slice(Math.max(0, nameStart - LONGEST_BEFORE), nameStart))) continue;
    if (pattern !== PLAIN) return { begin, how };
    if (behind === '>' && isCompared(text, nameStart, nameEnd) && !isInTag(text, nameStart)) return null;
    return furtherOn(text, nameEnd, begin);
  }
  if (isFlag) {
    const flag = after(FLAG, text, nameEnd);
    if (flag >= 0) return { begin: flag, how: 'flag' };
  }
  if (!WITHOUT_SIGN.includes(next)) return null;
  const beside = after(BARE_TEXT, text, nameEnd);
  if (beside >= 0) return { begin: beside, how: 'beside' };
  const tab = after(TAB, text, nameEnd);
  return tab < 0 ? null : { begin: tab, how: 'tab' };
}

/** Behind a sign the value may be on the next line, or behind another one that is none. */
function furtherOn(text: string, nameEnd: number, begin: number): Link {
  if (MAY_END_LINE().test(text.slice(nameEnd, begin + NEAR))) {
    const scalar = after(NEXT_SCALAR, text, nameEnd);
    if (scalar >= 0) return { begin: scalar, how: 'line' };
    const below = after(NEXT_LINE, text, nameEnd);
    if (below >= 0) return { begin: below, how: 'sign' };
  }
  const either = PARTS().test(text.slice(begin, begin + LONGEST_EITHER)) ? after(EITHER, text, nameEnd) : -1;
  return { begin: either >= 0 ? either : begin, how: 'sign' };
}
