/** Draws the picker: the query, the sessions around the marked one, and a preview of that. */
import type { ResumableLine } from '../../app/resume/resumable.ts';
import { harmlessText } from '../../core/harmless.ts';
import { ageInWords, lastActiveInWords } from '../../core/listing/age.ts';
import { oneLine } from '../../core/text.ts';
import { truncated } from '../frame/columns.ts';
import type { Picker } from './state.ts';

/** Styles of the parts of the picture. */
export interface Paint {
  strong: (text: string) => string;
  faint: (text: string) => string;
  accent: (text: string) => string;
}

export interface Size {
  columns: number;
  rows: number;
}

/** Lines of the preview, with the blank line in front of it. */
const PREVIEW = 5;
/** Lines around the list: the query, the count, the keys. */
const AROUND = 3;
/** Most sessions that are shown at once. */
const MOST = 12;

const KEYS = 'type to search  ↑↓ choose  Enter resume  Tab this project/all  Esc leave';

/** Draws the picker; no line is wider than the terminal. @param now Unix seconds */
export function screen(picker: Picker, { columns, rows }: Size, now: number, paint: Paint): string[] {
  const line = (text: string): string => truncated(harmlessText(oneLine(text, 2000)), columns - 1);
  const hasPreview = rows >= AROUND + PREVIEW + 3;
  const room = Math.max(1, Math.min(MOST, rows - 1 - AROUND - (hasPreview ? PREVIEW : 0)));
  const first = Math.max(0, Math.min(picker.marked - Math.floor(room / 2), picker.rows.length - room));
  const shown = picker.rows.slice(first, first + room);
  const scope = picker.scope === 'all' ? 'all projects' : 'this project';
  const count = `${picker.rows.length} ${picker.rows.length === 1 ? 'session' : 'sessions'}, ${scope}`;
  const marked = picker.rows[picker.marked];
  return [
    `${paint.accent('?')} ${line(`Resume: ${picker.query}`)}`.trimEnd(),
    paint.faint(line(count)),
    ...shown.map((row, index) => rowLine(row, first + index === picker.marked, now, line, paint)),
    ...(hasPreview && marked ? preview(marked, now).map((text) => paint.faint(line(text))) : []),
    paint.faint(line(KEYS)),
  ];
}

function rowLine(
  row: ResumableLine,
  isMarked: boolean,
  now: number,
  line: (text: string) => string,
  paint: Paint,
): string {
  const age = ageInWords(row.last_activity, now);
  const text = line(`${isMarked ? '❯' : ' '} [${row.type ?? 'session'}] ${row.title}  ${age}, ${row.status}`);
  return isMarked ? paint.strong(paint.accent(text)) : text;
}

function preview(row: ResumableLine, now: number): string[] {
  const agent = row.agent === null ? [] : [`agent ${row.agent}`];
  const facts = [
    `last active ${lastActiveInWords(row.last_activity, now)}`,
    row.status,
    ...agent,
    `id ${row.short_id}`,
  ];
  return [
    '',
    `  ${row.title}`,
    `  ${facts.join(' | ')}`,
    `  Task: ${oneLine(row.task_description, 500)}`,
    `  Stopped at: ${oneLine(row.summary ?? '-', 500)}`,
  ];
}
