/** `ctx branch`: begins a session with a copy of a conversation up to a message. */
import { overlaysOf } from '../../core/conversation/acts.ts';
import { type BranchPlan, planBranch } from '../../core/conversation/branch.ts';
import type { FoldedMessage, KeptSnapshot } from '../../core/conversation/conversation.ts';
import { snapshotsOf } from '../../core/conversation/snapshots.ts';
import { CtxError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { isEphemeral, newSession, type Session } from '../../core/session/session.ts';
import { type Chain, type StepRecord, writeStep } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { checkNoRun } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { redactionFor } from '../redaction/redact.ts';
import { requireMain } from '../session/active.ts';
import { observedSession } from '../session/observe.ts';
import { prepareRecord } from '../session/records.ts';
import { changeConversation } from './change.ts';
import { type Loaded, loadConversation, messageNamed, partReader } from './load.ts';

export interface BranchOptions {
  /** The session to branch from, open or ended; the active one if absent. */
  of?: string | undefined;
  /** True if the branch stays out of lists, and is swept after a day unless it is kept. */
  ephemeral?: boolean | undefined;
  /** Merged into the metadata that are copied from the parent. */
  metadata?: JsonObject | undefined;
  /** The model of the branch; that of the parent if absent. */
  model?: string | undefined;
  /** True if the branch has what the parent's session allows, too; it has what that asks for and denies in any case. */
  permissions?: boolean | undefined;
  /** True if the branch becomes the active session (default). */
  switch?: boolean | undefined;
}

export interface BranchResult {
  session_id: string;
  parent_session_id: string;
  parent_message_id: string;
  /** Number of messages that were copied. */
  messages: number;
  /** True if the branch is the active session now. */
  current: boolean;
  ephemeral: boolean;
}

/** Fields of its parent's session that a branch copies. */
const COPIED = ['title', 'type', 'model', 'tools', 'system_prompt', 'metadata'] as const;

/** Most messages in one step of a branch. */
const STEP_MESSAGES = 1000;

/**
 * Begins a session with a copy of the messages that the model sees, up to one. The parent stays as it is, and files are not copied.
 * @param given the id of a message, or its beginning
 * @throws {CtxError} not_found, ambiguous; no_such_move, if a run is in flight, or the copied turn is still running; no_active_session, busy, damaged
 */
export function branchSession(repository: Repository, given: string, options: BranchOptions = {}): BranchResult {
  return transact(repository, { command: 'branch', message: 'branch', logged: true }, (transaction) => {
    const loaded = loadConversation(repository, options.of ?? observedSession(repository));
    const { session: parent, conversation } = loaded;
    checkNoRun(repository, parent.session_id);
    const message = messageNamed(conversation, given);
    const plan = planBranch(conversation, message, repository.ids);
    checkNotRunning(loaded, plan);
    const id = repository.ids();
    const at = repository.clock();
    const base = requireMain(repository.objects, transaction.read);
    const session: Session = {
      ...newSession(id, parent.task_description, parent.agent, base, at),
      ...settingsOf(parent, redactionFor(repository).value(options as JsonObject)),
      parent_session_id: parent.session_id,
      parent_message_id: message.id,
    };
    const chain = writeBranch(
      repository,
      session,
      recordsOf(repository, loaded, plan, at, options.permissions === true),
      at,
    );
    const ref = sessionRef(id);
    transaction.move(ref, null, chain.head);
    const current = options.switch !== false;
    if (current) transaction.move('STAGE', transaction.stage(), ref);
    return {
      session_id: id,
      parent_session_id: parent.session_id,
      parent_message_id: message.id,
      messages: plan.copies.length,
      current,
      ephemeral: isEphemeral(session),
    };
  });
}

/** @throws {CtxError} no_such_move, if a call of the last message still runs: its turn cannot be copied */
function checkNotRunning({ isOpen, conversation, session }: Loaded, { copies, open }: BranchPlan): void {
  const last = copies.at(-1)?.source;
  if (!isOpen || open === null || session.session_state.kind !== 'Running' || !last) return;
  if (last.id !== conversation.order.at(-1)) return;
  throw new CtxError('no_such_move', 'The last turn is still running: one of its calls has no result.', {
    hint: 'Wait for its end, or branch from an earlier message: ctx messages --role user',
    data: { tool_call_id: open },
  });
}

/** Returns the settings that a branch takes from its parent. */
function settingsOf(parent: Session, { ephemeral, metadata, model }: BranchOptions): Partial<Session> {
  const copied = Object.fromEntries(COPIED.flatMap((key) => (parent[key] === undefined ? [] : [[key, parent[key]]])));
  const { ephemeral: _, ...inherited } = (copied['metadata'] ?? {}) as JsonObject;
  const merged = { ...inherited, ...metadata, ...(ephemeral ? { ephemeral: true } : {}) };
  return {
    ...copied,
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(merged).length > 0 ? { metadata: merged } : { metadata: undefined }),
  } as Partial<Session>;
}

