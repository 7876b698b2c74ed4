/** Follows private keys that the records of a session have left open: the next text may be the rest of one. */
import { isDamage } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { ANYBODYS, type Place } from '../../core/structure.ts';
import { type Chain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { pendingNames, readPending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { MOST_VALUES, OpenKey } from '../../secrets/index.ts';

/** The private keys that the texts of a process have left open, by the store that the texts are written to. */
const openKeys = new WeakMap<object, OpenKey>();

export function openKeyOf({ layout }: Pick<Repository, 'layout'>): OpenKey {
  const known = openKeys.get(layout) ?? new OpenKey();
  openKeys.set(layout, known);
  return known;
}

/** Number of bytes at the beginning of a streamed text that are checked for data of an open key, and number of those at its end. */
const HELD_FOR_KEY = 65_536;

/** Removes the data of an open key from the beginning of a streamed text, and passes its end to the open key. */
export function* piecesWithoutOpenKey(
  pieces: Iterable<Buffer>,
  without: (text: string, place: Place) => string,
): Generator<Buffer> {
  let held: Buffer[] | null = [];
  let bytes = 0;
  let end = Buffer.alloc(0);
  const begun = (parts: readonly Buffer[]): Buffer =>
    Buffer.from(without(Buffer.concat(parts).toString('latin1'), ANYBODYS), 'latin1');
  for (const piece of pieces) {
    if (held === null) {
      end = Buffer.concat([end, piece]).subarray(-HELD_FOR_KEY);
      yield piece;
      continue;
    }
    held.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes < HELD_FOR_KEY) continue;
    yield begun(held);
    held = null;
  }
  if (held !== null) yield begun(held);
  else if (end.length > 0) without(end.toString('latin1'), ANYBODYS);
}

/**
 * Resumes the open keys of a session; its last records are read only if a text comes that may be data of a key.
 * @param chain the chain of the session, for a transcript whose records are not pending; absent for the chain of its
 * ref and its pending records, null for a session that begins
 */
export function resumeOpenKeys(repository: Repository, session: string, chain?: Chain | null): void {
  const before = (): JsonValue[] =>
    chain ? recordsOfSteps(repository, chain.head) : latestRecords(repository, session);
  openKeyOf(repository).resume(session, chain === null ? null : before);
}

/**
 * Returns the records, oldest first, that may have begun a key: the last pending ones, then those of the last steps, up
 * to a limit.
 */
function latestRecords(repository: Repository, session: string): JsonValue[] {
  const latest = new Latest();
  const names = pendingNames(repository, session).slice(-MOST_VALUES);
  for (let at = names.length - 1; at >= 0 && !latest.isFull; at -= 1) {
    const waiting = ifSound(() => readPending(repository, session, [names[at] as string])) ?? [];
    for (const { record } of waiting) latest.add(record);
  }
  const head = latest.isFull ? null : repository.refs.read(sessionRef(session));
  return recordsOfSteps(repository, head, latest);
}

/** Returns the records of the last steps up to a head, followed by the records that were collected before. */
function recordsOfSteps({ objects }: Repository, head: string | null, latest = new Latest()): JsonValue[] {
  ifSound(() => {
    let steps = 0;
    for (const [oid, { tree }] of head === null ? [] : walkChain(objects, head)) {
      for (const record of readRecords(objects, tree, `step ${oid}`, false).reverse()) {
        if (!latest.isFull) latest.add(record);
      }
      steps += 1;
      if (latest.isFull || steps >= MOST_VALUES) break;
    }
  });
  return latest.inOrder();
}

/** Reads what may be damaged; null if it is: damage stops no record, and `ctx fsck` finds it. */
function ifSound<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

/** The latest records, as many as an open key waits for data; their size is limited as well. */
class Latest {
  readonly #newestFirst: JsonValue[] = [];
  #units = 0;

  get isFull(): boolean {
    return this.#newestFirst.length >= MOST_VALUES || this.#units >= MOST_UNITS;
  }

  add(record: object): void {
    this.#newestFirst.push(record as JsonValue);
    this.#units += JSON.stringify(record).length;
  }

  inOrder(): JsonValue[] {
    return this.#newestFirst.reverse();
  }
}
const MOST_UNITS = 8 * 1024 * 1024;
