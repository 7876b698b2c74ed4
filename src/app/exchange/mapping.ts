/** Finds what the folders of the project on another machine are here. */
import { isAbsolute, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { type FoundMapping, isSameRepository, type Mapping, type Origin } from '../../core/origin.ts';
import type { Repository } from '../../history/store/repository.ts';
import { originOf } from './identity.ts';

/** Returns the mappings of the user, then those that follow from the identity of the repository. @throws {CtxError} invalid_input */
export function mappingsFor(
  { project }: Pick<Repository, 'project'>,
  own: () => Origin,
  { paths, repository }: Origin,
  given: readonly Mapping[],
): FoundMapping[] {
  const mapped = given.map(({ from, to }): FoundMapping => {
    if (!/^(?:\/|[A-Za-z]:[\\/])/.test(from))
      throw new CtxError('invalid_input', `${from} is no whole path.`, {
        hint: 'Map a folder of the other machine with: --map /home/ada/api=.',
      });
    return { from, to: isAbsolute(to) ? to : resolve(project, to), by: 'user' };
  });
  const here = own();
  const others = paths.filter((path) => !here.paths.includes(path) && !mapped.some(({ from }) => from === path));
  if (others.length === 0 || !isSameRepository(repository, here.repository)) return mapped;
  return [...mapped, ...others.map((from): FoundMapping => ({ from, to: project, by: 'guess' }))];
}

/** Returns the origin of this store, read once. */
export function ownOrigin(repository: Repository): () => Origin {
  let known: Origin | undefined;
  return () => {
    known ??= originOf(repository);
    return known;
  };
}
