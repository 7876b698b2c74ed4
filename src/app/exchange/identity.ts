/** Identifies where a bundle is written or taken in: the machine, the project's Git repository, and the project's paths. */
import { isAbsolute, join, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import {
  type FoundMapping,
  isSameRepository,
  type Mapping,
  type Origin,
  plainRemote,
  type RepositoryIdentity,
} from '../../core/origin.ts';
import type { Repository } from '../../history/store/repository.ts';
import { stateFolder } from '../../history/store/trust.ts';
import { LINES_LIMIT, readIfThere, writeDurably } from '../../platform/files.ts';
import { fillRandom } from '../../platform/hash.ts';
import { answerOf } from '../../platform/program.ts';
import { redactionFor } from '../redaction/redact.ts';
import { pathsOf } from '../setup/project-paths.ts';

/** Bytes of the id of a machine. */
const ID_BYTES = 16;
/** Longest wait for an answer of Git, in milliseconds: the first commits of a long history take a while to find. */
const PATIENCE = 5000;
/** Most first commits that identify a repository. */
const MOST_ROOTS = 16;

/** Returns the random id of this user on this machine, made once. It is outside of every store: a copy of a store is elsewhere. */
function machineId(repository: Pick<Repository, 'ids'>): string {
  const path = join(stateFolder(), 'machine');
  const known = knownId(path);
  if (known !== null) return known;
  const bytes = Buffer.alloc(ID_BYTES);
  fillRandom(bytes);
  const made = bytes.toString('hex');
  try {
    writeDurably(path, `${path}.${repository.ids()}.tmp`, `${made}\n`, { fsync: false });
  } catch {
    // The home is not writable: the next bundle has another id.
  }
  return made;
}

function knownId(path: string): string | null {
  try {
    return /^[0-9a-f]{32}(?=\n)/.exec(readIfThere(path, LINES_LIMIT)?.toString('latin1') ?? '')?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the identity of the Git repository around a project; null if there is none, or no Git. */
function repositoryOf({ project }: Pick<Repository, 'project'>): RepositoryIdentity | null {
  const answer = (...words: string[]): string => answerOf(['git', '-C', project, ...words], PATIENCE)?.trim() ?? '';
  if (answer('rev-parse', '--is-inside-work-tree') !== 'true') return null;
  const roots = answer('rev-list', '--max-parents=0', `--max-count=${MOST_ROOTS}`, 'HEAD')
    .split('\n')
    .filter((line) => /^[0-9a-f]{40,64}$/.test(line));
  return { roots: roots.sort(), remote: plainRemote(answer('config', '--get', 'remote.origin.url')) };
}

/** Returns the origin of what is exported from a store. */
export function originOf(repository: Repository): Origin {
  const redaction = redactionFor(repository);
  const identity = repositoryOf(repository);
  return {
    machine: machineId(repository),
    repository: identity && {
      roots: identity.roots,
      remote: identity.remote === null ? null : redaction.text(identity.remote),
    },
    paths: pathsOf(repository.project).map((path) => redaction.text(path)),
  };
}

/** Returns a path without separators at its end. */
const withoutEnd = (path: string): string => path.replace(/(?<=.)[\\/]+$/, '');

/** Returns the mappings of the user, then those that follow from the identity of the repository. @throws {CtxError} invalid_input */
export function mappingsFor(
  { project }: Pick<Repository, 'project'>,
  own: () => Origin,
  { paths, repository }: Origin,
  given: readonly Mapping[],
): FoundMapping[] {
  const mapped = given.map(({ from, to }, index): FoundMapping => {
    if (given.findIndex((one) => withoutEnd(one.from) === withoutEnd(from)) < index)
      throw new CtxError('invalid_input', `${from} is mapped twice.`, {
        hint: 'Map each folder once: --map <old=new>',
      });
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
