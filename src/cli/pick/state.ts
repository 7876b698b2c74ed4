/** The picker as a pure machine: what is typed, which sessions match, which one is marked. */
import type { ResumableLine } from '../../app/resume/resumable.ts';

/** The sessions that are shown: those of the project that the user is in, or all of the store. */
export type Scope = 'project' | 'all';

export interface Picker {
  query: string;
  scope: Scope;
  rows: readonly ResumableLine[];
  /** The index of the marked row; 0 if there is none. */
  marked: number;
  /** Set once a choice is made, or left. */
  ended: { chosen: ResumableLine | null } | null;
}

/** A key as Node's readline names it. */
export interface Key {
  name?: string | undefined;
  /** Text that was typed, if it is a text. */
  text?: string | undefined;
  ctrl?: boolean | undefined;
  meta?: boolean | undefined;
}

/** Returns the sessions of a scope that match a query. */
export type Search = (query: string, scope: Scope) => readonly ResumableLine[];

/** Rows that a page key moves by. */
const PAGE = 10;

export const newPicker = (search: Search, scope: Scope): Picker => ({
  query: '',
  scope,
  rows: search('', scope),
  marked: 0,
  ended: null,
});

const within = (index: number, count: number): number => Math.max(0, Math.min(index, count - 1));

/** Distance by which each key moves the mark. */
const MOVES: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};
/** Keys that do the same as another key with Ctrl. */
const WITH_CONTROL: Readonly<Record<string, string>> = { p: 'up', n: 'down', h: 'backspace', m: 'return', j: 'return' };

/** Returns the letters of a text one by one: a letter may be several code units. */
const letters = (text: string): string[] => [...text];

/** Takes a key. */
export function press(picker: Picker, key: Key, search: Search): Picker {
  const name = key.ctrl ? (WITH_CONTROL[key.name ?? ''] ?? `ctrl-${key.name}`) : key.name;
  if (name === 'ctrl-c' || name === 'ctrl-d' || name === 'escape') return { ...picker, ended: { chosen: null } };
  if (name === 'return' || name === 'enter') {
    const chosen = picker.rows[picker.marked];
    return chosen ? { ...picker, ended: { chosen } } : picker;
  }
  const step = name === undefined ? undefined : MOVES[name];
  if (step !== undefined) return { ...picker, marked: within(picker.marked + step, picker.rows.length) };
  if (name === 'tab') return searched({ ...picker, scope: picker.scope === 'all' ? 'project' : 'all' }, search);
  if (name === 'ctrl-u') return searched({ ...picker, query: '' }, search);
  if (name === 'ctrl-w') return searched({ ...picker, query: picker.query.replace(/\S*\s*$/u, '') }, search);
  if (name === 'backspace') return searched({ ...picker, query: letters(picker.query).slice(0, -1).join('') }, search);
  const typed = key.ctrl || key.meta ? '' : (key.text ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '');
  return typed === '' ? picker : searched({ ...picker, query: picker.query + typed }, search);
}

const searched = (picker: Picker, search: Search): Picker => ({
  ...picker,
  rows: search(picker.query, picker.scope),
  marked: 0,
});
