/** The sessions that a piece of an id or of a title may mean, for a message that asks for more of it. */
import { shortIds } from '../../core/listing/short-id.ts';
import { titleOf } from '../../core/listing/title.ts';
import { readChain } from '../chain/chain.ts';
import { archiveRef, sessionRef } from '../names/layout.ts';
import { type Repository, sessionIds } from '../store/repository.ts';

/** Most sessions that a message lists. */
const LISTED = 9;

/** One session of several that were meant. */
export interface Candidate {
  session_id: string;
  short_id: string;
  title: string;
}

/** Returns by its id the short id of every session of a store, and of others with it. */
export const shortIdsOf = (repository: Repository, others: readonly string[] = []): ReadonlyMap<string, string> =>
  shortIds([...sessionIds(repository), ...others]);

/** Returns the sessions with these ids; one that cannot be read has no title. */
export function candidatesOf(repository: Repository, ids: readonly string[]): Candidate[] {
  const short = shortIdsOf(repository, ids);
  return ids.map((id) => ({
    session_id: id,
    short_id: short.get(id) as string,
    title: titleIn(repository, id),
  }));
}

function titleIn({ refs, objects }: Repository, id: string): string {
  try {
    const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
    return head === null ? '' : titleOf(readChain(objects, head).session);
  } catch {
    return '';
  }
}

/** Returns a hint that lists sessions, a line each. */
export function candidatesHint(candidates: readonly Candidate[]): string {
  const lines = candidates.slice(0, LISTED).map(({ short_id, title }) => `${short_id}  ${title}`.trimEnd());
  const more = candidates.length - lines.length;
  return ['Give one of these:', ...lines, ...(more > 0 ? [`and ${more} more, see: ctx list`] : [])].join('\n');
}
