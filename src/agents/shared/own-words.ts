/** The user's own words in a text in their name, by a table of what an agent's program writes there. */
import { lazyPattern } from '../../core/lazily.ts';
import { isHandover } from '../../core/resume/own-words.ts';

/** Frames of a program: `exec` returns the one that a text begins with. */
export type Frames = Pick<RegExp, 'exec'>;

/** The texts that one agent's program, its editor and other agents write in the role `user`. Every expression takes linear time. */
export interface ForeignWords {
  /**
   * The opening tag (`^<(name)…>`, with the name in a group) of an element that is not the user's, in front of their words or on
   * lines of its own after them. An element that is never closed is a quotation, and so is one in the middle of the words.
   */
  element: RegExp;
  /** Other text of the program in front of the words, from its beginning to its own end. */
  lead?: Frames;
  /** Text that the program adds right after one of these elements, up to its own end; anywhere else it is the user's. */
  note?: RegExp;
  /** A text that the program writes whole, by its known and complete form: a beginning that a user may type is a `lead`. */
  whole?: RegExp;
  /** The opening tag of an element in which the program puts the words: then all text around it is the program's. */
  wrapper?: RegExp;
  /** Other text of the program after the words, up to its own end. */
  tail?: RegExp;
  /** Returns the words as the user typed them, from a command that a program has expanded; null if the text is none. */
  typed?: (text: string) => string | null;
}

/** Any opening tag: no element in front of a wrapper is the user's. */
const ANY_ELEMENT = /^<([A-Za-z][\w-]{0,80})(?:\s[^>]*)?>/;

/** The content of the element that a text begins with, and the text after it. */
interface Element {
  inner: string;
  rest: string;
}

/** Returns the user's own words in a text; null if the program wrote all of it. */
export const ownWords = (text: string, foreign: ForeignWords): string | null => ownWordsIn([text], foreign);

/** Returns the user's own words in the texts of one message; null if the program wrote all of them. */
export function ownWordsIn(texts: readonly string[], foreign: ForeignWords): string | null {
  const words = texts.flatMap((text) => (isHandover(text) ? [] : (wordsOf(text, foreign) ?? []))).join('\n');
  return (foreign.tail ? words.replace(foreign.tail, '') : words).trim() || null;
}

function wordsOf(text: string, foreign: ForeignWords): string | null {
  const wrapped = wrappedWords(text, foreign);
  if (wrapped !== null) return wrapped || null;
  const words = withoutFront(text, foreign);
  return words === '' || foreign.whole?.test(words) ? null : withoutBack(words, foreign);
}

/** Returns a text without everything that the program wrote in front of the words. */
function withoutFront(text: string, { element, lead, typed, note }: ForeignWords): string {
  let rest = text.trim();
  for (let leads = 0; leads < MOST_LEADS; ) {
    const command = typed?.(rest) ?? null;
    if (command !== null) return command;
    const found = lead?.exec(rest)?.[0];
    if (found) leads += 1;
    const behind = found ? rest.slice(found.length) : behindElement(rest, element, note);
    if (behind === undefined) return rest;
    rest = behind.trimStart();
  }
  return rest;
}

/** A number of frames in front of words that no program writes; each may need a search of the whole text after it. */
const MOST_LEADS = 100;

/** Returns the text after the element that a text begins with, and after its note; undefined if there is none. */
function behindElement(text: string, element: RegExp, note: RegExp | undefined): string | undefined {
  const rest = elementAt(text, element)?.rest.trimStart();
  return note ? rest?.replace(note, '') : rest;
}

/** Returns words without the elements of the program that follow them on lines of their own. */
function withoutBack(words: string, { element }: ForeignWords): string {
  for (let rest = words; ; ) {
    const [, name] = /<\/([A-Za-z][\w -]{0,80})>$/.exec(rest.slice(-100)) ?? [];
    const start = name === undefined ? -1 : rest.lastIndexOf(`\n<${name}`);
    if (start < 0 || elementAt(rest.slice(start + 1), element)?.rest !== '') return rest;
    rest = rest.slice(0, start).trimEnd();
  }
}

