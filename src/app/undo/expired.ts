/** Steps of a chain that `ctx gc --expire-steps` has squashed: whether there is a way back to them. */
import { CtxError } from '../../core/errors.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { verifyObjects } from '../../health/verify/chain.ts';
import { type Chain, readChain, walkChain } from '../../history/chain/chain.ts';

/** What the session's ref named before its steps were squashed; null where none were. */
function headIn({ session: { squashed } }: Chain): string | null {
  const head = (squashed as { head?: unknown } | undefined)?.head;
  return typeof head === 'string' ? head : null;
}

/** The same, where nothing has come behind what is left of them. */
export const squashedHead = (chain: Chain): string | null => (chain.session.step === 1 ? headIn(chain) : null);

/**
 * A chain with the steps that were squashed: what the commit has told of them goes with it, and would be nowhere.
 * @throws {CtxError} not_found, where Git has thrown them away, or others have come behind what is left of them
 */
export function unsquashed(objects: ObjectStore, chain: Chain): Chain {
  const before = headIn(chain);
  if (before === null) return chain;
  if (chain.session.step > 1) throw isExpired(chain);
  checkWhole(objects, chain, before);
  return readChain(objects, before);
}

/** Git throws away object by object, and may have been stopped at it. @throws {CtxError} not_found, where any is gone; damaged */
function checkWhole(objects: ObjectStore, chain: Chain, before: string): void {
  const seen = new Set<string>();
  try {
    for (const [, { tree }] of walkChain(objects, before)) verifyObjects(objects, tree, seen);
  } catch (error) {
    // Only what was looked for in vain is told by its id.
    throw error instanceof CtxError && typeof error.data?.oid === 'string' ? isExpired(chain) : error;
  }
}

/** Steps that were squashed are gone once Git has thrown them away: that was asked for, and is no damage. */
export function checkUnexpired(objects: ObjectStore, chain: Chain, steps: readonly string[]): void {
  if (chain.session.squashed === undefined || steps.every((step) => kindOf(objects, step) !== 'absent')) return;
  // A chain that is broken as it stands now says so itself.
  Array.from(walkChain(objects, chain.head));
  throw isExpired(chain);
}

function isExpired({ session }: Chain): CtxError {
  return new CtxError('not_found', `The steps of ${session.session_id} were expired: there is no way back to them.`, {
    hint: `Nothing was changed. See what is left with: ctx show ${session.session_id}`,
  });
}
