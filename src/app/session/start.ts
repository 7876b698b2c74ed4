/** `ctx stage start`: makes a session of a task, with its first step. */

import { beforeNewTask } from '../../core/commit-types/interrupted-by-new-task.ts';
import { afterIdleness } from '../../core/commit-types/stale-auto-compact.ts';
import { CtxError } from '../../core/errors.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { type ABOUT_KEYS, newSession, type Session, waitsForTurn } from '../../core/session/session.ts';
import { allowedVerbs, commandOf } from '../../core/state.ts';
import { writeStep } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { removeChoice } from '../../history/pending/choices.ts';
import { currentRef } from '../../history/pointers/current.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { type Continuation, continuationOf } from '../transcript/source.ts';
import { sourceForSuccessor } from '../transcript/source-file.ts';
import { indexSession } from '../transcript/source-index.ts';
import { type ActiveSession, checkNoneActive, danglingStage, idleness, openSession, requireMain } from './active.ts';
import { type CompactResult, endSession } from './compact.ts';
import { unansweredQuestions } from './left-question.ts';
import { prepareRecord } from './records.ts';
import { checkedTitle } from './title.ts';

export interface StartOptions {
  agent?: string | undefined;
  /** The kind of work, a title, the command of the agent and its model: as they are known when the work begins. */
  type?: string | undefined;
  title?: string | undefined;
  command?: string | undefined;
  model?: string | undefined;
  /** Compact the active session first, as InterruptedByNewTask. */
  replace?: boolean | undefined;
  /** Leave the active session open and begin a second one. */
  beside?: boolean | undefined;
}

export interface StartResult {
  session_id: string;
  task_description: string;
  /** Head of the new session's chain. */
  oid: string;
  base: string;
  /** The session that was compacted for this one, if any. */
  compacted: CompactResult | null;
}

/**
 * Begins a session. An active one is compacted if it is stale beyond the second threshold or if `replace` says so.
 * @throws {CtxError} session_active, with `data.staleness`; invalid_input, if the task is empty
 */
export function startSession(repository: Repository, given: string, options: StartOptions = {}): StartResult {
  if (given.trim() === '') {
    throw new CtxError('invalid_input', 'A session needs a task.', { hint: 'Say it with: ctx start "<task>"' });
  }
  const redaction = redactionFor(repository);
  const task = redaction.text(given);
  const beginning = beginningOf(options, redaction);
  return transact(repository, { command: 'stage start', message: 'start', pauses: true }, (transaction) => {
    const compacted = makeRoom(repository, transaction, task, options);
    const begun = beginSession(repository, transaction, task, beginning, redaction);
    // A user who begins a session by hand abandons the questions of sessions without a conversation.
    const past = unansweredQuestions(repository).filter(({ session }) => session.sources.length === 0);
    for (const { session } of past) transaction.afterwards(() => removeChoice(repository, session.session_id));
    transaction.move('STAGE', transaction.stage(), sessionRef(begun.session_id));
    return { ...begun, compacted };
  });
}

/** Returns the facts of a session that is begun by hand, without secrets. @throws {CtxError} invalid_input, if a title is none */
function beginningOf({ agent, type, command, model, title }: StartOptions, redaction: Redaction): Beginning {
  const facts = Object.entries({ agent, type, command, model }).filter(([, value]) => value !== undefined);
  const clean = facts.map(([key, value]) => [key, redaction.text(value as string)]);
  return {
    ...Object.fromEntries(clean),
    ...(title !== undefined && { renamed: redaction.text(checkedTitle(title)) }),
  };
}

/**
 * Facts that a session begins with besides its task: its agent, its transcript, its predecessor, and what is known of its
 * conversation.
 */
export type Beginning = Partial<Pick<Session, 'agent' | 'sources' | 'resumes' | keyof Continuation | KeptFact>>;

/** A fact that a session keeps about itself: its agent's settings, its type, its title. */
type KeptFact = Exclude<(typeof ABOUT_KEYS)[number], 'agent' | 'launched'> | 'title' | 'renamed';

/**
 * Returns the beginning of the session that an answer begins: it continues the conversation of the one that was asked;
 * null if that has none.
 */
export function conversationOf(session: Session): Beginning | null {
  const source = session.sources.at(-1);
  return source
    ? { agent: session.agent, sources: [sourceForSuccessor(source, false)], ...continuationOf(session) }
    : null;
}

/**
 * Plans a session's first step. Nothing moves before the transaction publishes it.
 * @param redaction what redacted the task: its record counts the findings
 * @param notes further records of that step
 */
export function beginSession(
  repository: Repository,
  transaction: Transaction,
  task: string,
  beginning: Beginning,
  redaction?: Redaction,
  notes: readonly AnyBody[] = [],
): Omit<StartResult, 'compacted'> {
  const id = repository.ids();
  const at = repository.clock();
  const base = requireMain(repository.objects, transaction.read);
  const first = prepareRecord(repository, repository.objects, at, { body: { kind: 'task', content: task }, redaction });
  const more = notes.map((body) => prepareRecord(repository, repository.objects, at, { body }));
  const session = { ...newSession(id, task, beginning.agent ?? null, base, at), ...beginning };
  const chain = writeStep(repository.objects, { chain: null, session, records: [first, ...more], at });
  transaction.move(sessionRef(id), null, chain.head);
  transaction.afterwards(() => indexSession(repository, chain.session));
  return { session_id: id, task_description: task, oid: chain.head, base };
}

function makeRoom(
  repository: Repository,
  transaction: Transaction,
  task: string,
  options: StartOptions,
): CompactResult | null {
  // The requested session, if there is one: another one must not be ended instead.
  const ref = currentRef(repository);
  if (options.beside) return null;
  if (ref === null) {
    checkNoneActive(repository);
    return null;
  }
  const head = transaction.read(ref);
  if (head === null) throw danglingStage(repository, ref);
  const active = openSession(repository, ref, head);
  const { idle_secs, staleness } = idleness(repository, active);
  const end = { ref, head, automatic: true, abandonsQuestion: active.session.sources.length === 0 };
  // Its user has ended it already; only the turn after which it would have been saved never ended.
  if (waitsForTurn(active.session)) return endSession(repository, transaction, active.chain, end);
  if (staleness === 'auto_compact') {
    return endSession(repository, transaction, active.chain, { ...end, type: afterIdleness(idle_secs) });
  }
  if (options.replace) {
    return endSession(repository, transaction, active.chain, { ...end, type: beforeNewTask(task) });
  }
  throw refusal(active, idle_secs, staleness);
}

function refusal(active: ActiveSession, idle_secs: number, staleness: string): CtxError {
  const { session } = active;
  const allowed = allowedVerbs(session.session_state.kind);
  return new CtxError('session_active', `A session is active already (${session.session_state.kind}).`, {
    hint: `Save it and begin the new task with: ctx start --replace "<task>"; open a second one with --beside; or move it on: ${allowed.map(commandOf).join(', ')}`,
    data: {
      session_id: session.session_id,
      task_description: session.task_description,
      session_state: session.session_state,
      allowed,
      idle_secs,
      staleness,
    },
  });
}
