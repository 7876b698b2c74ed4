/** `ctx mirror`: writes sessions into the project as files, for people, and for its own Git. */
import { join, relative, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { SessionRow } from '../../core/listing/row.ts';
import { readChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { writeSetting } from '../../history/store/settings.ts';
import { exists, listFolder, makeFolder, readIfThere, removeFile, writeDurably } from '../../platform/files.ts';
import { redactionFor } from '../redaction/redact.ts';
import { historyOf } from '../resume/context.ts';
import { findResumable } from '../resume/find.ts';
import { CONVERSATIONS, folderIn, mirroredIn } from '../resume/mirror-folders.ts';
import { DEFAULT_TYPE, dayOf, namesOf, resumableSessions, slugOf } from '../resume/resumable.ts';
import { listAllSessions } from '../sessions.ts';
import { type Documents, documentsOf } from './documents.ts';
import { type Committed, commitFiles, wouldPublish } from './project-git.ts';

export interface MirrorOptions {
  /** The folder, below the project. */
  directory?: string | undefined;
  /** The session, as `ctx resume` takes it; all of them if absent. */
  session?: string | undefined;
  /** Ids of sessions, if they are known already. */
  ids?: readonly string[] | undefined;
  /** Commits what was written, with the project's own Git. */
  commit?: boolean | undefined;
}

/** One session that was written. */
export interface Mirrored {
  session_id: string;
  title: string;
  /** Its folder, below the project. */
  folder: string;
  /** The files that were written or changed, below that folder. */
  changed: string[];
  /** The commit; null if none was asked for, or nothing has changed. */
  commit: string | null;
  /** Why there is no commit; null if nothing went wrong. */
  problem: string | null;
}

export interface MirrorResult {
  directory: string;
  sessions: Mirrored[];
  /** True if the folder was made now, and Git would publish what is in it. */
  is_public: boolean;
}

/** Returns the rows that are wanted. @throws {CtxError} not_found, ambiguous */
function wanted(
  repository: Repository,
  all: readonly SessionRow[],
  { session, ids }: MirrorOptions,
): readonly SessionRow[] {
  if (ids !== undefined) return all.filter(({ session_id }) => ids.includes(session_id));
  if (session === undefined) return all;
  const found = findResumable(repository, resumableSessions(repository), session);
  if (found.kind === 'one') return all.filter(({ session_id }) => session_id === found.row.session_id);
  if (found.kind === 'none')
    throw new CtxError('not_found', `No session matches "${session}".`, { hint: 'See: ctx list' });
  const lines = found.rows.map(({ short_id, title }) => `${short_id}  ${title}`);
  throw new CtxError('ambiguous', `"${session}" matches ${found.rows.length} sessions.`, {
    hint: ['Give one of these:', ...lines].join('\n'),
    data: { candidates: found.rows.map(({ session_id }) => session_id) },
  });
}

/** Returns the name of a session's folder of its day: the one that it has, whatever its title is now, else a free one. */
function folderName(day: string, id: string, name: string): string {
  const names = exists(day) ? listFolder(day) : [];
  const own = names.find((each) => mirroredIn(join(day, each))?.['session_id'] === id);
  if (own !== undefined) return own;
  const [, number = '1', rest = name] = /^(\d+)-(.*)$/s.exec(name) ?? [];
  const taken = new Set(names.map((each) => /^(\d+)-/.exec(each)?.[1]));
  let free = Number(number);
  while (taken.has(String(free).padStart(3, '0'))) free += 1;
  return `${String(free).padStart(3, '0')}-${rest}`;
}

/** Writes the files that have changed. @returns their paths below the folder */
function writeDocuments({ ids, durability }: Repository, folder: string, documents: Documents): string[] {
  const changed = Object.entries(documents).filter(([path, text]) => {
    const before = readIfThere(join(folder, path));
    return before === undefined || before.toString('utf8') !== text;
  });
  if (changed.length === 0) return [];
  makeFolder(join(folder, '.session'), durability);
  for (const [path, text] of changed) {
    const file = join(folder, path);
    writeDurably(file, `${file}.${ids()}.tmp`, text, durability);
  }
  return changed.map(([path]) => path);
}

/** Removes the conversation that is named after the type that a session had before. @returns the names of what was removed */
function removeFormer(folder: string, fileName: string): string[] {
  const before = mirroredIn(folder)?.['type'];
  const former = typeof before === 'string' ? `${slugOf(before)}.md` : fileName;
  return former !== fileName && removeFile(join(folder, former)) ? [former] : [];
}

/**
 * Writes the files of a session into its folder.
 * @returns the name of the conversation's file, and the paths that have changed; null if the session is gone
 * @throws {CtxError} invalid_input, if a link has led the folder out of the project; io
 */
export function writeSession(
  repository: Repository,
  row: SessionRow,
  folder: string,
): { fileName: string; changed: string[] } | null {
  const { refs, objects, project } = repository;
  const id = row.session_id;
  const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
  if (head === null) return null;
  folderIn(project, folder);
  const { session } = readChain(objects, head);
  const fileName = `${slugOf(row.type ?? DEFAULT_TYPE)}.md`;
  const documents = documentsOf(row, session, historyOf(repository, id), fileName);
  // Removed first: afterwards nothing names the file any more.
  const removed = removeFormer(folder, fileName);
  return { fileName, changed: [...removed, ...writeDocuments(repository, folder, documents)] };
}

function mirrorOne(repository: Repository, row: SessionRow, name: string, root: string, commit: boolean): Mirrored {
  const { project } = repository;
  const id = row.session_id;
  const base = { session_id: id, title: row.title, commit: null, problem: null };
  const day = join(root, dayOf(row.started_at));
  const folder = join(day, folderName(day, id, name));
  const written = writeSession(repository, row, folder);
  if (written === null) return { ...base, folder: '', changed: [] };
  const { fileName, changed } = written;
  const below = relative(project, folder).split(sep).join('/');
  const mirrored = { ...base, folder: below, changed };
  if (!commit) return mirrored;
  const isWhole = changed.length === 0 || changed.includes(fileName);
  const message = isWhole ? `${row.title} (session state saved)` : 'session update';
  const made: Committed = commitFiles(project, [below], message);
  return made.done ? { ...mirrored, commit: made.oid } : { ...mirrored, problem: made.why };
}

/** Remembers a folder, so that what is forgotten later is taken out of it; the usual one and that of the settings are known. */
function rememberMirror(repository: Repository, root: string): void {
  const { project, settings } = repository;
  const folder = relative(project, root).split(sep).join('/');
  const known = [CONVERSATIONS, settings.conversations, ...settings.mirrors];
  // The settings are not redacted.
  if (known.includes(folder) || redactionFor(repository).text(folder) !== folder) return;
  writeSetting(repository, 'mirrors', [...settings.mirrors, folder]);
}

/**
 * Writes sessions below a folder of the project: all of them, or one. What has not changed is not written again.
 * @throws {CtxError} invalid_input, not_found, ambiguous, io
 */
export function mirrorSessions(repository: Repository, options: MirrorOptions = {}): MirrorResult {
  const { project, durability, settings } = repository;
  const given = options.directory ?? settings.conversations ?? CONVERSATIONS;
  const root = folderIn(project, given);
  const all = listAllSessions(repository).sessions;
  const names = namesOf(all);
  const rows = wanted(repository, all, options);
  const isNew = makeFolder(root, durability);
  rememberMirror(repository, root);
  const sessions = rows.map((row) => {
    return mirrorOne(repository, row, names.get(row.session_id) as string, root, options.commit === true);
  });
  return { directory: root, sessions, is_public: isNew && wouldPublish(project, root) };
}
