/** Defines the pattern sources of quotes and colours in text. */

/** A quote that is written as an escape. */
export const ESCAPED_QUOTE = '\\\\{1,31}(?:u002[27]|x2[27])';
export const QUOTE = `(?:\\\\{0,31}["'\`]|${ESCAPED_QUOTE})`;
/** A colour of a terminal, as it is or escaped; `grep` puts an order to clear the line behind it. */
export const COLOUR = '(?:\\u001b|\\\\{1,31}(?:u001[bB]|x1[bB]|e|033))\\[[0-9;]{0,12}[mK]';
