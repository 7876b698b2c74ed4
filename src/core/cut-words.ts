/** Finds what an agent had said when it was interrupted, beyond what its transcript holds. */

/** Without white space: Gemini CLI puts a blank between the pieces in which a text came. */
const tight = (text: string): string => text.replaceAll(/\s+/g, '');

/**
 * Returns the part of an agent's words that is nowhere else; empty if all of them are.
 * @param words its last ones, or all of its turn
 * @param told what the agent has said in this turn, as its transcript has it
 */
export function untoldPart(words: string, told: string): string {
  const [all, known] = [tight(words), tight(told)];
  if (known.includes(all)) return '';
  if (!all.startsWith(known)) return words;
  let at = 0;
  for (let left = known.length; left > 0; at += 1) left -= tight(words.charAt(at)).length;
  return words.slice(at).trim();
}
