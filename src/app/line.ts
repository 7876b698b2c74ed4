/** The main line while operations are taken back: commits that come back on it cover all that was recorded since. */
import { trailersOf } from '../core/commit.ts';
import { defaultCommitType } from '../core/commit-type.ts';
import { compactionMessage } from '../core/compaction.ts';
import { writeCanonical } from '../store/canonical.ts';
import { type Chain, readChain, readCommit } from '../store/chain.ts';
import { archiveRef, MAIN } from '../store/layout.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { Operation } from '../store/operation.ts';
import { readOperations } from '../store/oplog.ts';
import type { PointerMove } from '../store/pointer.ts';
import type { Repository } from '../store/repository.ts';
import { readSession } from '../store/session-document.ts';
import type { Transaction } from '../store/transaction.ts';
import { requireMain } from './active.ts';
import { hasMeaningfulWork } from './compact.ts';

/** What one undo has made of the line so far. */
export interface Line {
  /** Commits that were made anew, by the ones that older operations know. */
  anew: Map<string, string>;
  /** Sessions that had left no commit and got one, with what it follows. */
  added: Map<string, { oid: string; parent: string }>;
}

export const newLine = (): Line => ({ anew: new Map(), added: new Map() });

/**
 * The move of main that is to be taken back, in terms of the commits that there are now. Those that the operation took off
 * the line come back as they were, or anew where the chain of their session has grown or they follow another one.
 * @param ended chains of the sessions that end by this; those that get their commit here are removed
 */
export function layBack(
  repository: Repository,
  transaction: Transaction,
  { anew }: Line,
  move: PointerMove,
  ended: Map<string, Chain>,
): PointerMove {
  const known = (oid: string | null): string | null => anew.get(oid ?? '') ?? oid;
  const now = known(move.new);
  if (move.old === null || move.new === null || now === null) return { ...move, new: now };
  let head = now;
  const back = lineAbove(repository.objects, move.new, move.old);
  for (const oid of back) {
    const again = saveAgain(repository, transaction, oid, head, ended);
    anew.set(oid, again);
    head = again;
  }
  return { ...move, old: back.length > 0 ? head : known(move.old), new: now };
}

/** The commits above one of the line up to another, oldest first; none where the other is not above. */
function lineAbove(objects: ObjectStore, base: string, head: string): string[] {
  const found: string[] = [];
  let [up, down]: (string | undefined)[] = [head, base];
  // Both ways at once: whichever of the two lies above the other, it is near.
  while (up !== base) {
    if (up === undefined || down === head) return [];
    found.unshift(up);
    up = readCommit(objects, up).parents[0];
    down = down && readCommit(objects, down).parents[0];
  }
  return found;
}

/** A canonical commit as it comes back: itself, or one of the same type and message. */
function saveAgain(
  { objects, clock }: Repository,
  transaction: Transaction,
  oid: string,
  parent: string,
  ended: Map<string, Chain>,
): string {
  const { tree, parents, message } = readCommit(objects, oid);
  const { session_id, session_state, ended: ending } = readSession(objects, tree, `commit ${oid}`);
  const work = trailersOf(message).get('Ctx-Work') ?? '';
  const grown = ended.get(session_id);
  ended.delete(session_id);
  if (parents[0] === parent && (!grown || grown.head === work)) return oid;
  const chain = grown ?? readChain(objects, transaction.read(archiveRef(session_id)) ?? work);
  const { type, message: text } = ending ?? { type: defaultCommitType(session_state.kind), message: '' };
  return writeCanonical(objects, { parent, chain, type, message: text, at: clock() });
}

/** Saves a session that had nothing in it when it was ended, and so left no commit, where there is work in it now. */
export function saveAdded(repository: Repository, transaction: Transaction, line: Line, chain: Chain): void {
  const { session } = chain;
  if (!hasMeaningfulWork(repository.objects, chain) || !wasEnded(repository, session.session_id)) return;
  const parent = requireMain(repository.objects, transaction.read);
  const type = defaultCommitType(session.session_state.kind);
  const message = compactionMessage(session, type, repository.settings);
  const oid = writeCanonical(repository.objects, { parent, chain, type, message, at: repository.clock() });
  line.added.set(session.session_id, { oid, parent });
  transaction.move(MAIN, parent, oid);
}

/** Whether anything but an undo has ended a session: one whose beginning was taken back has not ended. */
function wasEnded(repository: Repository, id: string): boolean {
  const ends = ({ command, moves }: Operation): boolean =>
    command !== 'undo' && moves.some((move) => move.pointer === archiveRef(id) && move.new !== null);
  for (const operation of readOperations(repository)) if (ends(operation)) return true;
  return false;
}

/** Takes the commit of such a session off again, where the very operation that had ended it is taken back as well. */
export function takeOffAdded(transaction: Transaction, line: Line, { session }: Chain): void {
  const added = line.added.get(session.session_id);
  if (added && transaction.read(MAIN) === added.oid) transaction.move(MAIN, added.oid, added.parent);
  line.added.delete(session.session_id);
}
