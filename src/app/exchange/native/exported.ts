/** Transcripts of a session for other agents: the place of each, and the way it was written. */
import { statSync } from 'node:fs';
import { isObject, type JsonValue } from '../../../core/json.ts';
import type { Session, Source } from '../../../core/session/session.ts';
import { readIfThere } from '../../../platform/files.ts';
import { sha256 } from '../../../platform/hash.ts';

/** A transcript that was put where its agent finds it (format rule of `exports` in session.json). */
export interface Exported {
  agent: string;
  agent_session_id: string;
  file: string;
  bytes: number;
  sha256: string;
  /** When it was first written, in Unix seconds. */
  at: number;
  title: string;
  directory: string;
}

/** The keys of an entry that are texts. */
const TEXTS = ['agent', 'agent_session_id', 'file', 'sha256', 'title', 'directory'] as const;

const isExported = (value: unknown): value is Exported => {
  if (!isObject(value)) return false;
  const isText = TEXTS.every((key) => typeof value[key] === 'string');
  return isText && typeof value['bytes'] === 'number' && typeof value['at'] === 'number';
};

/** Returns the transcripts of a session for other agents, the oldest first. */
export function exportsOf(session: Session): Exported[] {
  const list = session['exports'] as JsonValue | undefined;
  return Array.isArray(list) ? (list as unknown[]).filter(isExported) : [];
}

/** Returns whether the agent of a source has said nothing since ctx wrote the transcript. */
export const isUnread = (source: Source, exports: readonly Exported[]): boolean =>
  exports.some(
    ({ agent, agent_session_id, bytes }) =>
      agent === source.agent && agent_session_id === source.agent_session_id && source.offset <= bytes,
  );

/** Returns the agents that have spoken in sessions that follow each other. */
export function speakersOf(sessions: readonly Session[]): string[] {
  const exports = sessions.flatMap(exportsOf);
  const sources = sessions.flatMap((session) => session.sources);
  const read = sources.filter((source) => !isUnread(source, exports)).map(({ agent }) => agent);
  const named = sessions.flatMap(({ agent }) => agent ?? []);
  return [...new Set(read.length > 0 ? read : named)];
}

/** The last transcript for an agent, and its text if it is as ctx left it, else why it cannot be added to. */
export type Earlier = { exported: Exported; text: string } | { exported: Exported; why: string };

/**
 * Returns the last transcript of sessions that follow each other for an agent; null if there is none.
 * @param isFile false if the agent keeps sessions in a database
 */
export function earlierOf(sessions: readonly Session[], agent: string, isFile: boolean): Earlier | null {
  const exported = sessions.flatMap(exportsOf).findLast((one) => one.agent === agent);
  if (!exported) return null;
  if (!isFile) return { exported, why: `only ${agent} itself can add to it` };
  const size = statSync(exported.file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { exported, why: 'its file is gone' };
  const content = size === exported.bytes ? readIfThere(exported.file) : null;
  if (!content || sha256(content) !== exported.sha256) return { exported, why: 'it has changed since' };
  return { exported, text: content.toString('utf8') };
}
