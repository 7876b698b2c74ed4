/** Finds the sessions that somebody who types may mean: fuzzily, with one wrong letter in each word. */
import uFuzzy from '@leeoniya/ufuzzy';
import type { ResumableLine } from '../../app/resume/resumable.ts';
import { oneLine } from '../../core/text.ts';

let made: uFuzzy | undefined;

/** Returns what finds texts with one wrong, missing, added or exchanged letter a word: it is made once the list is drawn. */
function finderOf(): uFuzzy {
  made ??= new uFuzzy({
    intraMode: 1,
    intraIns: 1,
    intraSub: 1,
    intraTrn: 1,
    intraDel: 1,
    unicode: true,
    interSplit: "[^\\p{L}\\d']+",
    intraSplit: '\\p{Ll}\\p{Lu}',
    intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
    intraChars: "[\\p{L}\\d']",
    intraContr: "'\\p{L}{1,2}\\b",
  });
  return made;
}

/** Longest text of a session that is searched, in UTF-16 code units. */
const SEARCHED = 400;

/** From so many letters on, what was said is searched, too. */
export const LEAST_SAID = 3;

/** Returns the ids of the sessions in which a text was said, as far as they are known. */
export type SearchSaid = (text: string) => readonly string[];

/** Returns what of a session is searched: its title first. Its task is often the same. */
const textOf = ({ title, summary, type, agent, task_description: task }: ResumableLine): string =>
  `${title} ${summary === null ? '' : oneLine(summary, SEARCHED)} ${type ?? ''} ${agent ?? ''} ${task === title ? '' : oneLine(task, SEARCHED)}`;

/** Makes the search over some sessions. The texts are made once. */
export function matcher(
  rows: readonly ResumableLine[],
  said: SearchSaid = () => [],
): (query: string) => ResumableLine[] {
  let texts: string[] | undefined;
  return (query) => {
    const wanted = query.trim();
    if (wanted === '') return [...rows];
    texts ??= rows.map(textOf);
    const [indexes, info, order] = finderOf().search(texts, wanted, 1, 1000);
    const ordered = info && order ? order.map((at) => info.idx[at] as number) : (indexes ?? []);
    const found = ordered.map((at) => rows[at] as ResumableLine);
    // A short id is typed exactly.
    const byId = rows.filter(({ short_id, number }) => short_id.startsWith(wanted) || String(number) === wanted);
    const ids = wanted.length >= LEAST_SAID ? said(wanted) : [];
    const bySaid = ids.flatMap((id) => rows.find(({ session_id }) => session_id === id) ?? []);
    return [...new Set([...byId, ...found, ...bySaid])];
  };
}
