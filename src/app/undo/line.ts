/** Rewrites the main line for an undo: restored commits cover everything that was recorded since. */
import { trailersOf } from '../../core/commit.ts';
import { defaultCommitType } from '../../core/commit-types/table.ts';
import { compactionMessage } from '../../core/session/compaction.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { writeCanonical } from '../../history/chain/canonical.ts';
import { type Chain, readChain, readCommit } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { archiveRef } from '../../history/names/layout.ts';
import type { Operation } from '../../history/operations/operation.ts';
import { readOperations } from '../../history/operations/operation-files.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Transaction } from '../../history/transaction.ts';
import { requireMain } from '../session/active.ts';
import { hasMeaningfulWork } from '../session/compact.ts';

/** The line so far, as one undo has changed it. */
export interface Line {
  /** Rewritten commits, by the ones that older operations know. */
  anew: Map<string, string>;
  /** Sessions that an undo had brought back and that have ended again, without a commit to come back for them. */
  ended: Map<string, Chain>;
}

export const newLine = (): Line => ({ anew: new Map(), ended: new Map() });

/** Returns the present form of a commit, if this undo has rewritten it. */
export const asItIsNow = ({ anew }: Line, oid: string): string => anew.get(oid) ?? oid;

/**
 * Returns the head of main when a move of it is undone. Commits that the operation removed come back unchanged, or
 * rewritten if the chain of their session has grown or they have another parent.
 * @param ended chains of the sessions that end by this; those that get their commit here are removed
 */
export function layBack(
  repository: Repository,
  transaction: Transaction,
  line: Line,
  move: PointerMove,
  ended: Map<string, Chain>,
): string | null {
  if (move.old === null || move.new === null) return move.old;
  const { from, above } = partingOf(repository.objects, move.new, move.old);
  let head = asItIsNow(line, from);
  for (const oid of above) {
    const again = saveAgain(repository, transaction, oid, head, [ended, line.ended]);
    line.anew.set(oid, again);
    head = again;
  }
  return head;
}

/** Finds the newest commit that two lines share, and the commits of the other above it, oldest first. */
function partingOf(objects: ObjectStore, one: string, other: string): { from: string; above: string[] } {
  const [mine, others] = [new Set<string>(), new Set<string>()];
  const before = (oid: string | undefined): string | undefined => oid && readCommit(objects, oid).parents[0];
  // Walks down both at once: if one is above the other, the fork is near.
  for (let tips: (string | undefined)[] = [one, other]; tips.some(Boolean); tips = tips.map(before)) {
    if (tips[0]) mine.add(tips[0]);
    if (tips[1]) others.add(tips[1]);
    const from = tips.find((tip) => tip && mine.has(tip) && others.has(tip));
    if (!from) continue;
    const above = [...others];
    return { from, above: above.slice(0, above.indexOf(from)).reverse() };
  }
  return { from: other, above: [] };
}

/** Returns a canonical commit as it comes back: itself, or one of the same type and message. */
function saveAgain(
  { objects, clock }: Repository,
  transaction: Transaction,
  oid: string,
  parent: string,
  ended: readonly Map<string, Chain>[],
): string {
  const { tree, parents, message } = readCommit(objects, oid);
  const { session_id, session_state, ended: ending } = readSession(objects, tree, `commit ${oid}`);
  const work = trailersOf(message).get('Ctx-Work') ?? '';
  const grown = ended.map((chains) => chains.get(session_id)).find((chain) => chain !== undefined);
  for (const chains of ended) chains.delete(session_id);
  if (parents[0] === parent && (!grown || grown.head === work)) return oid;
  const chain = grown ?? readChain(objects, transaction.read(archiveRef(session_id)) ?? work);
  const { type, message: text } = ending ?? { type: defaultCommitType(session_state.kind), message: '' };
  return writeCanonical(objects, { parent, chain, type, message: text, at: clock() });
}

/** Saves a session that was empty when it ended, and so left no commit, if there is work in it now. */
export function saveAdded(repository: Repository, transaction: Transaction, chain: Chain): void {
  const { session } = chain;
  if (!hasMeaningfulWork(repository.objects, chain) || !wasEnded(repository, session.session_id)) return;
  const parent = requireMain(repository.objects, transaction.read);
  const type = defaultCommitType(session.session_state.kind);
  const message = compactionMessage(session, type, repository.settings.auto_compact_message_template);
  transaction.move(
    MAIN,
    parent,
    writeCanonical(repository.objects, { parent, chain, type, message, at: repository.clock() }),
  );
}

/** Returns whether anything but an undo has ended a session: one whose beginning was undone has not ended. */
function wasEnded(repository: Repository, id: string): boolean {
  const ends = ({ command, moves }: Operation): boolean =>
    command !== 'undo' && moves.some((move) => move.pointer === archiveRef(id) && move.new !== null);
  for (const operation of readOperations(repository)) if (ends(operation)) return true;
  return false;
}
