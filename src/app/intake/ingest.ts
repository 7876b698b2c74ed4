/** `ctx ingest`: makes a session of a transcript, or adds to its session what is new in it. */

import { CtxError } from '../../core/errors.ts';
import { waitsForTurn } from '../../core/session/session.ts';
import { releasePacks } from '../../git/objects/keep-file.ts';
import { readChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { type CompactResult, endSession } from '../session/compact.ts';
import { withPendingFlushed } from '../session/flush.ts';
import { filledText } from '../session/text.ts';
import { refuseWhileQuestionWaits } from '../session/waiting.ts';
import { conversationIn, firstLineKey } from '../transcript/conversation-id.ts';
import { stopsAll } from '../transcript/file-errors.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import { findSource, type KnownSource, parentOf, storedSources } from '../transcript/source.ts';
import type { Recognised } from '../transcript/text.ts';
import { baseOf, ingestBase, withBase } from './bases.ts';
import { forgottenIn } from './forgotten-transcript.ts';
import { type RestAdded, withRestKept } from './late-records.ts';
import { forgottenResult } from './passed-over.ts';
import { publish } from './publish.ts';
import { readTranscript, type Work } from './read.ts';
import type { IngestOptions, IngestResult } from './result.ts';

export type { IngestOptions, IngestResult };

/** Number of times that the ingest is retried if the chain has moved meanwhile. */
const TRIES = 3;

/**
 * Ingests one transcript. What was ingested of it before is not ingested again.
 * @throws {CtxError} not_found, invalid_input, busy, damaged; choice_waits, if a question waits in its session
 */
export function ingestTranscript(repository: Repository, file: string, options: IngestOptions = {}): IngestResult {
  if (options.task !== undefined) filledText(options.task, 'The task');
  return ingestRecognised(repository, recogniseTranscript(file, options.agent), options);
}

/**
 * Ingests a recognised transcript, and before it the files of the conversation that it continues.
 * @throws {CtxError} invalid_input, io, busy, damaged, choice_waits
 */
export function ingestRecognised(repository: Repository, transcript: Recognised, options: IngestOptions): IngestResult {
  const base = baseOf(transcript);
  if (!base) return ingestOne(repository, transcript, options);
  const before = ingestBase(repository, base, options, ingestRecognised);
  return withBase(ingestOne(repository, transcript, options), base, before);
}

function ingestOne(repository: Repository, transcript: Recognised, options: IngestOptions): IngestResult {
  const { agent, text } = transcript;
  let saved: Saved | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const stored = storedSources(repository);
    const agentSession = conversationIn(repository, transcript, stored);
    const forgotten = forgottenIn(repository, transcript, agentSession, stored);
    if (forgotten) return forgottenResult(repository, agent.name, agentSession, forgotten);
    const found = findSource(repository, agent.name, agentSession);
    if (found) refuseWhileQuestionWaits(repository, found.chain.session.session_id);
    const observed = withPendingFlushed(repository, found);
    const { known: read, added } = withRestKept(repository, observed, { agent, agentSession, text });
    saved = (read && saveEnded(repository, read, options.run)) ?? saved;
    const known = saved ? findSource(repository, agent.name, agentSession) : read;
    const first_line = firstLineKey(transcript);
    const how = { ...options, agent, agentSession, first_line, known, observed };
    let work: Work | undefined;
    try {
      work = readTranscript(repository, text, how);
      const result = publish(repository, work, known, { ...options, run: saved?.run ?? options.run });
      return withSaved(result.created ? result : withAdded(result, added), saved);
    } catch (error) {
      const moved = error instanceof CtxError && error.code === 'busy' && error.data?.pointer !== undefined;
      if (!moved || attempt === TRIES) throw error;
    } finally {
      releasePacks(work?.kept ?? []);
    }
  }
}

/**
 * A session that was saved before more was read, and the run that it shares with the rest: both are undone together.
 */
interface Saved {
  result: CompactResult;
  run: string;
}

/**
 * Saves a session that its user has ended, once its own rest is in it: the transcript continues with another session.
 * Null if it has not been ended, or was saved already.
 */
function saveEnded(repository: Repository, { ref, open, chain }: KnownSource, given: string | undefined): Saved | null {
  if (!open || !waitsForTurn(chain.session)) return null;
  const run = given ?? repository.ids();
  const change = { command: 'ingest', message: 'ingest', logged: true, run };
  return transact(repository, change, (transaction) => {
    const head = transaction.read(ref);
    const now = head === null ? null : readChain(repository.objects, head, ref);
    if (head === null || !now || !waitsForTurn(now.session)) return null;
    refuseWhileQuestionWaits(repository, now.session.session_id);
    return { result: endSession(repository, transaction, now, { ref, head }), run };
  });
}

/** Reports the saved session: it is the reported session itself, or the one before it. */
function withSaved(result: IngestResult, saved: Saved | null): IngestResult {
  if (!saved) return result;
  const isOwn = saved.result.session_id === result.session_id;
  return { ...result, ...(isOwn ? { compacted: saved.result } : { saved_before: saved.result }) };
}

/** Counts what was added to ended sessions if nothing new was begun. */
const withAdded = (result: IngestResult, added: RestAdded): IngestResult => ({
  ...result,
  steps_added: result.steps_added + added.steps_added,
  messages: result.messages + added.messages,
  tool_calls: result.tool_calls + added.tool_calls,
  lines: result.lines + added.lines,
});

/**
 * Publishes what a thread has read of a transcript whose session is new; null if it must be read again here, since the
 * store has changed.
 * @throws {CtxError} busy, damaged
 */
export function ingestRead(repository: Repository, work: Work, options: IngestOptions): IngestResult | null {
  const session = work.chain?.session;
  try {
    // Its parent may have been stored meanwhile.
    if (!session || parentOf(repository, session) !== (session.parent_session_id ?? null)) return null;
    return publish(repository, work, null, options);
  } catch (error) {
    if (stopsAll(error, undefined)) throw error;
    return null;
  } finally {
    releasePacks(work.kept);
  }
}
