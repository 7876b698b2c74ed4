/** Plans a compaction: folds a session's records into what its canonical commit says. */
import type { Trailer } from '../commit.ts';
import { commitTypeNamed, type StoredCommitType } from '../commit-types/table.ts';
import type { Digest } from '../records/digest.ts';
import type { StoredRecord } from '../records/record.ts';
import { kindNamed } from '../records/table.ts';
import { oneLine, truncate } from '../text.ts';
import { FORGOTTEN_SUMMARY } from './forgetting.ts';
import type { Session } from './session.ts';

/** Adds one record to a digest. */
export function digestRecord(digest: Digest, record: StoredRecord): void {
  kindNamed(record.kind)?.digest(digest, record);
}

/**
 * Words the message of a canonical commit for which none is given.
 * @param template the beginning for a session that was saved for its idleness; `{duration}` and `{task}` are filled in
 */
export function compactionMessage(session: Session, type: StoredCommitType, template: string): string {
  const task = session.task_description;
  return commitTypeNamed(type.kind)?.message(type, task, template) ?? task;
}

/** Returns the trailers of a canonical commit. `work` is the head of the session's chain. */
export function canonicalTrailers(session: Session, type: StoredCommitType, work: string): Trailer[] {
  const trailers: Trailer[] = [
    ['Ctx-Type', type.kind],
    ['Ctx-Session', session.session_id],
    ['Ctx-Task', session.task_description],
    ['Ctx-State', session.session_state.kind],
    ['Ctx-Work', work],
    ['Ctx-Steps', String(session.step)],
  ];
  return [...trailers, ...(commitTypeNamed(type.kind)?.trailers(type) ?? [])];
}

/** Words how a session ended, in a sentence. */
export const endingInWords = ({ session_state }: Session, type: StoredCommitType): string =>
  commitTypeNamed(type.kind)?.ending(type, session_state) ?? `Ended as ${oneLine(type.kind, 80)}.`;

/** Most lines of a section of the summary; lines that are left out are counted, and stay in notes.jsonl and the chain. */
const SECTION_LIMIT = 100;

/**
 * Drops texts that no summary shows, and counts them still. Called after each record: only the last text of each list is looked at.
 * Decisions stay: a later decision is compared with all of them.
 */
export function lighten({ conversation, plans, remarks }: Digest): void {
  if (conversation.length > SECTION_LIMIT) conversation.splice(-1, 1, { role: 'question', text: '' });
  for (const texts of [plans, remarks]) if (texts.length > SECTION_LIMIT) texts.splice(-1, 1, '');
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, SECTION_LIMIT);
  const more = lines.length > shown.length ? [`- … and ${lines.length - shown.length} more`] : [];
  return `\n## ${title}\n\n${[...shown, ...more].join('\n')}\n`;
}

const bullet = (text: string): string => `- ${oneLine(text, 500)}`;
/** Renders a text of several lines as one bullet; a text that is too long is cut. */
function block(text: string): string {
  const lines = truncate(text.trim(), 4000).split(/\r?\n/);
  return `- ${lines.map((line) => oneLine(line, 500)).join('\n  ')}`;
}

/** Renders a text of several lines as a quotation. */
function quoted(text: string): string {
  const lines = truncate(text.trim(), 4000).split(/\r?\n/);
  return lines.map((line) => `> ${oneLine(line, 500)}`.trimEnd()).join('\n');
}

const ROLE_WORDS = { question: 'Asked', answer: 'Answered', intervention: 'User' } as const;

/** Renders the beginning of summary.md: all that it has from the session itself. */
export const summaryHead = (session: Session, type: StoredCommitType, message: string): string =>
  [
    `# ${oneLine(message, 500) || 'Session'}\n`,
    `\n**Task:** ${oneLine(session.task_description, 2000)}\n`,
    `\n**How it ended:** ${endingInWords(session, type)}\n`,
  ].join('');

/**
 * Renders summary.md, which a person reads. A check renders it again with the same version and compares: a change of any word of
 * it is a new version in `SUMMARIES`, and this one stays for the commits that have it.
 */
export function summaryMarkdown(session: Session, type: StoredCommitType, message: string, digest: Digest): string {
  if (session.forgotten_at !== undefined) return FORGOTTEN_SUMMARY;
  const changed = [...digest.changed].sort();
  const commands = [...digest.commands.values()];
  const failed = commands.filter((command) => command.exit_code !== null && command.exit_code !== 0);
  const passed = commands.filter((command) => command.exit_code === 0);
  const other = commands.filter((command) => command.exit_code === null);
  const times = (runs: number): string => (runs > 1 ? `, ${runs} times` : '');
  return [
    summaryHead(session, type, message),
    digest.summary.trim() === '' ? '' : `\n**Last answer:**\n\n${quoted(digest.summary)}\n`,
    section(
      'Questions and answers',
      digest.conversation.map((turn) => bullet(`${ROLE_WORDS[turn.role]}: ${turn.text}`)),
    ),
    section('Decisions', digest.decisions.map(bullet)),
    section('Plans', digest.plans.map(block)),
    section('Notes', digest.remarks.map(bullet)),
    section(
      'Files changed',
      changed.map((path) => bullet(digest.paths.get(path) === 'delete' ? `${path} (deleted)` : path)),
    ),
    section(
      'Commands that failed',
      failed.map((run) => bullet(`\`${run.command}\` (exit ${run.exit_code}${times(run.runs)})`)),
    ),
    section(
      'Commands that passed',
      passed.map((run) => bullet(`\`${run.command}\`${times(run.runs)}`)),
    ),
    section(
      'Commands without a known result',
      other.map((run) => bullet(`\`${run.command}\`${times(run.runs)}`)),
    ),
  ].join('');
}

/** Renders the summary of a session that has ended. */
export type SummaryRenderer = typeof summaryMarkdown;

/** The renderers of summary.md that a ctx knows, by version, and the version with which it writes. */
export interface Summaries {
  current: number;
  /** The version with which a digest is written; the current one if absent. */
  versionFor?: ((digest: Digest) => number) | undefined;
  renderers: ReadonlyMap<number, SummaryRenderer>;
}

/**
 * Returns a conversation in which each prompt of the user is once: one that was cut off is repeated when its agent takes it up,
 * with no other prompt between.
 */
function promptsOnce(conversation: Digest['conversation']): Digest['conversation'] {
  let last: string | null = null;
  return conversation.filter(({ role, text }) => {
    if (role === 'question') return true;
    const isRepeated = role === 'intervention' && text === last;
    last = text;
    return !isRepeated;
  });
}

/** Renders version 2 of summary.md: the same, with each prompt once. */
const withPromptsOnce: SummaryRenderer = (session, type, message, digest) =>
  summaryMarkdown(session, type, message, { ...digest, conversation: promptsOnce(digest.conversation) });

export const SUMMARIES: Summaries = {
  current: 2,
  // A conversation without a prompt that comes twice reads the same in both, and is written as an earlier ctx would have.
  versionFor: ({ conversation }) => (promptsOnce(conversation).length === conversation.length ? 1 : 2),
  renderers: new Map([
    [1, summaryMarkdown],
    [2, withPromptsOnce],
  ]),
};
