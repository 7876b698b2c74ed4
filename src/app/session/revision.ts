/** Resolves revisions as people write them: HEAD, HEAD~2, main, STAGE, the id of a session or a piece of it, the id of an object or its start. */
import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import { idsMatching, SHORTEST_PIECE } from '../../core/listing/short-id.ts';
import { MAIN } from '../../git/layout.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../../history/names/layout.ts';
import { candidatesHint, candidatesOf } from '../../history/pointers/candidates.ts';
import { lostSession } from '../../history/pointers/lost-session.ts';
import { type Repository, sessionIds } from '../../history/store/repository.ts';
import { danglingStage, noActiveSession, requireMain } from './active.ts';

/** The object of a revision: a commit of the main line, or a step of a session's chain. */
export interface Revision {
  oid: string;
  kind: 'canonical' | 'step';
  /** True if it was named by its session, which means the whole chain. */
  bySession: boolean;
}

/** Shortest beginning of an object id that is looked up, in characters. */
const SHORTEST = 8;

const notFound = (given: string): CtxError =>
  new CtxError('not_found', `There is no revision ${given}.`, {
    hint: `Name one by HEAD, HEAD~2, main, STAGE, a session id (${SHORTEST_PIECE} characters or more of it) or an object id (${SHORTEST}); see: ctx log`,
  });

/** Resolves a revision. @throws {CtxError} not_found, ambiguous, no_active_session, damaged */
export function resolveRevision(repository: Repository, given: string): Revision {
  const match = /^(.*?)((?:~\d*|\^)*)$/s.exec(given);
  const base = match?.[1] ?? given;
  const { oid: start, bySession } = resolveBase(repository, base, given);
  let oid = start;
  const steps = match?.[2] ?? '';
  for (const [, count] of steps.matchAll(/(?:~(\d*)|\^)/g)) {
    const times = count === undefined || count === '' ? 1 : Number(count);
    for (let index = 0; index < times; index += 1) {
      const parent = readCommit(repository.objects, oid).parents[0];
      if (parent === undefined) throw notFound(given);
      oid = parent;
    }
  }
  return { oid, kind: kindOf(repository, oid), bySession: bySession && steps === '' };
}

function kindOf(repository: Repository, oid: string): Revision['kind'] {
  return trailersOf(readCommit(repository.objects, oid).message).has('Ctx-Step') ? 'step' : 'canonical';
}

function resolveBase(repository: Repository, base: string, given: string): { oid: string; bySession: boolean } {
  const { refs } = repository;
  const main = (): { oid: string; bySession: boolean } => {
    return { oid: requireMain(repository.objects, (ref) => refs.read(ref)), bySession: false };
  };
  if (['HEAD', 'main', MAIN, 'heads/main'].includes(base)) return main();
  if (base === 'STAGE') {
    const stage = refs.stage();
    if (stage === null) throw noActiveSession(repository);
    const oid = refs.read(stage);
    if (oid === null) throw danglingStage(repository, stage);
    return { oid: readChain(repository.objects, oid, stage).head, bySession: true };
  }
  const found = candidates(repository, base);
  const [only] = found;
  if (found.length > 1) {
    throw new CtxError('ambiguous', `${given} names ${found.length} sessions or commits.`, {
      hint: hintFor(repository, found),
      data: { candidates: found.map((candidate) => candidate.name) },
    });
  }
  if (!only) throw lostSessionOf(repository, base) ?? notFound(given);
  return only;
}

/** Lists what a piece of an id may mean: sessions with their titles, commits by their ids. */
function hintFor(repository: Repository, found: readonly { name: string; bySession: boolean }[]): string {
  const sessions = found.filter(({ bySession }) => bySession).map(({ name }) => name);
  const commits = found.filter(({ bySession }) => !bySession).map(({ name }) => name);
  const lines = sessions.length > 0 ? [candidatesHint(candidatesOf(repository, sessions))] : [];
  return [...lines, ...(commits.length > 0 ? [`Commits: ${commits.slice(0, 9).join(', ')}`] : [])].join('\n');
}

/** Returns the name of a session in a revision. */
const sessionName = (base: string): string => base.replace(/^(refs\/)?(sessions|archive)\//, '').toLowerCase();

/** Returns the error for a revision that names a lost session; else null. */
function lostSessionOf(repository: Repository, base: string): CtxError | null {
  const name = sessionName(base);
  return name.length >= SHORTEST_PIECE && /^[0-9a-f-]+$/.test(name) ? lostSession(repository, name) : null;
}

function candidates(repository: Repository, base: string): { name: string; oid: string; bySession: boolean }[] {
  const name = sessionName(base);
  if (name.length < SHORTEST_PIECE || !/^[0-9a-z-]+$/.test(name)) return [];
  const exact = isSessionId(name) && name.includes('-') ? sessionNamed(repository, name) : null;
  if (exact) return [exact];
  const ids = sessionIds(repository);
  const sessions = [...new Set(idsMatching(ids, name))].flatMap((id) => sessionNamed(repository, id) ?? []);
  const isOid = name.length >= SHORTEST && /^[0-9a-f]{8,40}$/.test(name);
  const commits = (isOid ? repository.objects.withPrefix(name, 64) : [])
    .filter((oid) => repository.objects.read(oid).type === 'commit')
    .map((oid) => ({ name: oid, oid, bySession: false }));
  return [...sessions, ...commits];
}

function sessionNamed(repository: Repository, id: string): { name: string; oid: string; bySession: true } | null {
  for (const ref of [sessionRef(id), archiveRef(id)]) {
    const oid = repository.refs.read(ref);
    if (oid !== null) return { name: id, oid: readChain(repository.objects, oid, ref).head, bySession: true };
  }
  return null;
}
