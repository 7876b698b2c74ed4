/** Reads JSON that has not come whole: what is there so far, as the AI SDK shows the input of a call while it is streamed. */
import type { JsonValue } from '../json.ts';

/** Kind of token that may come next at the place at which a text is cut. */
type Place = 'value' | 'key or end' | 'key' | 'colon' | 'comma' | 'item or end';

interface Open {
  /** Sign that closes it. */
  close: '}' | ']';
  next: Place;
}

/** Returns the value of a JSON text, as far as the text holds it; undefined if it holds nothing yet, or is no JSON. */
export function partialJson(text: string): JsonValue | undefined {
  return parsed(text) ?? parsed(completed(text));
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Cuts a text behind its last whole value, or within a string, a number or a word, and closes what is open. */
function completed(text: string): string {
  const open: Open[] = [];
  /** Up to here the text is whole, once what is open is closed. */
  let kept = '';
  let at = 0;
  const keep = (end: number, more = ''): void => {
    kept =
      text.slice(0, end) +
      more +
      open
        .map(({ close }) => close)
        .reverse()
        .join('');
  };
  const valueEnded = (): void => {
    const top = open.at(-1);
    if (top) top.next = 'comma';
  };
  for (; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (/\s/.test(sign)) continue;
    const top = open.at(-1);
    if (sign === '"') {
      const end = stringEnd(text, at);
      const isKey = top?.next === 'key' || top?.next === 'key or end';
      if (end < 0) {
        if (!isKey) keep(safeEnd(text, at), '"');
        return kept;
      }
      at = end;
      if (isKey) top.next = 'colon';
      else {
        valueEnded();
        keep(end + 1);
      }
    } else if (sign === '{' || sign === '[') {
      valueEnded();
      open.push(sign === '{' ? { close: '}', next: 'key or end' } : { close: ']', next: 'item or end' });
      keep(at + 1);
    } else if (sign === '}' || sign === ']') {
      open.pop();
      keep(at + 1);
    } else if (sign === ':') {
      if (top) top.next = 'value';
    } else if (sign === ',') {
      if (top) top.next = top.close === '}' ? 'key' : 'value';
    } else {
      const word = /^[-+.\w]+/.exec(text.slice(at, at + LONGEST_WORD))?.[0] ?? sign;
      const isLast = at + word.length >= text.length;
      const whole = isLast ? wholeWord(word) : word;
      valueEnded();
      if (whole !== '') keep(at, whole);
      at += word.length - 1;
    }
  }
  return kept;
}

/** Longest number or word that is looked at. */
const LONGEST_WORD = 400;

/** A word or a number that may be cut off, as a whole one; empty if nothing of it is known. */
function wholeWord(word: string): string {
  const known = ['true', 'false', 'null'].find((one) => one.startsWith(word));
  return known ?? /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(word)?.[0] ?? '';
}

/** Returns the index of the other quote of the string that begins at a quote; -1 if that has not come. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Returns the end of a string that is not closed, without an escape that is cut off. */
function safeEnd(text: string, from: number): number {
  let end = from + 1;
  for (let at = from + 1; at < text.length; end = at) {
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
    if (at > text.length) return end;
  }
  return end;
}
