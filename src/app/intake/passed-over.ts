/** Makes the result of `ctx ingest` for a forgotten conversation. */
import { noCounts } from '../../core/counts.ts';
import type { ForgottenSource } from '../../core/forgotten.ts';
import { titleOf } from '../../core/listing/title.ts';
import { FORGOTTEN } from '../../core/session/forgetting.ts';
import type { SessionState } from '../../core/state.ts';
import { readChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Returns the result for a forgotten conversation, of which nothing is read. */
export function forgottenResult(
  repository: Repository,
  agent: string,
  agentSession: string,
  { session_id, at }: ForgottenSource,
) {
  const oid = repository.refs.read(sessionRef(session_id)) ?? repository.refs.read(archiveRef(session_id));
  const session = oid === null ? null : readChain(repository.objects, oid).session;
  return {
    session_id,
    task_description: session?.task_description ?? FORGOTTEN,
    title: session ? titleOf(session) : FORGOTTEN,
    session_state: session?.session_state ?? ({ kind: 'Running' } as SessionState),
    agent,
    agent_session_id: agentSession,
    oid: oid ?? '',
    created: false,
    open: false,
    current: false,
    steps_added: 0,
    staleness: 'fresh' as const,
    messages: 0,
    tool_calls: 0,
    lines: 0,
    incomplete: false,
    read_before: null,
    unknown: noCounts(),
    problems: [],
    compacted: null,
    forgotten_at: at,
  };
}
