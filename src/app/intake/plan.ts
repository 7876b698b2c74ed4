/** Plans the ingest of many transcripts: the project of each, their order, and the keys of their sessions. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { findStore, type Repository } from '../../history/store/repository.ts';
import { pathsOf } from '../setup/project-paths.ts';
import type { FoundTranscript } from '../transcript/find-transcripts.ts';

/** A transcript, and what its first and last lines say. */
export interface Surveyed extends FoundTranscript {
  agent: string;
  agent_session_id: string;
  /** True if that id is unique, and not a name that another file may have, too. */
  hasId: boolean;
  /** The agent's own id of the session that this one came from. */
  parent: string | undefined;
  cwd: string | undefined;
  /** SHA-256 of that folder's path, if its agent records it. */
  cwd_hash: string | undefined;
  /** The name that its agent has made of that path, if it records no more. */
  cwd_name: string | undefined;
  /** Time of the last event, or when the file was last written; Unix seconds. */
  last_at: number;
  /** True if it continues another file, which is ingested with it. */
  goesOn: boolean;
  /** Size of its text. */
  bytes: number;
}

/**
 * The destination of a session, by the folder that its agent worked in: `here`, the store of another project, or
 * `nowhere`, if its project has no store, or is unknown and there is no store here.
 */
export type Place = { kind: 'here'; into: Repository } | { kind: 'store'; store: string } | { kind: 'nowhere' };

/** Returns the store here as destination, if there is one. */
export const placeHere = (here: Repository | null): Place =>
  here === null ? { kind: 'nowhere' } : { kind: 'here', into: here };

/** Knowledge of the folder that a session's agent worked in. */
export type Folder = Pick<Surveyed, 'cwd' | 'cwd_hash' | 'cwd_name'>;

/** Returns whether anything is known of that folder, even if it was not found. */
const isKnownFolder = ({ cwd, cwd_hash, cwd_name }: Folder): boolean => (cwd ?? cwd_hash ?? cwd_name) !== undefined;

/**
 * Returns the destination of a session. A folder that is not on this machine, or unknown, belongs to no other project;
 * one known by a hash or name only is not this project's, or it would have been found.
 */
export function placeOf(here: Repository | null, folder: Folder): Place {
  const { cwd } = folder;
  if (cwd === undefined) return isKnownFolder(folder) ? { kind: 'nowhere' } : placeHere(here);
  if (!isAbsolute(cwd)) return placeHere(here);
  const store = findStore(cwd);
  if (store !== null) return here && isSame(store, here.layout.root) ? placeHere(here) : { kind: 'store', store };
  return isFolder(cwd) && isOutside(here, cwd) ? { kind: 'nowhere' } : placeHere(here);
}

/** Returns whether a session is outside the project here: then its folder is reported. */
export const isOutside = (here: Repository | null, cwd: string | undefined): boolean =>
  cwd !== undefined && (here === null || !isWithin(cwd, pathsOf(here.project)));

/** Returns whether two paths lead to one store. */
function isSame(store: string, root: string): boolean {
  const paths = pathsOf(root);
  return pathsOf(store).some((path) => paths.includes(path));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // It may not be read, but is somebody's folder.
    return true;
  }
}

/** Returns the key of a session by the agent's own id. */
const keyOf = (agent: string, id: string): string => `${agent}\0${id}`;

/** Sorts sessions into the order of ingest: the newest last, but a parent before its children. */
export function inOrder(surveyed: readonly Surveyed[]): Surveyed[] {
  const oldestFirst = [...surveyed].sort((a, b) => a.last_at - b.last_at || (a.file < b.file ? -1 : 1));
  const parentsOf = parentFiles(oldestFirst);
  const ordered = new Set<Surveyed>();
  const visiting = new Set<Surveyed>();
  const visit = (one: Surveyed): void => {
    // Two may name each other as parent.
    if (ordered.has(one) || visiting.has(one)) return;
    visiting.add(one);
    // Only reading them shows which of the parent's files has a conversation: all come first.
    for (const parent of parentsOf(one)) visit(parent);
    ordered.add(one);
  };
  for (const one of oldestFirst) visit(one);
  return [...ordered];
}

/** Returns a function that finds all files of a session's parent, in the given order. */
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

/** Returns a function that finds the folder that decides a session's project: a sub-agent follows its parent. */
export function folderFinder(surveyed: readonly Surveyed[]): (one: Surveyed) => Folder {
  const parentsOf = parentFiles(surveyed);
  return (one) => {
    let at = one;
    for (const seen = new Set<Surveyed>(); !seen.has(at); ) {
      seen.add(at);
      const parents = parentsOf(at);
      // A truncated file may state none.
      at = parents.find(isKnownFolder) ?? parents[0] ?? at;
    }
    return isKnownFolder(at) ? at : one;
  };
}

/** Returns the keys of a transcript's session and of its parent. */
export const keysOf = ({ agent, agent_session_id, parent }: Surveyed): [own: string, parent: string | undefined] => [
  keyOf(agent, agent_session_id),
  parent === undefined ? undefined : keyOf(agent, parent),
];
