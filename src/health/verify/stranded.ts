/** Checks for steps that a session has had and that nothing shows any more. */

import type { Stock } from '../../history/pointers/stock.ts';
import { strandedSteps } from '../../history/pointers/stranded.ts';
import { idOf } from '../../history/pointers/whereabouts.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Finding } from '../finding.ts';

/**
 * @param known every step of every chain, and the refs in which something is damaged: what is wrong there comes first
 */
export function* verifyStranded(
  repository: Repository,
  stock: Stock,
  { walked, damaged }: { walked: ReadonlySet<string>; damaged: ReadonlySet<string> },
): Generator<Finding> {
  const sound = new Map([...stock.refs].filter(([ref]) => !damaged.has(ref)));
  for (const { ref, oid, follows } of strandedSteps(repository, { ...stock, refs: sound }, walked)) {
    const has = follows ? 'the session has gone back behind it' : 'the session has continued without it';
    const message = `step ${oid} is whole, and it named that once, but ${has}`;
    const again = `To have it again: git --git-dir=.ctx update-ref ${ref} ${oid}`;
    const keep = `To keep it for good: git --git-dir=.ctx branch kept-${idOf(ref)}-${oid.slice(0, 8)} ${oid}`;
    const hint = `Look at it with: ctx show ${oid}. ${follows ? again : keep}`;
    yield { severity: 'note', kind: 'chain', where: ref, message, hint };
  }
}
