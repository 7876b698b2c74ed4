/** The sign between a name and its value where it is plain: `=`, `:`, `":`, with blanks around it and nothing else. */
// Most names of a text are followed by one of these or by none, and to compile the pattern for all the others costs a hook
// more than to read it so.

/** Most blanks on either side: what writes settings aligns their signs. */
export const BLANKS = 64;
/** Characters that begin something that only the pattern reads: a colour, an escape, a mark-up, another sign. */
const ELABORATE = '\u001b\\?&*]<>!|';
/** The same behind a sign: what begins a call or a bracket around the value as well. */
const HOLDS = `${ELABORATE}({FSBsb`;

export const isBlank = (char: string): boolean => char === ' ' || char === '\t';

/** Returns where blanks end that begin at a place, or as many of them as count. */
export function pastBlanks(text: string, from: number, most: number): number {
  let at = from;
  while (at < from + most && isBlank(text.charAt(at))) at += 1;
  return at;
}

/** Returns where a sign ends that begins with `=` or `:`. */
function pastSeparator(text: string, at: number): number {
  if (text.charAt(at) === '=') {
    let end = at + 1;
    while (end < at + 3 && text.charAt(end) === '=') end += 1;
    return text.charAt(end) === '>' ? end + 1 : end;
  }
  const next = text.charAt(at + 1);
  if (next === '=') return at + 2;
  const end = next === ':' ? at + 2 : at + 1;
  return text.charAt(end) === '-' || text.charAt(end) === '=' ? end + 1 : end;
}

const isOneOf = (signs: string, char: string): boolean => char !== '' && signs.includes(char);

/**
 * Finds the possible beginning of a value behind the sign that follows a name.
 * @param at where the name ends
 * @returns -1 if no sign follows; null if it takes a closer look to say
 */
export function pastPlainSeparator(text: string, at: number): number | null {
  const first = text.charAt(at);
  const isQuoted = first === '"' || first === "'" || first === '`';
  const behindQuote = isQuoted ? at + 1 : at;
  const signAt = pastBlanks(text, behindQuote, BLANKS);
  const sign = text.charAt(signAt);
  if (isOneOf(ELABORATE, sign) || text.startsWith('provided', at + 1)) return null;
  if (sign !== '=' && sign !== ':') return -1;
  const end = pastSeparator(text, signAt);
  if (isOneOf(ELABORATE, text.charAt(end))) return null;
  const value = pastBlanks(text, end, BLANKS);
  if (text.startsWith('[]byte(', value)) return null;
  return isOneOf(HOLDS, text.charAt(value)) ? null : value;
}
