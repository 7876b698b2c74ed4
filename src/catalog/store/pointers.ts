/** The pointers of the store that the catalog is made of. */
import { CtxError } from '../../core/errors.ts';
import { MAIN } from '../../git/layout.ts';
import { ARCHIVE, SESSIONS } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Parts of the store that a question needs to be in the catalog. */
export interface Needs {
  /** Everything that was said and done, of every session. */
  sessions?: boolean | undefined;
  /** The commits of the main line. */
  commits?: boolean | undefined;
}

export interface Heads {
  /** The head of each session's chain. */
  sessions: Map<string, { head: string; isOpen: boolean }>;
  main: string | null;
}

export function readHeads(repository: Repository, needs: Needs): Heads {
  const sessions: Heads['sessions'] = new Map();
  // A session that ends meanwhile is in one of them, in this order.
  if (needs.sessions)
    for (const prefix of [SESSIONS, ARCHIVE])
      for (const [ref, head] of readable(() => repository.refs.heads(prefix)) ?? []) {
        const id = ref.slice(prefix.length);
        if (!sessions.has(id)) sessions.set(id, { head, isOpen: prefix === SESSIONS });
      }
  return { sessions, main: needs.commits ? mainHead(repository) : null };
}

/** Returns the head of the main line; null if there is none, or it is damaged, which its own readers report. */
export const mainHead = ({ refs }: Repository): string | null => readable(() => refs.read(MAIN));

/** Returns a text that changes with these pointers: those of thousands of ended sessions need not be read for it. */
export const stampOfHeads = (repository: Repository): string =>
  `${mainHead(repository)}\n${repository.refs.stampOf([SESSIONS, ARCHIVE])}`;

/** Returns what is read; null if it is damaged, which other commands report. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
}