/** Returns the words of a text that wraps them in elements; null if it is none. */
function wrappedWords(text: string, { wrapper, lead }: ForeignWords): string | null {
  const words: string[] = [];
  for (let rest: string | undefined = wrapper && text.trim(); wrapper && rest; ) {
    const wrapped = elementAt(rest, wrapper) ?? toLastEnd(rest, wrapper);
    if (wrapped) words.push(wrapped.inner.trim());
    const front: string | undefined = lead?.exec(rest)?.[0];
    const behind: string | undefined = front
      ? rest.slice(front.length)
      : (wrapped ?? elementAt(rest, ANY_ELEMENT))?.rest;
    rest = behind?.trimStart();
  }
  return words.length === 0 ? null : words.join('\n').trim();
}

/** Returns the element up to the last tag that closes it: the words in it may quote the tag that opens it. */
function toLastEnd(text: string, opening: RegExp): Element | undefined {
  const [tag, name] = opening.exec(text) ?? [];
  if (tag === undefined || name === undefined) return undefined;
  const end = text.lastIndexOf(`</${name}>`);
  return end < tag.length ? undefined : { inner: text.slice(tag.length, end), rest: text.slice(end + name.length + 3) };
}

/** Returns the element that a text begins with, which may contain others of its name; undefined if there is none, or it is never closed. */
export function elementAt(text: string, opening: RegExp): Element | undefined {
  // Most texts begin with words, and an expression has to be prepared.
  if (!text.startsWith('<')) return undefined;
  const [tag, name] = opening.exec(text) ?? [];
  if (tag === undefined || name === undefined) return undefined;
  if (tag.endsWith('/>')) return { inner: '', rest: text.slice(tag.length) };
  const tags = new RegExp(`<(/?)${name}(?=[\\s>])`, 'g');
  tags.lastIndex = tag.length;
  let end = -1;
  for (let depth = 1, found = tags.exec(text); found; found = tags.exec(text)) {
    const isClosing = found[1] !== '';
    // After the end, one more closing tag on a line of its own is the true one: the first was a quotation in the element.
    if (end >= 0 && !(isClosing && isAlone(text, found.index, tags.lastIndex))) break;
    if (end < 0) depth += isClosing ? -1 : 1;
    if (depth === 0) end = found.index;
  }
  if (end < 0) return undefined;
  const rest = text.indexOf('>', end);
  return rest < 0 ? undefined : { inner: text.slice(tag.length, end), rest: text.slice(rest + 1) };
}

/** Returns whether a tag is on a line of its own. @param end the index of the bracket that closes it */
const isAlone = (text: string, start: number, end: number): boolean =>
  text[start - 1] === '\n' && text[end] === '>' && /^\s*?(?:\n|$)/.test(text.slice(end + 1, end + 100));

/** Returns the expression of an opening tag with one of these names, which may have attributes. */
export const tagNamed = (names: string): RegExp => new RegExp(`^<(${names})(?:\\s[^>]*)?>`);

/**
 * Returns frames of which each is prepared only if a text begins like it: one expression of all of them takes V8 longer than most
 * of what a hook does.
 * @param table the beginnings of each frame, and its expression
 */
export function framesOf(table: readonly (readonly [beginnings: readonly string[], source: string])[]): Frames {
  const frames = table.map(([beginnings, source]) => ({ beginnings, pattern: lazyPattern(`^(?:${source})`) }));
  return {
    exec: (text) => {
      for (const { beginnings, pattern } of frames) {
        const found = beginnings.some((beginning) => text.startsWith(beginning)) ? pattern().exec(text) : null;
        if (found) return found;
      }
      return null;
    },
  };
}
