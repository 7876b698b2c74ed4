/** `ctx record`: begins the recording of a run. One run a session; what an earlier one left open is closed first. */
import type { Conversation } from '../../core/conversation/conversation.ts';
import { seenByModel } from '../../core/conversation/view.ts';
import { CtxError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { BY_RESTART, closedCall, orphansOf } from '../../core/run/orphans.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { removeLog } from '../../history/runs/chunk-log.ts';
import {
  liveRun,
  readStatus,
  runFiles,
  runInFlight,
  runStatus,
  sessionsWithRuns,
} from '../../history/runs/run-status.ts';
import { settleInto } from '../../history/settle-run.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { exists, makeFolder, removeEmptyFolder, removeFile } from '../../platform/files.ts';
import { takeLock } from '../../platform/lock.ts';
import { THIS_MACHINE } from '../../platform/machine.ts';
import { changeConversation } from '../conversation/change.ts';
import { type Loaded, loadConversation, partReader } from '../conversation/load.ts';
import { makeRoom } from '../conversation/room.ts';
import type { Surroundings } from '../conversation/summarizer.ts';
import { redactionFor } from '../redaction/redact.ts';
import { observedSession } from '../session/observe.ts';
import { chainBehind } from '../show.ts';
import { type Continued, Recording } from './recording.ts';
import { RunSocket, removeSocket } from './run-socket.ts';

export type { Recording, RecordResult } from './recording.ts';

export interface RecordOptions extends Surroundings {
  /** The session to record into; the active one if absent. */
  session?: string | undefined;
  /** The id of the message; by default the one that the first chunk gives. That of the last answer continues it. */
  as?: string | undefined;
  /** Position at which the provider continues: a thread or a response by its own id. */
  cursor?: string | undefined;
  /** True if each write waits until it is on disk; by default all of it is within 100 ms. */
  sync?: boolean | undefined;
  /** The session whose run has started this one as a sub-agent's, and the call that did. */
  parent?: string | undefined;
  call?: string | undefined;
  /** Called with what was done before the run, a sentence each. */
  onNotice?: ((notice: string) => void) | undefined;
  /** Called with what went wrong before the run, which begins all the same; by default `onNotice` is. */
  onWarning?: ((warning: string) => void) | undefined;
}

/** The id of an open session. @throws {CtxError} not_found, ambiguous, no_active_session, no_such_move, if it has ended */
function openSessionNamed(repository: Repository, given: string | undefined): string {
  if (given === undefined) return observedSession(repository);
  const { session_id } = chainBehind(repository, given);
  if (repository.refs.read(sessionRef(session_id)) !== null) return session_id;
  throw new CtxError('no_such_move', `The session ${session_id} has ended: nothing is recorded into it.`, {
    hint: `Continue it with: ctx resume ${session_id}`,
  });
}

/**
 * Begins to record a run.
 * @throws {CtxError} busy, if a run of the session is in flight, naming its process and since when; invalid_input, if `as` is the id of
 * another message; no_active_session, not_found, choice_waits, damaged
 */
export async function record(given: Repository, options: RecordOptions = {}): Promise<Recording> {
  const session_id = openSessionNamed(given, options.session);
  const repository: Repository = { ...given, session: session_id };
  const run = repository.ids();
  sweep(repository);
  const release = takeRun(repository, session_id);
  try {
    settleOld(repository, session_id);
    const clean = (text: string | undefined): string | undefined =>
      text === undefined ? undefined : redactionFor(repository).text(text);
    const cursor = clean(options.cursor);
    closeOrphans(repository, cursor, run);
    await makeRoom(repository, session_id, options);
    const continued = continuedBy(repository, options.as);
    const { as = null, sync = false } = options;
    const [parent, call] = [clean(options.parent) ?? null, clean(options.call) ?? null];
    const boot = THIS_MACHINE.boot();
    const beginning = { run, session_id, continued, as, sync, parent, call, boot, release };
    const recording = new Recording(repository, beginning);
    if (cursor !== undefined) recording.cursor(cursor);
    const socket = await RunSocket.open(runFiles(repository.layout, session_id).socket, (by) => recording.abort(by));
    recording.attach(socket);
    return recording;
  } catch (error) {
    release();
    throw error;
  }
}

/** Takes the lock of the session's run. @throws {CtxError} busy */
function takeRun(repository: Repository, session: string): () => void {
  const { layout, ids, durability } = repository;
  const { folder, lock, status, socket } = runFiles(layout, session);
  makeFolder(folder, durability);
  try {
    const release = takeLock({ path: lock, wait: 0, ids, durability });
    removeSocket(readStatus(repository, session)?.socket ?? null, socket);
    removeFile(status);
    return release;
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    throw runInFlight('busy', runStatus(repository, session));
  }
}

/** Removes what runs have left of sessions that have ended. */
function sweep(repository: Repository): void {
  for (const session of sessionsWithRuns(repository)) {
    if (repository.refs.read(sessionRef(session)) !== null || liveRun(repository, session)) continue;
    const { folder, log, lock, status, socket } = runFiles(repository.layout, session);
    if (exists(log)) continue;
    for (const path of [lock, status, socket]) removeFile(path);
    removeEmptyFolder(folder);
  }
}

/** Saves what the run before has left, if its process was killed. */
function settleOld(repository: Repository, session: string): void {
  if (!exists(runFiles(repository.layout, session).log)) return;
  const ref = sessionRef(session);
  transact(repository, { command: 'record', message: 'end of a run', logged: true }, (transaction) => {
    const head = transaction.read(ref);
    const settled = head === null ? null : settleInto(repository, { head, ref });
    if (!settled) return;
    transaction.move(ref, head, settled.chain.head);
    transaction.afterwards(settled.clean);
    transaction.afterwards(() => removeLog(repository, session));
  });
}

/** Closes the calls that no run will answer any more, and keeps the cursor. */
function closeOrphans(repository: Repository, cursor: string | undefined, run: string): void {
  const hasOrphans = orphansOf(loadConversation(repository, repository.session as string).conversation).length > 0;
  if (!hasOrphans && cursor === undefined) return;
  changeConversation(
    repository,
    'record',
    ({ conversation, trees, session }) => {
      const read = partReader(repository, trees, 'whole');
      const records = orphansOf(conversation).map(({ message_id, part_id, seq, part, step }) => ({
        kind: 'part',
        message_id,
        part_id,
        seq,
        part: closedCall(read(part as Part, step) as typeof part, BY_RESTART),
        recorded_by: 'ctx',
      }));
      const at = repository.clock();
      const before = session.resume_cursor;
      const turn =
        before?.cursor === cursor && before?.message_id !== undefined ? { message_id: before.message_id } : {};
      return {
        records,
        isRedacted: true,
        ...(cursor === undefined ? {} : { session: { resume_cursor: { cursor, at, ...turn } } }),
        result: null,
      };
    },
    run,
  );
}

/** Returns what the run needs of the conversation that it continues. @throws {CtxError} invalid_input */
function continuedBy(repository: Repository, as: string | undefined): Continued {
  const loaded = loadConversation(repository, repository.session as string);
  const { conversation, trees, session } = loaded;
  const last = lastAnswer(conversation);
  if (as !== undefined && conversation.messages.has(as) && as !== last?.id)
    throw new CtxError('invalid_input', `There is a message ${as} already, and others came after it.`, {
      hint: 'Give another id, or none: the stream gives its own.',
    });
  const digest = session.system_prompt_digest;
  return {
    ids: new Set(conversation.messages.keys()),
    last,
    read: partReader(repository, trees, 'whole'),
    metadata: { parent_id: parentIn(loaded), ...(digest === undefined ? {} : { system_prompt_digest: digest }) },
  };
}

/** The last message, if it is an answer that ctx has recorded. */
function lastAnswer({ messages, order }: Conversation): Continued['last'] {
  const last = messages.get(order.at(-1) ?? '');
  return last?.role === 'assistant' && last.metadata['recorded_by'] === 'ctx' && last.hidden === null ? last : null;
}

const parentIn = ({ conversation }: Loaded): JsonObject[string] =>
  seenByModel(conversation).findLast(({ metadata }) => metadata['is_compact_summary'] !== true)?.id ?? null;
