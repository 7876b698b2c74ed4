/** Reads the prefix of each line of a listing or a log: a file and a number, a time, the name of a service. */

const LONGEST = 200;

const isLineEnd = (text: string, index: number): boolean => {
  const letter = text.charAt(index);
  return letter === '\n' || letter === '\r' || (/[nr]/.test(letter) && text.charAt(index - 1) === '\\');
};

/** Returns whether a line begins at an index, behind a real or an escaped end of one. */
export const beginsLine = (text: string, index: number): boolean => index === 0 || isLineEnd(text, index - 1);

/** Returns the text from the beginning of a line, or of a quote around lines, to an index; an empty text if that is far away. */
export function prefixBefore(text: string, index: number): string {
  const first = Math.max(0, index - LONGEST);
  for (let at = index; at >= first; at--) {
    if (!beginsLine(text, at) && !/["'`]/.test(text.charAt(at - 1))) continue;
    const linePrefix = text.slice(at, index);
    return linePrefix.trim() === '' ? '' : linePrefix;
  }
  return '';
}

const DIGITS = /[0-9]{1,40}/y;
const BLANKS = /[ \t]{0,40}/y;

function behind(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * If the line continues behind such a margin, in which numbers may differ and blanks make up for it; -1 if there is none.
 * The lines around those that `grep` was asked for have a minus sign for each colon.
 */
export function pastPrefix(text: string, index: number, linePrefix: string): number {
  let at = index;
  for (let inPrefix = 0; inPrefix < linePrefix.length; ) {
    const pattern = [DIGITS, BLANKS].find((one) => behind(one, linePrefix, inPrefix) > inPrefix);
    if (pattern) {
      inPrefix = behind(pattern, linePrefix, inPrefix);
      at = behind(pattern, text, at);
      if (at < 0) return -1;
      continue;
    }
    const [wanted, is] = [linePrefix.charAt(inPrefix++), text.charAt(at++)];
    if (wanted !== is && !(wanted === ':' && is === '-') && !(wanted === '-' && is === ':')) return -1;
  }
  return at;
}
