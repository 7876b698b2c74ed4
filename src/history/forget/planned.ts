/** A planned forgetting: the steps, the staged files, and the counts. */
import type { PointerMove } from '../../git/refs/pointer.ts';

/** A file to be written whole: its name from the store's root, and its content. */
export interface StagedFile {
  to: string;
  content: Buffer;
}

/** The steps to carry out. */
export interface Plan {
  version: 1;
  id: string;
  /** Unix seconds. */
  at: number;
  /** Refs that have a file of their own, with their present and new values. */
  refs: { ref: string; old: string; new: string }[];
  /** Values in packed-refs, old to new. */
  packed: [old: string, now: string][];
  /** Moves that close open sessions. */
  ends: PointerMove[];
  /** Names of the staged files, by number. */
  files: string[];
  /** Files to remove, by their names from the store's root. */
  remove: string[];
  /** Folders to remove if they are empty, inner ones first. */
  folders?: string[];
  /** Objects to remove. */
  objects: string[];
}

/** Counts of what is removed, and what else to report. */
export interface Counts {
  records: number;
  /** Records of which only a part was removed. */
  cleaned_records: number;
  steps: number;
  canonical_commits: number;
  other_commits: number;
  pointers: number;
  objects: number;
  packs: number;
  pending_files: number;
  reflog_lines: number;
  operations: number;
  /** Other files to remove, and empty folders, which end in a slash, by name. */
  files: string[];
  /** Places that keep it: files and refs of the user, locks, and `objects/<id>` in which it is a word of ctx's own. */
  left: string[];
  /** Texts that remain as a word of ctx's own: the number of forgotten texts, and of names of refs and files that contain one. */
  standing: { texts: number; refs: number; files: number };
}

export interface Planned {
  plan: Plan;
  staged: StagedFile[];
  counts: Counts;
}
