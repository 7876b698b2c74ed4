/** Checks for open sessions that stand at an older step than the last one that was kept, which nothing but the objects tells. */
import { goneBack } from '../../history/pointers/followers.ts';
import type { Stock } from '../../history/pointers/stock.ts';
import type { Repository } from '../../history/store/repository.ts';
import { damage, type Finding, REPAIR } from '../finding.ts';

export function* verifyFollowers(repository: Repository, stock: Stock): Generator<Finding> {
  for (const { ref, head, ends } of goneBack(repository, stock)) {
    const [end, ...others] = ends;
    const no = 'and it has no reflog that says what it named last';
    if (others.length === 0) yield damage('pointer', ref, `it names ${head}, ${end} follows from that, ${no}`, REPAIR);
    else {
      const message = `it names ${head}, several steps follow from that, ${no}: ${ends.join(', ')}`;
      yield damage('pointer', ref, message, `Choose one of them with: git --git-dir=.ctx update-ref ${ref} <step>`);
    }
  }
}
