/** Chooses the sessions of an export, with what is waiting for them flushed. */
import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import { oneLine } from '../../core/text.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { walkNewestFirst } from '../../history/chain/main-line.ts';
import { flushInto } from '../../history/flush.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { sessionsWithPending } from '../../history/pending/pending.ts';
import { candidatesHint, candidatesOf } from '../../history/pointers/candidates.ts';
import { currentRef } from '../../history/pointers/current.ts';
import { type Repository, sessionIds } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { noActiveSession, requireMain, sessionIdOf } from '../session/active.ts';
import { listAllSessions } from '../sessions.ts';

/** Returns the ids of sessions by pieces of their ids, or by words of their titles; the active one if none is named. */
export function chosenSessions(repository: Repository, given: readonly string[], all: boolean): string[] {
  if (all) {
    const listed = new Set(listAllSessions(repository, { ephemeral: true }).sessions.map((row) => row.session_id));
    // One whose start was taken back is in the store, and in no list.
    const isOne = (id: string): boolean => listed.has(id) || repository.refs.read(sessionRef(id)) !== null;
    const ids = [...new Set(sessionIds(repository))].filter(isOne).sort();
    if (ids.length > 0) return ids;
    throw new CtxError('not_found', 'There is no session to export.', { hint: 'Begin one with: ctx start "<task>"' });
  }
  if (given.length > 0) return [...new Set(given.map((one) => sessionNamed(repository, one)))];
  const ref = currentRef(repository);
  if (ref === null) throw noActiveSession(repository);
  return [sessionIdOf(ref)];
}

function sessionNamed(repository: Repository, given: string): string {
  const matching = idsMatching([...new Set(sessionIds(repository))], given);
  if (matching.length === 1) return matching[0] as string;
  const ids = matching.length > 0 ? matching : sessionsTitled(repository, given);
  if (ids.length === 1) return ids[0] as string;
  if (ids.length > 0)
    throw new CtxError('ambiguous', `"${oneLine(given, 80)}" means ${ids.length} sessions.`, {
      hint: candidatesHint(candidatesOf(repository, ids)),
      data: { candidates: ids },
    });
  throw new CtxError('not_found', `No session matches "${oneLine(given, 80)}".`, { hint: 'See: ctx list' });
}

/** Returns the ids of the sessions whose titles have all words of a text, in any case. */
function sessionsTitled(repository: Repository, text: string): string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = words.length === 0 ? [] : listAllSessions(repository, { ephemeral: true }).sessions;
  return rows
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .map(({ session_id }) => session_id);
}

/** Flushes what is waiting for sessions that are open. @throws {CtxError} busy, damaged */
export function flushChosen(repository: Repository, ids: readonly string[]): void {
  const waiting = new Set(sessionsWithPending(repository));
  if (!ids.some((id) => waiting.has(id))) return;
  transact(repository, { command: 'export', message: 'flush before export' }, (transaction) => {
    for (const id of ids.filter((one) => waiting.has(one))) {
      const ref = sessionRef(id);
      const head = transaction.read(ref);
      // Late records of one that has ended are flushed by the transaction itself.
      if (head === null) continue;
      const chain = readChain(repository.objects, head, ref);
      const flushed = flushInto(repository, chain, repository.clock(), { leavesMissed: true });
      transaction.move(ref, head, flushed.chain.head);
      transaction.afterwards(flushed.clean);
    }
  });
}

/** The sessions of a bundle, and the newest commit of the canonical history that they are based on. */
export interface Bundled {
  sessions: BundledSession[];
  main: string;
}

/** Reads the heads of sessions, and finds their commits on main. @throws {CtxError} not_found, damaged */
export function bundled(repository: Repository, ids: readonly string[]): Bundled {
  const { objects, refs } = repository;
  const sessions = ids.map((id): BundledSession => {
    const ref = [sessionRef(id), archiveRef(id)].find((one) => refs.read(one) !== null);
    const head = ref === undefined ? null : refs.read(ref);
    if (ref === undefined || head === null)
      throw new CtxError('not_found', `There is no session ${id}.`, { hint: 'See: ctx list' });
    const { session } = readChain(objects, head, ref);
    return { session_id: id, ref, head, base: session.base, steps: session.step, commit: null };
  });
  const ended = new Map(
    sessions.filter(({ ref, session_id: id }) => ref === archiveRef(id)).map((one) => [one.session_id, one]),
  );
  const bases = new Set(sessions.map(({ base }) => base));
  let main: string | null = null;
  let left = ended.size;
  let last = '';
  const head = requireMain(objects, (ref) => refs.read(ref));
  for (const [oid, { message }] of walkNewestFirst(head, (one) => readCommit(objects, one))) {
    const session = ended.get(trailersOf(message).get('Ctx-Session') ?? '');
    if (session && session.commit === null) {
      session.commit = oid;
      left -= 1;
    }
    if (session || bases.has(oid)) main ??= oid;
    if (left === 0 && main !== null) break;
    last = oid;
  }
  return { sessions, main: main ?? last };
}
