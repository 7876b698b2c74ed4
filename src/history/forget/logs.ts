/** Rewrites reflogs and the operation log without the forgotten content, as if it had never been there. */

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
import { isReflog } from './file-owner.ts';
import { cleanAll, cleanLogTexts } from './git-texts.ts';
import type { History } from './history.ts';
import type { StagedFile } from './planned.ts';
import { quotesOf, withoutQuotes } from './subjects.ts';

const LINE = /^([0-9a-f]{40}) ([0-9a-f]{40}) /i;
/** Start of a valid line: torn text between two valid lines belongs to the first, and may contain anything. */
const BEGINNING = /(?<=^|\n)(?=[0-9a-f]{40} [0-9a-f]{40} )/i;

/** Rewrites the reflogs that change. @param now returns the new value of an object id */
export function cleanLogs(
  layout: Layout,
  history: History,
  now: (oid: string) => string,
): { staged: StagedFile[]; lines: number } {
  const logs = [...filesBelow(layout, 'logs')]
    .filter(isReflog)
    .map((name): [string, string[]] => [name, wholeReflog(layout.root, name).toString('latin1').split(BEGINNING)]);
  // A line may quote an object that only another line names: all ids are mapped before any line is rewritten.
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
    const rest = cleanLogTexts(line.slice(82), cleaner.finder);
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

/** Returns the new id; an unchanged one as it was written. */
const anew = (written: string, now: string): string => (written.toLowerCase() === now ? written : now);

export interface CleanedOperations {
  staged: StagedFile[];
  /** Number of operations that change. */
  operations: number;
  /** The content of `newest.json` before the forgetting itself is filed. */
  newest: Buffer | undefined;
}

/**
 * Rewrites the files of the operations that change, and files the newest operation under its id: the forgetting follows it.
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
  // The newest first, as they are read: an id is mapped at its first occurrence.
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
