/** Takes the transcripts that an export recorded out of a session: the files stay, and belong to none. */
import type { Session } from '../../core/session/session.ts';
import { readChain } from '../../history/chain/chain.ts';
import type { Operation } from '../../history/operations/operation.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Exported, exportsOf, isUnread } from '../exchange/native/exported.ts';
import { lastSessionOf, remember } from '../intake/conversation.ts';
import { indexSession } from '../transcript/source-index.ts';

type Named = Pick<Exported, 'agent' | 'agent_session_id'>;

const isOf =
  (one: Named) =>
  (other: Named): boolean =>
    one.agent === other.agent && one.agent_session_id === other.agent_session_id;

/** Returns the transcripts of one state of a session that another state of it does not have. */
const onlyIn = (one: Session, other: Session): Exported[] =>
  exportsOf(one).filter((exported) => !exportsOf(other).some(isOf(exported)));

/**
 * Returns the transcripts of a session, and its positions in them, as they were before a step, if the steps up to another have changed
 * them. A transcript in which its agent has worked since stays a part of the session, since the session has that work.
 */
export function exportsTakenBack(
  { objects }: Repository,
  now: Session,
  before: string,
  after: string,
): Partial<Session> | null {
  const [old, next] = [before, after].map((head) => readChain(objects, head).session) as [Session, Session];
  const there = exportsOf(now);
  const isIdle = (one: Exported): boolean =>
    there.some(isOf(one)) && now.sources.filter(isOf(one)).every((source) => isUnread(source, there));
  const gone = onlyIn(next, old).filter(isIdle);
  const back = onlyIn(old, next).filter((one) => !there.some(isOf(one)) && !now.sources.some(isOf(one)));
  if (gone.length + back.length === 0) return null;
  const stays = (one: Named): boolean => !gone.some(isOf(one));
  const again = old.sources.filter((source) => back.some(isOf(source)));
  return { sources: [...now.sources.filter(stays), ...again], exports: [...there.filter(stays), ...back] };
}

/** Brings the caches of conversations up to date with what an undo did to the transcripts of a session. */
export function rememberExports(repository: Repository, before: Session, after: Session): void {
  const changed = [...onlyIn(before, after), ...onlyIn(after, before)];
  if (changed.length === 0) return;
  indexSession(repository, after);
  for (const { agent, agent_session_id: agent_session } of changed) {
    const conversation = { agent, agent_session };
    remember(repository, conversation, lastSessionOf(repository, conversation));
  }
}

/** Returns the files of transcripts that an export recorded, which stay in their places. */
export function filesLeft({ objects }: Repository, { command, moves }: Operation): string[] {
  if (command !== 'export') return [];
  return moves.flatMap(({ old, new: next }) => {
    if (old === null || next === null) return [];
    const [before, after] = [old, next].map((head) => readChain(objects, head).session) as [Session, Session];
    return onlyIn(after, before).map(({ file }) => file);
  });
}