/** The records of a branch: the task of its parent, the copies, and what is pruned of them. */
function* recordsOf(
  repository: Repository,
  { session, conversation, trees }: Loaded,
  { copies, pruned }: BranchPlan,
  at: number,
  withAllows: boolean,
): Generator<StepRecord> {
  // Everything was redacted when it was recorded.
  const made = (body: AnyBody): StepRecord =>
    prepareRecord(repository, repository.objects, at, { body, isRedacted: true });
  yield made({ kind: 'task', content: session.task_description });
  for (const { verdict, rule, pin } of session.permissions ?? [])
    if (withAllows || verdict !== 'allow') yield made({ kind: 'rule', verdict, rule, ...(pin ? { pin } : {}) });
  const read = partReader(repository, trees, 'whole');
  const partsOf = ({ parts }: FoldedMessage): Part[] =>
    parts.map(({ part, step }) => {
      const exit_code = part.type === 'dynamic-tool' ? conversation.exits.get(String(part.toolCallId)) : undefined;
      return exit_code === undefined ? read(part, step) : { ...read(part, step), exit_code };
    });
  const snapshots = snapshotsOf(conversation);
  for (const { source, id, metadata } of copies) {
    yield made({ kind: 'message', message: { id, role: source.role, parts: partsOf(source), metadata } });
    const kept = snapshots.get(source.id);
    if (kept) yield made(copiedSnapshot(kept, id));
  }
  if (pruned.length > 0)
    for (const body of overlaysOf({ id: repository.ids(), by: 'branch' }, { prune: pruned })) yield made(body);
}

/** Repeats a snapshot for the copy of its message: a branch rewinds the files, too. */
const copiedSnapshot = ({ id, snapshot_id, isHosts }: KeptSnapshot, message_id: string): AnyBody => ({
  kind: 'snapshot',
  point: 'message',
  snapshot_id,
  message_id,
  copy_of: id,
  ...(isHosts ? { by: 'host' as const } : {}),
});

/** Writes the first steps of a branch; a long conversation takes several. */
function writeBranch(repository: Repository, session: Session, records: Iterable<StepRecord>, at: number): Chain {
  let chain: Chain | null = null;
  let waiting: StepRecord[] = [];
  const write = (): Chain => {
    const next: Chain = writeStep(repository.objects, {
      chain,
      session: chain?.session ?? session,
      records: waiting,
      at,
    });
    waiting = [];
    return next;
  };
  for (const record of records) {
    waiting.push(record);
    if (waiting.length >= STEP_MESSAGES) chain = write();
  }
  return waiting.length > 0 || chain === null ? write() : chain;
}

/** Keeps the active session, if it is an ephemeral branch: it is listed, and no longer swept. @throws {CtxError} no_active_session, busy */
export function keepBranch(repository: Repository): { session_id: string; kept: boolean } {
  return changeConversation(repository, 'branch', ({ session }) => {
    const { session_id, metadata } = session;
    const result = { session_id, kept: isEphemeral(session) };
    if (!result.kept) return { records: [], result };
    const { ephemeral: _, ...rest } = metadata as JsonObject;
    return { records: [], session: { metadata: rest } as Partial<Session>, result };
  });
}
