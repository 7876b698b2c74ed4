/** Items of lists in an agent's words, by their marks: "- ", "2. ", "A) ", "**B.** ", "Option C: ". */

const MARK = /^\s*(?:[-*+•]|\d{1,2}[.)]|\(?[A-Za-z][.)])\s+/;
/** Two patterns, since a hook waits until one is compiled, and few lines may have such a mark. */
const CHOICE_MARK =
  /^\s*(?:\*\*(?:\d{1,2}|[A-Za-z])(?:[.):](?:\*\*)?|\*\*[.):])|(?:\*\*)?(?:option|choice|variant|alternative) (?:\d{1,2}|[A-Za-z])(?:[.):](?:\*\*)?|\*\*[.):]))\s+/i;
/** What every mark of the second kind begins with, if it is not a letter or a number between asterisks. */
const CHOICE_WORDS = ['option ', 'choice ', 'variant ', 'alternative '];

/** Whether a line may have a mark at all: most begin with a word. */
function mayHaveMark(line: string, lower: string): boolean {
  const first = lower.charAt(0);
  if (first < 'a' || first > 'z' || '.)'.includes(line.charAt(1))) return true;
  return CHOICE_WORDS.some((word) => lower.startsWith(word));
}

/** Whether a line may have one of the second kind: "**B.** ", "**Option 2** ". */
function mayBeChoice(lower: string): boolean {
  const start = lower.trimStart();
  const isStrong = start.startsWith('**');
  if (isStrong && ('.):*'.includes(start.charAt(3)) || '.):*'.includes(start.charAt(4)))) return true;
  return CHOICE_WORDS.some((word) => start.startsWith(word, isStrong ? 2 : 0));
}

/** The mark that a line begins with, and the blanks behind it; empty where it is no item of a list. */
export function itemMark(line: string): string {
  const lower = line.toLowerCase();
  if (!mayHaveMark(line, lower)) return '';
  const mark = MARK.exec(line)?.[0];
  if (mark !== undefined) return mark;
  return mayBeChoice(lower) ? (CHOICE_MARK.exec(line)?.[0] ?? '') : '';
}

/** Whether a line is one of a list or a table: an item of it, or what goes on below one. */
export function isListLine(line: string): boolean {
  const first = line.charAt(0);
  const mayBe = first === '|' || first === '' || /\s/.test(first);
  return itemMark(line) !== '' || (mayBe && /^\s{2,}\S|^\|.*\|\s*$/.test(line));
}
