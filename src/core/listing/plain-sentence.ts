/** The one sentence of a message that a list shows, without Markdown. */
import { oneLine } from '../text.ts';

/** Code fences, with what they hold; one that never ends holds the rest. */
const FENCE = /^(?:```|~~~)[^\n]*\n[\s\S]*?(?:^(?:```|~~~)[ \t]*$|(?![\s\S]))/gm;
/** Marks at the beginning of a line: headings, quotes, items, rules, checkboxes. */
const LINE_MARKS = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?/gm;
const RULE = /^[ \t]*(?:[-*_=][ \t]*){3,}$|^\s*\|?[\s:|-]+\|[\s:|-]*$/gm;

/** Returns a text without the marks of Markdown: the words of links, emphasis and code stay, fenced code does not. */
export function withoutMarkdown(text: string): string {
  return text
    .replace(FENCE, '\n')
    .replace(RULE, '')
    .replace(LINE_MARKS, '')
    .replace(/!\[([^\]\n]*)\]\([^)\s]*[^)]*\)/g, '$1')
    .replace(/\[([^\]\n]+)\]\([^)\s]*[^)]*\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_\n]*?\S)_(?!\w)/g, '$1')
    .replace(/(`+)(?=[^`])([^\n]*?[^`])\1(?!`)/g, '$2');
}

/** The sentences of a text: each ends with its mark, before white space, or with its line. */
const SENTENCE = /[^\n]*?[.!?…](?:["')\]]*)(?=\s|$)|[^\n]*?[。！？]|[^\n]+/g;

function sentencesOf(text: string): string[] {
  const sentences = withoutMarkdown(text).match(SENTENCE) ?? [];
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Returns the sentence of a message that asks: the last that ends in a question mark, else the last sentence. */
export function questionIn(text: string): string {
  const sentences = sentencesOf(text);
  const asking = sentences.findLast((sentence) => /[?？]["')\]]*$/.test(sentence));
  return oneLine(asking ?? sentences.at(-1) ?? text);
}

/** Returns the last sentence of a message. */
export const lastSentence = (text: string): string => oneLine(sentencesOf(text).at(-1) ?? text);
