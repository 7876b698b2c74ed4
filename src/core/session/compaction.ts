/** The plan of a compaction: a pure fold over a session's records into what its canonical commit says. */
import type { Trailer } from '../commit.ts';
import { isCommitTypeKind, newTaskOf, type StoredCommitType } from '../commit-types/commit-type.ts';
import { DigestLines } from '../digest-lines.ts';
import { isStub } from '../externalise.ts';
import { isObject } from '../json.ts';
import { isKind, type StoredRecord } from '../records/record.ts';
import { durationInWords, fill, oneLine, truncate } from '../text.ts';
import { FORGOTTEN_SUMMARY } from './forgetting.ts';
import type { Session } from './session.ts';

/** What a session's records say, gathered step by step so that no more than one step is held at a time. */
export interface Digest {
  /** Lines of notes.jsonl: notes, plans, questions, answers, commands without their output. */
  notes: DigestLines;
  /** Lines of edges.jsonl: relations. */
  edges: DigestLines;
  /** The last thing each touched path saw. */
  paths: Map<string, 'read' | 'write' | 'delete'>;
  /** Paths written or deleted at least once. */
  changed: Set<string>;
  conversation: { role: 'question' | 'answer' | 'intervention'; text: string }[];
  decisions: string[];
  plans: string[];
  remarks: string[];
  commands: Map<string, { command: string; exit_code: number | null; runs: number }>;
  /** What was last said to be done. */
  summary: string;
}

export function newDigest(): Digest {
  return {
    notes: new DigestLines(),
    edges: new DigestLines(),
    paths: new Map(),
    changed: new Set(),
    conversation: [],
    decisions: [],
    plans: [],
    remarks: [],
    commands: new Map(),
    summary: '',
  };
}

/** The words of a field, its preview where the text lies in a payload. */
function words(value: unknown): string {
  if (typeof value === 'string') return value;
  return isStub(value) ? `${value.preview}…` : '';
}

const stripped = (text: string, prefix: string): string => (text.startsWith(prefix) ? text.slice(prefix.length) : text);

function digestNote(digest: Digest, role: string, text: string): void {
  if (role === 'question') digest.conversation.push({ role: 'question', text: stripped(text, 'Question for user: ') });
  else if (role === 'response') digest.conversation.push({ role: 'answer', text: stripped(text, 'User response: ') });
  else if (role === 'intervention') {
    digest.conversation.push({ role: 'intervention', text: stripped(text, 'User intervention: ') });
  } else if (role === 'continuation' && text.startsWith('User requested continuation: ')) {
    digest.conversation.push({ role: 'intervention', text: stripped(text, 'User requested continuation: ') });
  } else if (/^decision\b\s*:?/i.test(text)) digest.decisions.push(text.replace(/^decision\s*:?\s*/i, ''));
  else if (role !== 'confirmation') digest.remarks.push(text);
}

/** Adds one record to a digest. */
export function digestRecord(digest: Digest, record: StoredRecord): void {
  if (isKind(record, 'note')) {
    digest.notes.add(record);
    digestNote(digest, record.role, words(record.content));
  } else if (isKind(record, 'plan')) {
    digest.notes.add(record);
    digest.plans.push(words(record.content));
  } else if (isKind(record, 'command')) {
    const { output: _output, ...rest } = record;
    digest.notes.add(rest);
    addCommand(digest, words(record.command), record.exit_code ?? null);
  } else if (isKind(record, 'transition')) {
    if (isObject(record.to) && record.to.kind === 'PendingComplete') digest.summary = words(record.to.summary);
  } else if (isKind(record, 'relation')) {
    digest.edges.add(record);
    const decision = [record.from, record.to].map(words).find((node) => node.startsWith('decision:'));
    if (decision && !digest.decisions.includes(decision.slice(9))) digest.decisions.push(decision.slice(9));
  } else if (isKind(record, 'read') || isKind(record, 'write') || isKind(record, 'delete')) {
    const path = words(record.path);
    const kind = record.kind as 'read' | 'write' | 'delete';
    if (kind !== 'read') digest.changed.add(path);
    digest.paths.set(path, kind);
  }
}

