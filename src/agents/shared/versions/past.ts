/** The past of a transcript of versions that was written anew, up to the last message that is kept, and what stands in all of it. */
import type { Resume } from '../../contract/agent.ts';
import { keyOf } from '../keys.ts';
import { endOfPast } from '../past.ts';
import type { Dialect, Telling } from './dialect.ts';
import { Standing } from './standing.ts';
import type { StoredVersions } from './stored-versions.ts';

/** What stands behind the messages of a document stays there when more of them come: that is no past of theirs. */
const isTalk = ({ message, isStop }: Telling): boolean =>
  isStop === true || message?.role === 'assistant' || (message?.prompt ?? null) !== null;

export interface Past {
  /** Number of the last line with a message that is kept; 0 where there is none. */
  end: number;
  /** What stands in the file. */
  standing: Standing;
}

export function pastTalk({ read, tell, comesBack }: Dialect, resume: Resume | null, kept: StoredVersions | null): Past {
  const standing = new Standing(comesBack === true);
  const lines = resume?.lines;
  const watched =
    lines &&
    function* () {
      for (const line of lines()) {
        if (line.text === null) standing.miss();
        yield line;
      }
    };
  const end = endOfPast(resume && { ...resume, lines: watched }, kept?.lines ?? new Map(), (line) => {
    const { records, problem } = read(line);
    if (problem !== null) standing.miss();
    return records.flatMap((record) => {
      const key = keyOf(record);
      const telling = tell(record, key);
      standing.hear(telling);
      return isTalk(telling) ? [key] : [];
    });
  });
  return { end, standing };
}
