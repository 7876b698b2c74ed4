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

/** Returns the agents that have spoken in a session. */
export function speakersOf(session: Session): string[] {
  const exports = exportsOf(session);
  const read = session.sources.filter((source) => !isUnread(source, exports)).map(({ agent }) => agent);
  return [...new Set(read.length > 0 || session.agent === null ? read : [session.agent])];
}

/** Returns the last transcript for an agent that is still as ctx left it, with its text; null if there is none. */
export function untouchedOf(session: Session, agent: string): { exported: Exported; text: string } | null {
  const exported = exportsOf(session).findLast((one) => one.agent === agent);
  // A transcript in a database is no file.
  if (!exported || statSync(exported.file, { throwIfNoEntry: false })?.size !== exported.bytes) return null;
  const content = readIfThere(exported.file);
  return content && sha256(content) === exported.sha256 ? { exported, text: content.toString('utf8') } : null;
}
