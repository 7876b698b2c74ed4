/** Examines the catalog of searches: its age, its size, and whether it is damaged. */
import { examineCatalog } from '../../catalog/catalog.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { bytesInWords, plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type DoctorFinding, note, ok } from './finding.ts';

export function* lookAtCatalog(repository: Repository): Generator<DoctorFinding> {
  const { size, at, behind, damage } = examineCatalog(repository);
  if (damage !== null) {
    yield note('catalog', `It is damaged, and the next search rebuilds it: ${damage}.`, 'ctx reindex');
    return;
  }
  if (size === null) {
    yield ok('catalog', 'There is none yet: the first search makes it.');
    return;
  }
  const age = ageInWords(at, repository.clock());
  const since = behind === 0 ? '' : `; ${plural(behind, 'session')} moved since, which the next search takes in`;
  yield ok('catalog', `${bytesInWords(size.bytes)} of ${plural(size.sessions, 'session')}, written ${age}${since}`);
}
