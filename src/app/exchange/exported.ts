/** Describes a session as it is handed over: what is known of it, and its head. */
import type { ExportedSession } from '../../core/exchange/exported.ts';
import { titleOf } from '../../core/listing/title.ts';
import { progressSummary } from '../../core/session/progress.ts';
import { digestChain } from '../../history/chain/canonical.ts';
import { readChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Describes a session at a step of its chain. @param open whether the chain still grows @param digest of the chain, if it was made already */
export function describeExported(
  { objects }: Pick<Repository, 'objects'>,
  head: string,
  open: boolean,
  digest = digestChain(objects, head),
): ExportedSession {
  const { session } = readChain(objects, head);
  const { session_id, session_state, task_description, last_activity, agent } = session;
  return {
    session_id,
    title: titleOf(session),
    task_description,
    state: session_state.kind,
    session_state,
    staging_head: head,
    progress_summary: progressSummary(digest),
    last_activity,
    agent,
    open,
  };
}
