/** One textual edit of a file, applied as Claude Code applies it. */

export interface TextEdit {
  before: string;
  after: string;
  /** Whether every occurrence is replaced, not only the first. */
  all: boolean;
}

/** The text after an edit, or null where what is to be replaced is not in it. */
export function applyEdit(text: string, edit: TextEdit): string | null {
  if (edit.before === '') return text === '' ? edit.after : null;
  // Removing words that end in the middle of nothing takes their line break with them.
  const takesBreak = edit.after === '' && !edit.before.endsWith('\n') && text.includes(`${edit.before}\n`);
  const before = takesBreak ? `${edit.before}\n` : edit.before;
  const at = text.indexOf(before);
  if (at < 0) return null;
  if (edit.all) return text.split(before).join(edit.after);
  return text.slice(0, at) + edit.after + text.slice(at + before.length);
}
