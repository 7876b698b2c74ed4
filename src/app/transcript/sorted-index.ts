/** The sorted part of the index of conversations: a line of fixed length for each session and conversation, for binary search. */
import { closeSync, readSync } from 'node:fs';
import { isSessionId } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { writeDurably } from '../../platform/files.ts';
import { openPlain } from '../../platform/plain-files.ts';

/** The key of a session without a conversation, so that it counts as indexed. */
const NO_KEY = '0'.repeat(40);
/** Longest id of a session: shorter ones are padded with spaces. */
const ID = 64;
/** A key, a space, an id, and the line feed. */
const LINE = 40 + 1 + ID + 1;
/** The first line, padded: the number of lines that follow, and the stamp of packed-refs when the file was written. */
const STAMP = 127;

const fileOf = ({ layout }: Repository): string => below(layout.cache, 'conversations.index');

/** Returns the stamp of packed-refs when the file was written; undefined if there is no intact file. */
export const sortedStamp = (repository: Repository): string | undefined =>
  opened(repository, (handle, count) =>
    textAt(handle, 0, STAMP + 1)
      .trimEnd()
      .slice(`${count} `.length),
  );

/** Returns the ids of the sessions that have a conversation. */
export function findSorted(repository: Repository, key: string): string[] {
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

/** Reads all of it: the conversations of each session. */
export function readSorted(repository: Repository): Map<string, string> {
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

/** Replaces the file. @param known the conversations of each session */
export function writeSorted(repository: Repository, known: ReadonlyMap<string, string>, stamp: string): void {
  const path = fileOf(repository);
  const lines = [...known].flatMap(([id, keys]) =>
    (keys === '' ? [NO_KEY] : keys.split(' ')).map((key) => `${key} ${id.padEnd(ID)}\n`),
  );
  const content = `${`${lines.length} ${stamp}`.padEnd(STAMP)}\n${lines.sort().join('')}`;
  // Nobody reads all of it, so that bytes lost in a power cut would not be noticed: it is written durably.
  writeDurably(path, `${path}.${repository.ids()}.tmp`, content, repository.durability);
}

const partsOf = (line: string): [key: string, id: string] => [line.slice(0, 40), line.slice(41).trimEnd()];

function textAt(handle: number, at: number, bytes: number): string {
  const part = Buffer.alloc(bytes);
  return part.toString('latin1', 0, readSync(handle, part, 0, bytes, at));
}

/** Opens the file; undefined if there is none, or it is incomplete: its content can be recomputed. */
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
