/** Records a transcript that was put where its agent finds it: what the agent says there is read into the same session. */
import { CtxError } from '../../../core/errors.ts';
import type { Source } from '../../../core/session/session.ts';
import { readChain } from '../../../history/chain/chain.ts';
import { flushInto } from '../../../history/flush.ts';
import { growFile, growthDone } from '../../../history/growth.ts';
import { archiveRef, sessionRef } from '../../../history/names/layout.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { transact } from '../../../history/transaction.ts';
import { remember as rememberConversation } from '../../intake/conversation.ts';
import { newSource } from '../../intake/increment.ts';
import { prepareRecord } from '../../session/records.ts';
import { indexSession } from '../../transcript/source-index.ts';
import { type Exported, exportsOf } from './exported.ts';
import type { Position } from './position.ts';

/**
 * Records a transcript in its session. Nothing of the conversation changes.
 * @param logged true if `ctx undo` takes it back by itself, false if it is a part of another operation, or adds to a known transcript
 * @param more lines that are added to its file together with the step
 * @returns what somebody who resumes it should know
 */
export function remember(
  repository: Repository,
  { session_id, isOpen }: { session_id: string; isOpen: boolean },
  { cursor, lines, ...end }: Position,
  about: Omit<Exported, keyof Position>,
  logged: boolean,
  more?: string,
): string[] {
  const { agent, agent_session_id } = about;
  const exported: Exported = { ...about, ...end };
  // A late step of an ended session: its canonical commit stays as it is.
  const ref = isOpen ? sessionRef(session_id) : archiveRef(session_id);
  const change = { command: 'export', message: `export to ${agent}`, logged };
  return transact(repository, change, (transaction) => {
    const head = transaction.read(ref);
    if (head === null && more !== undefined)
      throw new CtxError('busy', 'The session has moved meanwhile.', {
        hint: 'Nothing was changed. Run the command again.',
      });
    if (head === null) return [`The session has moved meanwhile: what ${agent} does is recorded as a new session.`];
    const chain = readChain(repository.objects, head, ref);
    const { file, bytes: offset, sha256 } = end;
    const source: Source = { ...newSource(agent, agent_session_id, file), offset, lines, sha256, cursor };
    const isOther = (one: { agent: string; agent_session_id: string }): boolean =>
      one.agent !== agent || one.agent_session_id !== agent_session_id;
    const { session } = chain;
    const next = {
      ...session,
      sources: [...session.sources.filter(isOther), source],
      exports: [...exportsOf(session).filter(isOther), exported],
    };
    const body = { kind: 'about', by: 'export', exported: { agent, agent_session_id, file } } as const;
    const own = [prepareRecord(repository, repository.objects, repository.clock(), { body })];
    const flushed = flushInto(repository, chain, repository.clock(), { own, session: next, leavesMissed: true });
    if (more !== undefined) {
      const offset = end.bytes - Buffer.byteLength(more);
      growFile(repository, { file: end.file, offset, ref, old: head, next: flushed.chain.head }, more);
      transaction.afterwards(() => growthDone(repository));
    }
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    transaction.afterwards(() => {
      indexSession(repository, flushed.chain.session);
      rememberConversation(repository, { agent, agent_session: agent_session_id }, session_id);
    });
    return isOpen ? [] : [`The session has ended: what ${agent} does is recorded as a session that continues it.`];
  });
}
