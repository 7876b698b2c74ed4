/** Tracks the files of a conversation that lies in several: which of them a text is, and how far that one was read. */
import { basename } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import type { ReadFile, Source } from '../../core/session/session.ts';
import { plainName } from '../../platform/compressed-file.ts';
import { firstLines, type TranscriptText } from './text.ts';
import { isUnchanged } from './transcript.ts';

/** The position in a file of which nothing was read. */
export const UNREAD = {
  offset: 0,
  lines: 0,
  /** SHA-256 of no bytes. */
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
} as const;

/** Returns the hash of no bytes before a position: of a text that nobody keeps, none can be read again. */
export const hashedNone = (offset: number): Pick<ReadFile, 'sha256' | 'hash_from'> => ({
  sha256: UNREAD.sha256,
  hash_from: offset,
});

/**
 * Returns a source from the view of one of its files: the position in that file at the top level, the other files
 * beside it. A source of an older ctx has one file.
 */
export function sourceOfText(source: Source, agent: Agent, text: TranscriptText): Source {
  if (!agent.continuedAt) return source;
  const at = agent.continuedAt(firstLineOf(text));
  const files = [fileOf(source), ...(source.other_files ?? [])];
  const own = files.find((file) => isSame(file, at, text));
  const others = files.filter((file) => file !== own);
  const file = own ?? { transcript: text.file, ...UNREAD };
  return sourceWith(source, at === null ? file : { ...file, continued_at: at }, others);
}

/** Returns a source whose file was read further, with the reader's cursor; the latest file is at the top level. */
export function advanceSource(source: Source, read: ReadFile, cursor: Source['cursor']): Source {
  const { continued_at, other_files = [] } = source;
  const own = continued_at === undefined ? read : { ...read, continued_at };
  const latest = other_files.reduce((last, file) => (isAfter(file, last) ? file : last), own);
  const others = [own, ...other_files].filter((file) => file !== latest);
  return { ...sourceWith(source, latest, others), cursor };
}

/**
 * Returns a source for the session that continues another: a predecessor that has not read all of its own part must do
 * so first.
 * @param isUntold whether the transcript cannot be inspected now: there may be more in it
 */
export function sourceForSuccessor({ whole_after, behind, ...read }: Source, isUntold: boolean): Source {
  const isBehind = behind || isUntold || whole_after !== undefined || read.offset === 0;
  return isBehind ? { ...read, behind: true } : read;
}

/** Returns the position of a session that has read nothing yet: the position of its predecessor. */
export const startAfter = ({ whole_after: _, ...before }: Source): Source => ({ ...before, behind: true });

/** Returns whether a later file was read before the one that is at the top level of this source. */
export const isEarlier = (source: Source): boolean => (source.other_files ?? []).some((file) => isAfter(file, source));

/** Counts the lines that were read of all files of a conversation. */
export const linesRead = ({ lines, other_files = [] }: Source): number =>
  other_files.reduce((sum, file) => sum + file.lines, lines);

const isAfter = (file: ReadFile, other: ReadFile): boolean => (file.continued_at ?? '') > (other.continued_at ?? '');

function isSame(file: ReadFile, at: string | null, text: TranscriptText): boolean {
  if (file.continued_at !== undefined) return file.continued_at === at;
  return isNamedAlike(file, text) || isUnchanged(text, file);
}

/** Compares names without the suffix of a compression, since an agent may compress its files later. */
const isNamedAlike = ({ transcript }: ReadFile, { file }: TranscriptText): boolean =>
  basename(plainName(transcript)) === basename(plainName(file));

function fileOf({ transcript, offset, lines, sha256, hash_from, continued_at }: Source): ReadFile {
  return {
    ...{ transcript, offset, lines, sha256 },
    ...(hash_from === undefined ? {} : { hash_from }),
    ...(continued_at === undefined ? {} : { continued_at }),
  };
}

function sourceWith(source: Source, file: ReadFile, others: readonly ReadFile[]): Source {
  const { agent, agent_session_id, cursor, first_line } = source;
  const begins = first_line === undefined ? {} : { first_line };
  const beside = others.length === 0 ? {} : { other_files: [...others] };
  return { agent, agent_session_id, ...file, ...begins, cursor, ...beside };
}

/** Returns the first line that is not blank; its sketch if it is long. */
export function firstLineOf(text: TranscriptText): string {
  for (const line of firstLines(text)) if (line.trim() !== '') return line.trimStart();
  return '';
}
