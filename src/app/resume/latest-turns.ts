/** Ingests what the transcript of a session has and the session has not: an agent that was killed in mid-turn reported no end of it. */
import { CtxError } from '../../core/errors.ts';
import type { Source } from '../../core/session/session.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { ingestRecognised } from '../intake/ingest.ts';
import { keptConversation } from '../transcript/kept.ts';
import type { Around } from '../transcript/places.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';

/**
 * Ingests the rest of the conversation that an open session was read from last, or that its hooks reported last.
 * @returns why that could not be done; null if it was, or if there is nothing to ingest
 * @throws {CtxError} busy, io, damaged
 */
export function ingestLatestTurns(repository: Repository, session: string, around: Around): string | null {
  const ref = sessionRef(session);
  const head = repository.refs.read(ref);
  const source = head === null ? undefined : readChain(repository.objects, head, ref).session.sources.at(-1);
  if (!source) return null;
  try {
    const transcript = transcriptOf(source, repository.project, around);
    if (transcript) ingestRecognised(repository, transcript, { agent: source.agent, beside: true });
    return null;
  } catch (error) {
    if (!(error instanceof CtxError) || ['busy', 'io', 'damaged'].includes(error.code)) throw error;
    return `The latest turns of its conversation could not be ingested: ${error.message}`;
  }
}

/** Opens the conversation of a source; undefined if its agent does not have it any more. @throws {CtxError} invalid_input, io */
function transcriptOf(
  { agent, agent_session_id, transcript }: Source,
  project: string,
  around: Around,
): Recognised | undefined {
  if (transcript !== '' && exists(transcript)) return recogniseTranscript(transcript, agent);
  return keptConversation(agent, agent_session_id, project, around)?.open();
}