function addCommand(digest: Digest, command: string, exitCode: number | null): void {
  const key = `${exitCode} ${command}`;
  const same = digest.commands.get(key);
  if (same) same.runs += 1;
  else digest.commands.set(key, { command, exit_code: exitCode, runs: 1 });
}

/**
 * Words the message of a canonical commit for which none is given.
 * @param template the beginning for a session that was saved for its idleness; `{duration}` and `{task}` are filled in
 */
export function compactionMessage(session: Session, type: StoredCommitType, template: string): string {
  const task = session.task_description;
  if (type.kind === 'InterruptedByNewTask') return `Saved before starting new task: ${task}`;
  if (type.kind !== 'StaleAutoCompact') return task;
  const duration = durationInWords(type.idle_duration_secs);
  return `${fill(template, { duration, task })}: ${task}`;
}

/** Trailers of a canonical commit. `work` is the head of the session's chain. */
export function canonicalTrailers(session: Session, type: StoredCommitType, work: string): Trailer[] {
  const trailers: Trailer[] = [
    ['Ctx-Type', type.kind],
    ['Ctx-Session', session.session_id],
    ['Ctx-Task', session.task_description],
    ['Ctx-State', session.session_state.kind],
    ['Ctx-Work', work],
    ['Ctx-Steps', String(session.step)],
  ];
  if (type.kind === 'StaleAutoCompact') trailers.push(['Ctx-Idle-Seconds', String(type.idle_duration_secs)]);
  if (type.kind === 'InterruptedByNewTask') trailers.push(['Ctx-New-Task', newTaskOf(type)]);
  return trailers;
}

/** How a session ended, in a sentence. */
export function endingInWords(session: Session, type: StoredCommitType): string {
  const state = session.session_state;
  if (type.kind === 'StaleAutoCompact') {
    return `Saved by itself after ${durationInWords(type.idle_duration_secs)} without activity (it was ${state.kind}).`;
  }
  if (type.kind === 'InterruptedByNewTask') return `Saved when a new task began: ${oneLine(newTaskOf(type))}`;
  if (type.kind === 'Abandoned') {
    return state.kind === 'Aborted' && state.reason ? `Abandoned: ${oneLine(state.reason)}` : 'Abandoned.';
  }
  if (!isCommitTypeKind(type.kind)) return `Ended as ${oneLine(type.kind, 80)}.`;
  return state.kind === 'Complete' ? 'Complete: the user confirmed it.' : `Compacted while it was ${state.kind}.`;
}

/** Most lines a section of the summary has; what is left out is counted, and stays in notes.jsonl and the chain. */
const SECTION_LIMIT = 100;

/**
 * Lets go of texts that no summary shows, and counts them still. For after each record: only what came last is looked at.
 * Decisions stay: a later one is held against all of them.
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
/** A text of several lines as one bullet; what is too long is cut. */
function block(text: string): string {
  const lines = truncate(text.trim(), 4000).split(/\r?\n/);
  return `- ${lines.map((line) => oneLine(line, 500)).join('\n  ')}`;
}

/** A text of several lines as a quotation. */
function quoted(text: string): string {
  const lines = truncate(text.trim(), 4000).split(/\r?\n/);
  return lines.map((line) => `> ${oneLine(line, 500)}`.trimEnd()).join('\n');
}

const ROLE_WORDS = { question: 'Asked', answer: 'Answered', intervention: 'User' } as const;

/** What summary.md begins with: all that it has from the session itself. */
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
  renderers: ReadonlyMap<number, SummaryRenderer>;
}

export const SUMMARIES: Summaries = { current: 1, renderers: new Map([[1, summaryMarkdown]]) };
