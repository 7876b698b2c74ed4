/** Moves the pointers to what was read of a transcript. */
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import { idleSeconds, staleness } from '../../core/stale.ts';
import type { Chain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { forgottenStamp } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { becomeActive, sessionIdOf } from '../session/active.ts';
import { compactSession, endSession } from '../session/compact.ts';
import { refuseWhileQuestionWaits } from '../session/waiting.ts';
import { findSource, type KnownSource } from '../transcript/source.ts';
import { indexSession } from '../transcript/source-index.ts';
import type { Work } from './read.ts';
import type { IngestOptions, IngestResult } from './result.ts';

/** Moves the pointers: the session's own, STAGE if no session is active, and main if the session is compacted. */
export function publish(
  repository: Repository,
  work: Work,
  known: KnownSource | null,
  options: IngestOptions,
): IngestResult {
  const { chain, tally } = work;
  const compact = options.compact === true;
  if (tally.steps === 0 || !chain) return unchanged(repository, work, known, compact);
  const id = chain.session.session_id;
  const ref = sessionRef(id);
  const old = work.created ? null : (known?.head ?? null);
  const change = { command: 'ingest', message: 'ingest', logged: true, run: options.run };
  return transact(repository, change, (transaction) => {
    const now = transaction.read(ref);
    // Somebody may have ingested the same transcript meanwhile, into the same session or another.
    const other = findSource(repository, work.agent, work.agentSession);
    // Text that was forgotten meanwhile may be in it, and its base may have changed.
    const stale = forgottenStamp(repository) !== work.stamp;
    if (stale || now !== old || (other?.head ?? null) !== (known?.head ?? null)) {
      throw new CtxError('busy', `${ref} has moved meanwhile.`, {
        hint: 'Run the command again.',
        data: { pointer: ref },
      });
    }
    if (other) refuseWhileQuestionWaits(repository, other.chain.session.session_id);
    transaction.move(ref, old, chain.head);
    if (work.created) transaction.afterwards(() => indexSession(repository, chain.session));
    const current = options.beside
      ? transaction.stage() === ref
      : becomeActive(repository, transaction, ref, options.stageTrouble);
    const compacted = compact ? endSession(repository, transaction, chain, { ref, head: old ?? chain.head }) : null;
    return { ...described(repository, work, chain), open: !compacted, current: current && !compacted, compacted };
  });
}

function described(
  repository: Repository,
  work: Work,
  chain: Chain,
): Omit<IngestResult, 'open' | 'current' | 'compacted'> {
  const { tally, position } = work;
  return {
    session_id: chain.session.session_id,
    task_description: chain.session.task_description,
    title: titleOf(chain.session),
    session_state: chain.session.session_state,
    agent: work.agent,
    agent_session_id: work.agentSession,
    oid: chain.head,
    created: work.created && tally.steps > 0,
    steps_added: tally.steps,
    staleness: staleness(idleSeconds(chain.session.last_activity, repository.clock()), repository.settings),
    messages: tally.messages,
    tool_calls: tally.tool_calls,
    lines: work.lines,
    incomplete: position.incomplete,
    read_before: work.rewriting,
    unknown: tally.unknown,
    problems: tally.problems,
  };
}

/** The message for a last line that is not a JSON value and has no line feed. */
const UNFINISHED = 'has no line feed at its end, so it may still be written; it is read once it has one';

/** Returns the result if nothing is new: no pointer moves, unless the session is to be compacted. */
function unchanged(repository: Repository, work: Work, known: KnownSource | null, compact: boolean): IngestResult {
  if (!known) {
    const { problems } = work.tally;
    const named = problems.map((problem) => `line ${problem.line}: ${problem.message}`).slice(0, 3);
    if (work.isUnbegun && named.length === 0) {
      throw new CtxError('invalid_input', 'Nothing was begun in this conversation: no prompt in it is a task.', {
        hint: 'Take it in all the same: ctx ingest --task <task> <file>',
        data: { problems },
      });
    }
    const begun = work.position.incomplete ? [`line ${work.position.lines + 1}: ${UNFINISHED}`] : [];
    throw new CtxError('invalid_input', 'There is no conversation in this transcript.', {
      hint: [...named, ...begun].join('; ') || undefined,
      data: { problems },
    });
  }
  const compacted = compact && known.open ? compactSession({ ...repository, session: sessionIdOf(known.ref) }) : null;
  const current = !compacted && repository.refs.stage() === known.ref;
  return {
    ...described(repository, work, known.chain),
    created: false,
    open: known.open && !compacted,
    current,
    compacted,
  };
}
