/** `ctx show`: one canonical commit, session or step, with its steps and their records. */
import { trailersOf } from '../core/commit.ts';
import {
  type CommitType,
  type CommitWithoutSession,
  namedType,
  shownType,
  type UnknownCommitType,
} from '../core/commit-types/table.ts';
import { addCounts } from '../core/counts.ts';
import { CtxError, damaged } from '../core/errors.ts';
import { endedStatus, type SessionStatus } from '../core/listing/status.ts';
import { titleOf } from '../core/listing/title.ts';
import type { StoredRecord } from '../core/records/record.ts';
import type { Session } from '../core/session/session.ts';
import type { SessionState } from '../core/state.ts';
import { lookUp } from '../git/objects/tree-editor.ts';
import { readCommit, readSteps, type Step } from '../history/chain/chain.ts';
import { readSession } from '../history/chain/session-document.ts';
import { archiveRef, isSessionId, sessionRef } from '../history/names/layout.ts';
import { withLateTitle } from '../history/pointers/late-titles.ts';
import type { Repository } from '../history/store/repository.ts';
import { eachWithSmallHeap } from '../platform/memory.ts';
import { checkNoneActive, openSession } from './session/active.ts';
import { resolveRevision } from './session/revision.ts';
import { statusOf } from './session/status.ts';
import { parentOf } from './transcript/source.ts';

export interface ShownStep {
  oid: string;
  step: number;
  session_state: SessionState;
  /** Unix seconds. */
  committed_at: number;
  observations: StoredRecord[];
}

export interface Shown {
  /** `canonical`: a commit of the main line; `session`: a whole chain; `step`: one WorkCommit. */
  kind: 'canonical' | 'session' | 'step';
  oid: string;
  parents: string[];
  message: string;
  commit_type: CommitType | UnknownCommitType | CommitWithoutSession | null;
  session_id: string | null;
  task_description: string;
  session_state: SessionState | null;
  /** True if the session is being worked on, waits, or is finished; null for a commit of no session. */
  status: SessionStatus | null;
  base: string | null;
  agent: string | null;
  model: string | null;
  title: string | null;
  /** The session that started this one as a sub-agent, or that it is a copy of. */
  parent_session_id: string | null;
  usage: unknown;
  /** Number of secrets that were redacted, by rule. */
  redacted: Record<string, number>;
  started_at: number | null;
  last_activity: number | null;
  /** When the session was forgotten; null if it was not. Unix seconds. */
  forgotten_at: number | null;
  committed_at: number;
  files_changed: number | null;
  /** The summary of a canonical commit for people; null otherwise. */
  summary: string | null;
  step_count: number;
  /** Read one at a time as they are asked for: a long session is never held whole. */
  steps: Iterable<ShownStep>;
}

/** Returns the revision that is shown without one: the active session, else the head of the main line. */
export function defaultRevision(repository: Repository): 'STAGE' | 'HEAD' {
  if (repository.refs.stage() !== null) return 'STAGE';
  checkNoneActive(repository);
  return 'HEAD';
}

/** Describes a revision. @throws {CtxError} not_found, ambiguous, no_active_session, damaged */

