/** Reflogs and the operation log as they are when everything that goes has gone: as if it had always been so. */

import { filesBelow } from '../../git/entries.ts';
import type { Layout } from '../../git/layout.ts';
import { wholeReflog } from '../../git/refs/reflog.ts';
import { encodeOperation, idShownIn } from '../operations/operation.ts';
import {
  linesOfSegment,
  newestFile,
  readOperations,
  segmentIds,
  segmentName,
  singleIds,
} from '../operations/operation-files.ts';
import type { Repository } from '../store/repository.ts';
import type { History } from './history.ts';
import type { StagedFile } from './planned.ts';
import { quotesOf, withoutQuotes } from './subjects.ts';
import { isReflog } from './whose.ts';
import { cleanAll, cleanLogWords } from './words.ts';

const LINE = /^([0-9a-f]{40}) ([0-9a-f]{40}) /i;
/** Where a line begins that is one: what stands behind it up to the next is its own, or torn, and may say anything. */
const BEGINNING = /(?<=^|\n)(?=[0-9a-f]{40} [0-9a-f]{40} )/i;

/** Every reflog that has to change. @param now what an object id has become */
export function cleanLogs(
  layout: Layout,
  history: History,
  now: (oid: string) => string,
): { staged: StagedFile[]; lines: number } {
  const logs = [...filesBelow(layout, 'logs')]
    .filter(isReflog)
    .map((name): [string, string[]] => [name, wholeReflog(layout.root, name).toString('latin1').split(BEGINNING)]);
  // A line may quote what only another one names: every id is looked at before any line is said anew.
  for (const [, lines] of logs)
    for (const line of lines) for (const oid of LINE.exec(line)?.slice(1) ?? []) now(oid.toLowerCase());
  const { objects, cleaner } = history.rewriting;
  const quotes = quotesOf(objects, history.changed);
  const unquoted = (text: string): string =>
    text
      .split('\n')
      .map((line) => withoutQuotes(line, quotes))
      .join('\n');
  const clean = (line: string): string => {
    const match = LINE.exec(line);
    if (!match) return unquoted(cleanAll(line, cleaner.finder));
    const rest = cleanLogWords(line.slice(82), cleaner.finder);
    const message = rest.search(/[\t\n]/) + 1;
    const said = message === 0 ? rest : rest.slice(0, message) + unquoted(rest.slice(message));
    const [before, after] = match.slice(1).map((oid) => anew(oid, now(oid.toLowerCase())));
    return `${before} ${after} ${said}`;
  };
  const staged: StagedFile[] = [];
  let changed = 0;
  for (const [name, lines] of logs) {
    const next = lines.map(clean);
    const different = next.filter((line, index) => line !== lines[index]).length;
    if (different > 0) staged.push({ to: name, content: Buffer.from(next.join(''), 'latin1') });
    changed += different;
  }
  return { staged, lines: changed };
}

/** An id as it is now; one that has not changed as it was written. */
const anew = (written: string, now: string): string => (written.toLowerCase() === now ? written : now);

export interface CleanedOperations {
  staged: StagedFile[];
  /** How many of them change. */
  operations: number;
  /** What stands in `newest.json` then, until the forgetting itself does. */
  newest: Buffer | undefined;
}

/**
 * The files of all operations that have to change, and the one that was filed last under the name of its id: the forgetting itself
 * is filed behind it.
 * @throws {CtxError} damaged
 */
export function cleanOperations(
  { layout }: Repository,
  history: History,
  now: (oid: string) => string,
): CleanedOperations {
  const { text } = history.rewriting.cleaner;
  const value = (one: string | null): string | null => (one !== null && /^[0-9a-f]{40}$/.test(one) ? now(one) : one);
  const cleaned = new Map<string, string>();
  // The newest first, as they are read: what an id has become is worked out where it is met first.
  for (const operation of readOperations({ layout })) {
    const moves = operation.moves.map((move) => ({ ...move, old: value(move.old), new: value(move.new) }));
    const next = encodeOperation({ ...operation, message: text(operation.message), moves });
    if (next !== encodeOperation(operation)) cleaned.set(operation.id, next);
  }
  const staged: StagedFile[] = [];
  const single = (id: string, content: string): number =>
    staged.push({ to: `oplog/${id}.json`, content: Buffer.from(content) });
  for (const last of segmentIds(layout)) {
    const lines = linesOfSegment(layout, last).map((line) => ({ line: `${line}\n`, id: idShownIn(line) ?? '' }));
    if (!lines.some(({ id }) => cleaned.has(id))) continue;
    const content = lines.map(({ line, id }) => cleaned.get(id) ?? line).join('');
    staged.push({ to: segmentName(last), content: Buffer.from(content) });
  }
  for (const id of singleIds(layout)) {
    const content = cleaned.get(id);
    if (content !== undefined) single(id, content);
  }
  const newest = newestFile(layout)?.read();
  if (newest) single(newest.id, cleaned.get(newest.id) ?? encodeOperation(newest));
  return { staged, operations: cleaned.size, newest: newest && staged.at(-1)?.content };
}
