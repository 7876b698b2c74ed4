/** Detects a store in a linked worktree of Git, which `git worktree remove` deletes with all that Git ignores there. */
import { basename, dirname, join, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { quoted } from '../../core/text.ts';
import { findStore } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { withoutLinks } from './project-paths.ts';

export interface LinkedWorktree {
  /** Its top folder. */
  path: string;
  /** The top of the main worktree; null if the repository has none, or keeps its Git folder elsewhere. */
  main: string | null;
}

/** Returns the linked worktree that contains a store; null if none does. */
export function linkedWorktree(store: string): LinkedWorktree | null {
  for (let at = dirname(store); ; at = dirname(at)) {
    const git = join(at, '.git');
    if (exists(git)) return linkedAt(at, git);
    if (dirname(at) === at) return null;
  }
}

/** Returns whether a folder without a store of its own is in a linked worktree of a project. @param projects the paths of the project */
export function isWorktreeOf(folder: string, projects: readonly string[]): boolean {
  const { main = null } = linkedWorktree(join(folder, '.ctx')) ?? {};
  return main !== null && projects.includes(withoutLinks(main)) && findStore(folder) === null;
}

function linkedAt(path: string, git: string): LinkedWorktree | null {
  if (exists(join(git, 'HEAD'))) return null;
  const named = /^gitdir: (.+)$/m.exec(textOf(git))?.[1]?.trim();
  if (named === undefined) return null;
  const folder = resolve(path, named);
  // The Git folder of a submodule has no commondir: it shares nothing with another.
  const common = textOf(join(folder, 'commondir')).trim();
  if (common === '') return null;
  const shared = resolve(folder, common);
  return { path, main: basename(shared) === '.git' ? dirname(shared) : null };
}

/** Reads a small file of Git's; empty if there is none: then Git does not treat the folder as a worktree either. */
function textOf(path: string): string {
  try {
    return readLinkedIfThere(path)?.toString('utf8') ?? '';
  } catch (error) {
    if (error instanceof CtxError) return '';
    throw error;
  }
}

/** The warning, in a sentence. */
export const WORKTREE_WARNING =
  'The store lies in a linked worktree of Git, and goes with it: git worktree remove deletes what Git ignores, and says nothing.';

/** Returns the two remedies, one of which is enough. */
export function worktreeAdvice({ main }: LinkedWorktree): [keep: string, takeAlong: string] {
  const tree = main === null ? '<folder>' : quoted(main);
  const store = main === null ? '<folder>/.ctx' : quoted(join(main, '.ctx'));
  return [
    `To keep one in ${main === null ? 'a folder that stays' : 'the main worktree'} instead: ctx init ${tree} && export CTX_DIR=${store}`,
    'To take it along before the worktree is removed: ctx flush; ctx git bundle create <file> --all',
  ];
}
