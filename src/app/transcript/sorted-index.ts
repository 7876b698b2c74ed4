/** The sorted part of the index of conversations: a line of one length for each session and conversation, searched by halves. */
import { closeSync, readSync } from 'node:fs';
import { isSessionId } from '../../git/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { writeDurably } from '../../platform/files.ts';
import { openPlain } from '../../platform/plain-files.ts';

/** The key of a session that has no conversation: it is known all the same. */
const NO_KEY = '0'.repeat(40);
/** Longest id of a session: shorter ones are filled up with blanks. */
const ID = 64;
/** A key, a blank, an id, and the end of the line. */
const LINE = 40 + 1 + ID + 1;
/** The first line: how many lines follow, and what packed-refs was when the file was written, filled up. */
const STAMP = 127;

const fileOf = ({ layout }: Repository): string => below(layout.cache, 'conversations.index');

/** What packed-refs was when the file was written; undefined where there is none that is whole. */
export const sortedStamp = (repository: Repository): string | undefined =>
  opened(repository, (handle, count) =>
    textAt(handle, 0, STAMP + 1)
      .trimEnd()
      .slice(`${count} `.length),
  );

/** Ids of the sessions that have a conversation. */
export function foundSorted(repository: Repository, key: string): string[] {
  const found = opened(repository, (handle, count) => {
    const lineAt = (index: number): string => textAt(handle, STAMP + 1 + index * LINE, LINE);
    let [low, high] = [0, count];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (lineAt(middle) < key) low = middle + 1;
      else high = middle;
    }
    const ids: string[] = [];
    for (let index = low; index < count; index += 1) {
      const [own, id] = partsOf(lineAt(index));
      if (own !== key) break;
      ids.push(id);
    }
    return ids;
  });
  return found ?? [];
}

/** All that stands in it: the conversations of each session. */
export function everySorted(repository: Repository): Map<string, string> {
  const known = new Map<string, string>();
  opened(repository, (handle, count) => {
    const text = textAt(handle, STAMP + 1, count * LINE);
    for (let at = 0; at < text.length; at += LINE) {
      const [key, id] = partsOf(text.slice(at, at + LINE));
      const before = known.get(id);
      const own = key === NO_KEY ? '' : key;
      if (isSessionId(id)) known.set(id, before ? `${before} ${own}` : own);
    }
  });
  return known;
}

/** Puts it in place. @param known the conversations of each session */
export function writeSorted(repository: Repository, known: ReadonlyMap<string, string>, stamp: string): void {
  const path = fileOf(repository);
  const lines = [...known].flatMap(([id, keys]) =>
    (keys === '' ? [NO_KEY] : keys.split(' ')).map((key) => `${key} ${id.padEnd(ID)}\n`),
  );
  const content = `${`${lines.length} ${stamp}`.padEnd(STAMP)}\n${lines.sort().join('')}`;
  // Nobody reads all of it: what a power cut has taken out of the midst of it would be believed.
  writeDurably(path, `${path}.${repository.ids()}.tmp`, content, repository.durability);
}

const partsOf = (line: string): [key: string, id: string] => [line.slice(0, 40), line.slice(41).trimEnd()];

function textAt(handle: number, at: number, bytes: number): string {
  const part = Buffer.alloc(bytes);
  return part.toString('latin1', 0, readSync(handle, part, 0, bytes, at));
}

/** Looks into the file; undefined where there is none, or it is not whole: what it says can be found again without it. */
function opened<T>(repository: Repository, look: (handle: number, count: number) => T): T | undefined {
  let handle: number | undefined;
  try {
    const file = openPlain(fileOf(repository));
    handle = file.handle;
    const count = (file.size - STAMP - 1) / LINE;
    const isWhole = count >= 0 && textAt(handle, 0, `${count} `.length) === `${count} `;
    return isWhole ? look(handle, count) : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