/** @throws {CtxError} not_found, ambiguous, no_active_session, damaged */
export function showRevision(repository: Repository, given: string): Shown {
  const revision = resolveRevision(repository, given);
  const commit = readCommit(repository.objects, revision.oid);
  const trailers = trailersOf(commit.message);
  const type = trailers.get('Ctx-Type');
  const hasSession = revision.kind === 'step' || trailers.has('Ctx-Session');
  const session = hasSession ? readSession(repository.objects, commit.tree, `commit ${revision.oid}`) : null;
  const kind = revision.kind === 'canonical' ? 'canonical' : revision.bySession ? 'session' : 'step';
  const work = kind === 'canonical' ? archivedChain(repository, session, trailers.get('Ctx-Work')) : revision.oid;
  return {
    kind,
    oid: revision.oid,
    parents: commit.parents,
    message: session?.ended?.message ?? commit.message.split('\n')[0] ?? '',
    commit_type: (session?.ended && shownType(session.ended.type)) ?? (type === undefined ? null : namedType(type)),
    session_id: session?.session_id ?? null,
    task_description: session?.task_description ?? '',
    session_state: session?.session_state ?? null,
    status: session ? statusNow(repository, session) : null,
    base: session?.base ?? null,
    agent: session?.agent ?? null,
    model: session?.model ?? null,
    title: session && titleOf(withLateTitle(repository, session, commit)),
    parent_session_id: session ? parentOf(repository, session) : null,
    usage: session?.usage ?? null,
    redacted: addCounts(session?.redacted, {}),
    started_at: session?.started_at ?? null,
    last_activity: session?.last_activity ?? null,
    forgotten_at: typeof session?.forgotten_at === 'number' ? session.forgotten_at : null,
    committed_at: commit.committedAt,
    files_changed: session?.ended?.files_changed ?? null,
    summary: kind === 'canonical' ? summaryOf(repository, commit.tree) : null,
    step_count: kind === 'step' ? 1 : (session?.step ?? 0),
    steps: work === undefined ? [] : stepsOf(repository, work, kind === 'step'),
  };
}

/** The chain that a revision names, for what reads the whole of it. */
export interface NamedChain {
  session_id: string;
  head: string;
  /** True if the revision names an open session as it is now, so that records may wait beside its chain. */
  isOpen: boolean;
}

/** Returns the chain of a revision. @throws {CtxError} not_found, ambiguous, no_active_session, damaged */
export function chainBehind(repository: Repository, given: string): NamedChain {
  const { oid, kind, bySession } = resolveRevision(repository, given);
  const { tree, message } = readCommit(repository.objects, oid);
  const trailers = trailersOf(message);
  if (!trailers.has('Ctx-Session'))
    throw new CtxError('not_found', `${given} is the commit of no session.`, { hint: 'See: ctx log' });
  const session = readSession(repository.objects, tree, `commit ${oid}`);
  const { session_id } = session;
  if (kind === 'step') {
    const isOpen = bySession && isSessionId(session_id) && repository.refs.read(sessionRef(session_id)) === oid;
    return { session_id, head: oid, isOpen };
  }
  const head = archivedChain(repository, session, trailers.get('Ctx-Work'));
  if (head === undefined) throw damaged(`commit ${oid}`, 'its Ctx-Work names no step', { hint: 'See: ctx fsck' });
  return { session_id, head, isOpen: false };
}

/** Returns the chain of a canonical commit: from the archive, with late steps or squashed, else as it was then. */
function archivedChain(repository: Repository, session: Session | null, work: string | undefined): string | undefined {
  const archived =
    session && isSessionId(session.session_id) ? repository.refs.read(archiveRef(session.session_id)) : null;
  return archived ?? work;
}

/** Returns the status that a session has now, whatever step of it is shown. */
function statusNow(repository: Repository, { session_id, session_state }: Session): SessionStatus {
  const ref = isSessionId(session_id) ? sessionRef(session_id) : null;
  const head = ref === null ? null : repository.refs.read(ref);
  return ref === null || head === null
    ? endedStatus(session_state)
    : statusOf(repository, openSession(repository, ref, head));
}

function summaryOf(repository: Repository, tree: string): string | null {
  const entry = lookUp(repository.objects, tree, ['summary.md']);
  return entry ? repository.objects.readAs(entry.oid, 'blob').toString('utf8') : null;
}

function stepsOf(repository: Repository, head: string, single: boolean): Iterable<ShownStep> {
  return {
    *[Symbol.iterator]() {
      // Many, and each of them many texts.
      const steps = eachWithSmallHeap(readSteps(repository.objects, head, true, single));
      for (const step of steps) yield describeStep(step);
    },
  };
}

function describeStep(step: Step): ShownStep {
  return {
    oid: step.oid,
    step: step.session.step,
    session_state: step.session.session_state,
    committed_at: step.commit.committedAt,
    observations: step.records,
  };
}
