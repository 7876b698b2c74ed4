/** Private keys that the records of a session have left open: what comes next may be the rest of one. */
import type { JsonValue } from '../core/json.ts';
import { OpenKey } from '../core/redaction/open-key.ts';
import { ANYBODYS, type Place } from '../core/structure.ts';
import { type Chain, readSteps } from '../store/chain/chain.ts';
import { sessionRef } from '../store/layout.ts';
import { pendingNames, readPending } from '../store/pending.ts';
import type { Repository } from '../store/repository.ts';

/** The private keys that the texts of a process have left open, by the store that the texts go to. */
const openKeys = new WeakMap<object, OpenKey>();

export function openKeyOf({ layout }: Pick<Repository, 'layout'>): OpenKey {
  const known = openKeys.get(layout) ?? new OpenKey();
  openKeys.set(layout, known);
  return known;
}

/** Of a text in pieces, so much is looked at as one for what an open key may have left, in bytes; and so much of its end. */
const HELD_FOR_KEY = 65_536;

/** A text in pieces without the data of an open key at its beginning; its end is heard of. */
export function* openKeyPieces(
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
 * Goes on with the records of a session: the last of them are asked for only if a line of a key comes.
 * @param chain its chain, for a transcript whose records do not wait; that of its ref, and what waits, if absent
 */
export function goOnWithKeys(repository: Repository, session: string, chain?: Chain | null): void {
  openKeyOf(repository).resume(session, () =>
    chain === undefined ? latestRecords(repository, session) : lastStepOf(repository, chain?.head ?? null),
  );
}

/** Records that may have begun what a new one goes on with: the last ones that wait, or those of the last step. */
function latestRecords(repository: Repository, session: string): JsonValue[] {
  const names = pendingNames(repository, session).slice(-MOST_LATEST);
  const waiting = readPending(repository, session, names).map(({ record }) => record as JsonValue);
  const head = waiting.length >= MOST_LATEST ? null : repository.refs.read(sessionRef(session));
  return [...lastStepOf(repository, head), ...waiting];
}
const MOST_LATEST = 8;

/** The last records of the step at a head. */
function lastStepOf({ objects }: Repository, head: string | null): JsonValue[] {
  if (head === null) return [];
  return [...readSteps(objects, head, false, true)].flatMap(
    ({ records }) => records.slice(-MOST_LATEST) as JsonValue[],
  );
}
