/** Ingests what the transcript of a session has and the session has not: an agent that was killed in mid-turn reported no end of it. */
import { CtxError } from '../../core/errors.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { ingestTranscript } from '../intake/ingest.ts';

/**
 * Ingests the rest of the transcript that an open session was read from last.
 * @returns why that could not be done; null if it was, or if there is nothing to ingest
 * @throws {CtxError} busy, io, damaged
 */
export function ingestLatestTurns(repository: Repository, session: string): string | null {
  const ref = sessionRef(session);
  const head = repository.refs.read(ref);
  const source = head === null ? undefined : readChain(repository.objects, head, ref).session.sources.at(-1);
  if (!source || source.transcript === '' || !exists(source.transcript)) return null;
  try {
    ingestTranscript(repository, source.transcript, { agent: source.agent, beside: true });
    return null;
  } catch (error) {
    if (!(error instanceof CtxError) || ['busy', 'io', 'damaged'].includes(error.code)) throw error;
    return `The latest turns of its conversation could not be ingested: ${error.message}`;
  }
}
