/** The sessions that can be resumed, numbered, newest work first. */

import type { SessionRow } from '../../core/listing/row.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { DamagedPointer } from '../session/list.ts';
import { listAllSessions } from '../sessions.ts';
import { projectOf } from '../setup/hook-places.ts';
import { isWorktreeOf } from '../setup/linked-worktree.ts';
import { isFolder, isInProject, pathsOf } from '../setup/project-paths.ts';
import { useFolderNames } from './mirror-folders.ts';

/** A session that can be resumed. */
export interface ResumableRow extends SessionRow {
  /** Its place in the list, from 1. */
  number: number;
  /** Its name in a project's own folder of conversations: `001-brainstorm-api-design`. */
  name: string;
}

/**
 * Returns whether each session belongs to a project: it was worked on there, or in a folder that is gone, or nothing says where.
 * @param project the paths of the project
 */
export function ofProject(project: readonly string[]): (row: Pick<SessionRow, 'project'>) => boolean {
  const known = new Map<string, boolean>();
  return ({ project: at }) => {
    if (at === null) return true;
    const before = known.get(at);
    const isOwn = before ?? (!isFolder(at) || isInProject(at, project) || isWorktreeOf(at, project));
    known.set(at, isOwn);
    return isOwn;
  };
}

export interface Resumables {
  rows: ResumableRow[];
  /** By the id of a session that was resumed: the one in which it continues. */
  heirs: ReadonlyMap<string, ResumableRow>;
  damaged: DamagedPointer[];
}

/** Longest title in the name of a session, in characters. */
const SLUG_LIMIT = 40;

/** Returns a text as it is written in names of folders: `api-design`. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...slug].slice(0, SLUG_LIMIT).join('').replace(/-+$/, '') || 'session';
}

/** The type of a session to which none was given. */
export const DEFAULT_TYPE = 'session';

/** Returns the day of a time in UTC: `2026-01-22`. */
export const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** Returns by its id the name of each session: its number among those that began on its day, its type, its title. */
export function namesOf(rows: readonly SessionRow[]): Map<string, string> {
  const days = new Map<string, number>();
  const inOrder = [...rows].sort((a, b) => a.started_at - b.started_at || (a.session_id < b.session_id ? -1 : 1));
  return new Map(
    inOrder.map(({ session_id, started_at, type, title }) => {
      const day = dayOf(started_at);
      const number = (days.get(day) ?? 0) + 1;
      days.set(day, number);
      return [session_id, `${String(number).padStart(3, '0')}-${slugOf(type ?? DEFAULT_TYPE)}-${slugOf(title)}`];
    }),
  );
}

/** Returns the names of sessions, by their folders in the project if there are any. */
function folderNamesOf(repository: Repository, sessions: readonly SessionRow[]): Map<string, string> {
  const names = namesOf(sessions);
  const named = sessions.map(({ session_id: id, started_at }) => {
    return { id, day: dayOf(started_at), name: names.get(id) as string };
  });
  useFolderNames(repository, named, names);
  return names;
}

/** Lists what can be resumed. */
export function resumableSessions(repository: Repository): Resumables {
  const { sessions, damaged } = listAllSessions(repository);
  let names: Map<string, string> | undefined;
  // Names are made when one is asked for, which few readers do. All rows share this: with one of its own each, they take several times as long.
  const name = {
    enumerable: true,
    get(this: SessionRow): string {
      names ??= folderNamesOf(repository, sessions);
      return names.get(this.session_id) as string;
    },
  };
  const rows = resumableOf(sessions).map(
    (row, index): ResumableRow => Object.defineProperty({ ...row, number: index + 1 }, 'name', name) as ResumableRow,
  );
  return { rows, heirs: heirsOf(sessions, rows), damaged };
}

/** Fields of a session that a line of the list shows, and by which one is picked. */
export type ResumableLine = Pick<
  ResumableRow,
  | 'session_id'
  | 'project'
  | 'number'
  | 'short_id'
  | 'title'
  | 'task_description'
  | 'type'
  | 'agent'
  | 'open'
  | 'status'
  | 'last_activity'
  | 'summary'
>;

/** Lists what can be resumed with no more of each than is shown: of thousands, the rest would take most of the time. */
export const resumableLines = (repository: Repository): ResumableLine[] =>
  resumableOf(listAllSessions(repository).sessions).map((row, index) => ({
    session_id: row.session_id,
    project: row.project,
    number: index + 1,
    short_id: row.short_id,
    title: row.title,
    task_description: row.task_description,
    type: row.type,
    agent: row.agent,
    open: row.open,
    status: row.status,
    last_activity: row.last_activity,
    summary: row.summary,
  }));

/** Selects the sessions that can be resumed. */
function resumableOf(sessions: readonly SessionRow[]): SessionRow[] {
  const ids = new Set(sessions.map(({ session_id }) => session_id));
  const resumed = new Set(sessions.map(({ resumes }) => resumes));
  // A sub-agent is resumed with the session that started it; one that was resumed continues in another session.
  const isTop = ({ parent_session_id: parent }: SessionRow): boolean => parent === null || !ids.has(parent);
  return sessions.filter((row) => isTop(row) && (row.open || !resumed.has(row.session_id)));
}

/** Returns for each session that was resumed the one in which it continues now. */
function heirsOf(sessions: readonly SessionRow[], rows: readonly ResumableRow[]): Map<string, ResumableRow> {
  const resumedBy = new Map<string, string>();
  // The newest comes first, and counts.
  for (const { resumes, session_id } of sessions)
    if (resumes !== null && !resumedBy.has(resumes)) resumedBy.set(resumes, session_id);
  const heirs = new Map<string, ResumableRow>();
  for (const id of resumedBy.keys()) {
    const seen = new Set<string>();
    let at: string | undefined = id;
    for (let next = resumedBy.get(id); next !== undefined && !seen.has(next); next = resumedBy.get(next)) {
      seen.add(next);
      at = next;
    }
    const row = rows.find(({ session_id }) => session_id === at);
    if (row) heirs.set(id, row);
  }
  return heirs;
}

/** Returns the paths of the project around a folder. */
export const projectPaths = (directory: string): string[] => pathsOf(projectOf(directory));
