/** What is to become of many transcripts: where each belongs, which come first, and which is to be the current session. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { findStore, type Repository } from '../../history/store/repository.ts';
import { pathsOf } from '../setup/project-paths.ts';
import type { FoundTranscript } from '../transcript/find-transcripts.ts';

/** A transcript, and what it tells of itself at a glance. */
export interface Surveyed extends FoundTranscript {
  agent: string;
  agent_session_id: string;
  /** Whether that is one of its own, and no name that another file may have, too. */
  hasId: boolean;
  /** The agent's own id of the session that this one came from. */
  parent: string | undefined;
  cwd: string | undefined;
  /** SHA-256 of that folder's path, where its agent tells it. */
  cwd_hash: string | undefined;
  /** The name that its agent has made of that path, where it tells no more. */
  cwd_name: string | undefined;
  /** When the last thing in it happened, or when the file was last written; Unix seconds. */
  last_at: number;
  /** Whether it goes on from another file, which is taken in with it. */
  goesOn: boolean;
  /** Size of what is read of it. */
  bytes: number;
}

/**
 * Where a session goes by the folder that its agent worked in: `here`, into the store of another project, or `nowhere`, since
 * it is that of another project which has no store, or of nobody knows which where there is none here.
 */
export type Place = { kind: 'here'; into: Repository } | { kind: 'store'; store: string } | { kind: 'nowhere' };

/** Into the store here, if there is one. */
export const placeHere = (here: Repository | null): Place =>
  here === null ? { kind: 'nowhere' } : { kind: 'here', into: here };

/** What is known of the folder that a session's agent worked in. */
export type Folder = Pick<Surveyed, 'cwd' | 'cwd_hash' | 'cwd_name'>;

/** Whether something tells of that folder, be it found or not. */
const isTold = ({ cwd, cwd_hash, cwd_name }: Folder): boolean => (cwd ?? cwd_hash ?? cwd_name) !== undefined;

/**
 * Tells where a session belongs. A folder that is not on this machine, or that nothing tells of, is nobody else's; one of
 * which only a hash or a name is known is none of this project's, or it would have been found by that.
 */
export function placeOf(here: Repository | null, folder: Folder): Place {
  const { cwd } = folder;
  if (cwd === undefined) return isTold(folder) ? { kind: 'nowhere' } : placeHere(here);
  if (!isAbsolute(cwd)) return placeHere(here);
  const store = findStore(cwd);
  if (store !== null) return here && isSame(store, here.layout.root) ? placeHere(here) : { kind: 'store', store };
  return isFolder(cwd) && isStrange(here, cwd) ? { kind: 'nowhere' } : placeHere(here);
}

/** Whether a session stands outside of the project here: it is told with its folder then. */
export const isStrange = (here: Repository | null, cwd: string | undefined): boolean =>
  cwd !== undefined && (here === null || !isWithin(cwd, pathsOf(here.project)));

/** Whether two paths lead to one store. */
function isSame(store: string, root: string): boolean {
  const paths = pathsOf(root);
  return pathsOf(store).some((path) => paths.includes(path));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not ours to look into: somebody's folder all the same.
    return true;
  }
}

/** What tells a session by its agent's own id of it. */
export const keyOf = (agent: string, id: string): string => `${agent}\0${id}`;

/** The sessions in the order in which they are ingested: the newest last, but a parent before its children. */
export function inOrder(surveyed: readonly Surveyed[]): Surveyed[] {
  const oldestFirst = [...surveyed].sort((a, b) => a.last_at - b.last_at || (a.file < b.file ? -1 : 1));
  const parentsOf = parentFiles(oldestFirst);
  const ordered = new Set<Surveyed>();
  const visiting = new Set<Surveyed>();
  const visit = (one: Surveyed): void => {
    // Two may name each other their parents.
    if (ordered.has(one) || visiting.has(one)) return;
    visiting.add(one);
    // Only reading them tells which of the parent's files has a conversation in it: all come first.
    for (const parent of parentsOf(one)) visit(parent);
    ordered.add(one);
  };
  for (const one of oldestFirst) visit(one);
  return [...ordered];
}

/** Finds all files of the session that started another one, in the order given. */
function parentFiles(surveyed: readonly Surveyed[]): (one: Surveyed) => readonly Surveyed[] {
  const files = new Map<string, Surveyed[]>();
  for (const one of surveyed) {
    const key = keyOf(one.agent, one.agent_session_id);
    const before = files.get(key);
    if (before) before.push(one);
    else files.set(key, [one]);
  }
  return ({ agent, parent }) => (parent === undefined ? [] : (files.get(keyOf(agent, parent)) ?? []));
}

/** The folder that tells where each session belongs: a sub-agent goes with the session that started it. */
export function homes(surveyed: readonly Surveyed[]): (one: Surveyed) => Folder {
  const parentsOf = parentFiles(surveyed);
  return (one) => {
    let at = one;
    for (const seen = new Set<Surveyed>(); !seen.has(at); ) {
      seen.add(at);
      const parents = parentsOf(at);
      // A file that is cut off may tell none.
      at = parents.find(isTold) ?? parents[0] ?? at;
    }
    return isTold(at) ? at : one;
  };
}

/** What tells the session of a transcript, and that of its parent. */
export const keysOf = ({ agent, agent_session_id, parent }: Surveyed): [own: string, parent: string | undefined] => [
  keyOf(agent, agent_session_id),
  parent === undefined ? undefined : keyOf(agent, parent),
];
