/** The files of one conversation that lies in several: which of them a text is, and how far that one was read. */
import { basename } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import type { ReadFile, Source } from '../../core/session/session.ts';
import { plainName } from '../../platform/compressed-file.ts';
import { firstLines, type TranscriptText } from './text.ts';
import { stillStands } from './transcript.ts';

/** How far a file has been read that was not. */
export const UNREAD = {
  offset: 0,
  lines: 0,
  /** SHA-256 of nothing. */
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
} as const;

/**
 * A source as one of its files sees it: how far that one was read stands first, and the rest of them beside it. What an
 * older ctx has remembered is one file.
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

/** The same once its file was read further, and with what the reader needs to go on: the latest file stands first. */
export function readTo(source: Source, read: ReadFile, cursor: Source['cursor']): Source {
  const { continued_at, other_files = [] } = source;
  const own = continued_at === undefined ? read : { ...read, continued_at };
  const latest = other_files.reduce((last, file) => (isAfter(file, last) ? file : last), own);
  const others = [own, ...other_files].filter((file) => file !== latest);
  return { ...sourceWith(source, latest, others), cursor };
}

/**
 * A source for the session that goes on with it: whoever has not read all of its own part must read on first.
 * @param isUntold whether nobody can tell what stands in the transcript now: there may be more of it
 */
export function handedOn({ whole_after, behind, ...read }: Source, isUntold: boolean): Source {
  const isBehind = behind || isUntold || whole_after !== undefined || read.offset === 0;
  return isBehind ? { ...read, behind: true } : read;
}

/** Where a session reads on that has read nothing yet: where the one before it has come to. */
export const afterOther = ({ whole_after: _, ...before }: Source): Source => ({ ...before, behind: true });

/** Whether a file that was begun later was read before this one, by a source as this one sees it. */
export const isEarlier = (source: Source): boolean => (source.other_files ?? []).some((file) => isAfter(file, source));

/** How many lines were read of all files of a conversation. */
export const linesRead = ({ lines, other_files = [] }: Source): number =>
  other_files.reduce((sum, file) => sum + file.lines, lines);

const isAfter = (file: ReadFile, other: ReadFile): boolean => (file.continued_at ?? '') > (other.continued_at ?? '');

function isSame(file: ReadFile, at: string | null, text: TranscriptText): boolean {
  if (file.continued_at !== undefined) return file.continued_at === at;
  return isNamedAlike(file, text) || stillStands(text, file);
}

/** A file that its program has compressed since, or decompressed, is the same. */
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

/** The first line that is not blank; a sketch of it where it is long. */
export function firstLineOf(text: TranscriptText): string {
  for (const line of firstLines(text)) if (line.trim() !== '') return line.trimStart();
  return '';
}
