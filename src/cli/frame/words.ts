/** Renders parts of results: the words and lines that several commands share. */
import type { CompactResult } from '../../app/session/compact.ts';
import { type CommitType, commitTypeNamed } from '../../core/commit-types/table.ts';
import { localDay } from '../../core/listing/day.ts';
import { whereStopped } from '../../core/listing/where-stopped.ts';
import type { SessionState } from '../../core/state.ts';
import { oneLine, plural } from '../../core/text.ts';
import type { Theme } from './theme.ts';

/** First characters of an id, enough to name it by. */
export const shortOid = (oid: string): string => oid.slice(0, 10);

/** A session id as people name it: UUIDv7s of one minute share their first 8 characters. */
export const shortSession = (id: string): string => id.slice(0, 18);

const STATE_COLOURS: Record<SessionState['kind'], 'good' | 'warn' | 'accent' | 'bad'> = {
  Running: 'good',
  AwaitingUser: 'warn',
  PendingComplete: 'accent',
  Interrupted: 'warn',
  Complete: 'good',
  Aborted: 'bad',
};

/** A state: its name, and the sentence that says where the session stopped. */
export function stateLine(state: SessionState, theme: Theme): string {
  const sentence = whereStopped(state);
  return `${theme[STATE_COLOURS[state.kind]](state.kind)}${sentence ? `: ${sentence}` : ''}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** A time in the time zone of the machine, as Git prints it: `2026-01-22 10:00:00 +0100`. @param at Unix seconds */
export function localTime(at: number): string {
  const date = new Date(at * 1000);
  const zone = -date.getTimezoneOffset();
  const size = Math.abs(zone);
  const offset = `${zone < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}${twoDigits(size % 60)}`;
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  return `${localDay(at)} ${clock} ${offset}`;
}

/** Words a commit type. */
export const typeWords = (type: CommitType | { kind: string }): string =>
  'type' in type
    ? `Unknown (${oneLine(String(type.type), 80)})`
    : (commitTypeNamed(type.kind)?.words(type) ?? type.kind);

/** Returns the name of a type alone; of a type that this ctx does not know, that and its own name. */
export const kindWords = (type: { kind: string }): string => ('type' in type ? typeWords(type) : type.kind);

/** Returns the message of a commit with the title of its session in place of its task. */
function underTitle({ message, task_description: task, title }: CompactResult): string {
  if (message === task) return title;
  return message.endsWith(`: ${task}`) ? message.slice(0, -task.length) + title : message;
}

/** Describes a compaction, in a line or two. */
export function compactedLines(result: CompactResult, theme: Theme): string {
  if (result.oid === null) {
    return `Archived an empty session: ${oneLine(result.title)} (it held nothing but its task)\n`;
  }
  const head = `Saved as ${theme.accent(shortOid(result.oid))} ${theme.strong(typeWords(result.commit_type))}`;
  return `${head}: ${oneLine(underTitle(result))}\n  ${plural(result.step_count, 'step')} kept under refs/archive/${result.session_id}\n`;
}

/** Describes the secrets that were redacted, by rule, as in `3 secrets (2 github-token, 1 password)`. */
export function redactedWords(counts: Readonly<Record<string, number>>): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const rules = Object.entries(counts).map(([rule, count]) => `${count} ${rule}`);
  return `${plural(sum, 'secret')} (${rules.join(', ')})`;
}
