/** Makes what replaces the content of a file that is known to hold secrets. */

/** @param bytes how long it was */
export const withheldText = (bytes: number): string => `[withheld: ${bytes} bytes, the file is known to hold secrets]`;

const WITHHELD = /^\s*(?:\[withheld: \d+ bytes, the file is known to hold secrets\]\s*)?$/;

/** Returns whether a text says nothing, or was withheld before. */
const isWithheld = (told: string): boolean => WITHHELD.test(told);

/**
 * A text from which is withheld what is behind its first `start` signs; the same where that is nothing, or was withheld before.
 * @param encoding what its characters are: its own, or one for each byte
 */
export function withholdFrom(text: string, start = 0, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  const told = text.slice(start);
  return isWithheld(told) ? text : text.slice(0, start) + withheldText(Buffer.byteLength(told, encoding));
}
