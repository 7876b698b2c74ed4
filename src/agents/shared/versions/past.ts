/** The past of a transcript of versions that was written anew: up to the last message that is kept. */
import type { Resume } from '../../agent.ts';
import { keyOf } from '../keys.ts';
import { endOfPast } from '../past.ts';
import type { KeptVersions } from './kept.ts';
import type { Dialect, Telling } from './told.ts';

/** What stands behind the messages of a document stays there when more of them come: that is no past of theirs. */
const isTalk = ({ message, isStop }: Telling): boolean =>
  isStop === true || message?.role === 'assistant' || (message?.prompt ?? null) !== null;

/** Number of the last line with a message that is kept; 0 where there is none. */
export function endOfPastTalk({ read, tell }: Dialect, resume: Resume | null, kept: KeptVersions | null): number {
  return endOfPast(resume, kept?.lines ?? new Map(), (line) => {
    const keyed = read(line).records.map((record) => ({ record, key: keyOf(record) }));
    return keyed.flatMap(({ record, key }) => (isTalk(tell(record, key)) ? [key] : []));
  });
}
