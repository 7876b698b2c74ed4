/** A forgetting that is planned: what is carried out, what is put in place, and how much of everything. */
import type { PointerMove } from '../../git/refs/pointer.ts';

/** A file that is written whole: its name from the store's root, and what it holds. */
export interface StagedFile {
  to: string;
  content: Buffer;
}

/** What is carried out, step by step. */
export interface Plan {
  version: 1;
  id: string;
  /** Unix seconds. */
  at: number;
  /** Refs that have a file of their own: what each says now, and what it will say. */
  refs: { ref: string; old: string; new: string }[];
  /** Values in packed-refs, old to new. */
  packed: [old: string, now: string][];
  /** The end of a session that was open. */
  ends: PointerMove[];
  /** Staged files by number, and where each belongs. */
  files: string[];
  /** Files that go, by their names from the store's root. */
  remove: string[];
  /** Folders that go where nothing is in them any more, those inside first. */
  folders?: string[];
  /** Objects that go. */
  objects: string[];
}

/** How much of what goes, and what else there is to tell. */
export interface Counts {
  records: number;
  /** Records out of which only something was taken. */
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
  /** Other files that are removed, and empty folders, which end in a slash, by name. */
  files: string[];
  /** What holds it and is left alone: files and refs of the user's, locks, and `objects/<id>` that say it as a word of ctx's own. */
  left: string[];
  /** What still stands, as a word of ctx's own: how many of the texts that go, and how many names of refs, and files beside, say one. */
  standing: { texts: number; refs: number; files: number };
}

export interface Planned {
  plan: Plan;
  staged: StagedFile[];
  counts: Counts;
}
