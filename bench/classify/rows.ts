/** Labelled messages: how a file of them is read, one JSON object a line. */
import { CLASSES, type Classification } from '../../src/core/message-class.ts';
import { STATE_KINDS, type StateKind } from '../../src/core/state.ts';

export interface LabelledRow {
  readonly label: Classification;
  /** Another class that a fair judge would also take. */
  readonly alt: Classification | null;
  readonly state: StateKind | null;
  /** The end of what the agent said before. */
  readonly lastMessage: string | null;
  readonly message: string;
  readonly agent: string;
}

/** A line that is no row; the message names the file and the line. */
export class BadRow extends Error {}

const isText = (value: unknown): value is string => typeof value === 'string';
const isClass = (value: unknown): value is Classification => (CLASSES as readonly unknown[]).includes(value);

/** Returns the fault of a row, or null. */
function problemOf(row: Record<string, unknown>): string | null {
  const { label, alt, state, assistant_last_message_excerpt: last, user_message: message } = row;
  if (!isClass(label)) return `"label" is ${JSON.stringify(label)}; it must be one of ${CLASSES.join(', ')}`;
  if (alt !== undefined && alt !== null && !isClass(alt)) return `"alt" is ${JSON.stringify(alt)}, which is no class`;
  if (state !== undefined && state !== null && !(STATE_KINDS as readonly unknown[]).includes(state))
    return `"state" is ${JSON.stringify(state)}; it must be null or one of ${STATE_KINDS.join(', ')}`;
  if (!isText(message)) return '"user_message" is not a text';
  if (last !== undefined && last !== null && !isText(last)) return '"assistant_last_message_excerpt" is not a text';
  return null;
}

/** Reads the rows of a file. @throws BadRow at the first line that is none, and where there is no row at all */
export function readRows(file: string, text: string): LabelledRow[] {
  const rows: LabelledRow[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const bad = (problem: string): BadRow => new BadRow(`${file}:${index + 1}: ${problem}`);
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      throw bad('this line is not JSON');
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row)) throw bad('this line is not a JSON object');
    const fields = row as Record<string, unknown>;
    const problem = problemOf(fields);
    if (problem) throw bad(problem);
    rows.push({
      label: fields['label'] as Classification,
      alt: (fields['alt'] as Classification | undefined) ?? null,
      state: (fields['state'] as StateKind | undefined) ?? null,
      lastMessage: (fields['assistant_last_message_excerpt'] as string | undefined) ?? null,
      message: fields['user_message'] as string,
      agent: isText(fields['agent']) ? fields['agent'] : '',
    });
  }
  if (rows.length === 0) throw new BadRow(`${file}: no rows in it`);
  return rows;
}
