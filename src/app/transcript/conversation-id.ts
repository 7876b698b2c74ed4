/** Finds the id of a transcript's conversation in a store; if the file states none, its content decides, and not its name. */
import type { Agent } from '../../agents/contract/agent.ts';
import { keyOf } from '../../agents/shared/keys.ts';
import { CtxError } from '../../core/errors.ts';
import type { Source } from '../../core/session/session.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { firstLineOf, linesRead } from './source-file.ts';
import { fileStat, hashOf, type Recognised, type TranscriptText, transcriptText } from './text.ts';
import { isUnchanged } from './transcript.ts';

/** Transcripts that a store has recorded. */
export interface StoredSources {
  /** Returns the source that has read furthest in a conversation; null if there is none. */
  of: (agent: string, agentSession: string) => { source: Source } | null;
  /** Returns the sources of files without ids whose first line has this key. */
  begunWith: (agent: string, firstLine: string) => readonly Source[];
}

/** A file name that is an id: two files of that name hold one conversation, whatever their content. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Returns whether a transcript, or its file name, states an id of its conversation. */
export const hasId = ({ isUnnamed, agentSession }: Recognised): boolean => !isUnnamed || ID.test(agentSession);

/** Returns whether the id of a conversation in a store is unique, wherever the conversation comes from. */
export const hasUniqueId = ({ agent_session_id, first_line }: Source): boolean =>
  first_line === undefined || ID.test(agent_session_id);

/** Returns the key of the first line if nothing but the file name identifies the conversation of a transcript. */
export const firstLineKey = ({ isUnnamed, text }: Recognised): string | undefined =>
  isUnnamed ? keyOf(firstLineOf(text)) : undefined;

/**
 * Returns the id that the conversation of a transcript has in a store, or would have: the agent's own, redacted. For a
 * file without one it is that of the conversation which the file continues, whatever its path and name are now; else
 * its file name, with a number if another conversation has that.
 */
export function conversationIn(repository: Repository, recognised: Recognised, stored: StoredSources): string {
  const { agent, text } = recognised;
  const agentId = redactionFor(repository).text(recognised.agentSession);
  const firstLine = firstLineKey(recognised);
  if (firstLine === undefined || hasId(recognised)) return agentId;
  const named = stored.of(agent.name, agentId);
  const known = [...(named ? [named.source] : []), ...stored.begunWith(agent.name, firstLine)];
  const own = known.find(({ transcript }) => transcript === '' || transcript === text.file);
  const same = own ?? mostRead(known.filter((source) => isContinuedBy(source, agent, text)));
  if (same) return same.agent_session_id;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? agentId : `${agentId}-${number}`;
    if (!stored.of(agent.name, id)) return id;
  }
}

const mostRead = (sources: readonly Source[]): Source | undefined =>
  sources.toSorted((a, b) => linesRead(b) - linesRead(a))[0];

/**
 * Returns whether a text is what a source was read from, in another place: a moved file, or an earlier or later copy of
 * it.
 */
function isContinuedBy(source: Source, agent: Agent, text: TranscriptText): boolean {
  const before = textAt(source.transcript, agent);
  if (!before || !isUnchanged(before, source)) return isUnchanged(text, source);
  // Two conversations may begin with the same words.
  return before.size() < text.size() ? isBeginning(before, text) : isBeginning(text, before);
}

const isBeginning = (one: TranscriptText, other: TranscriptText): boolean =>
  hashOf(one, 0, one.size()) === hashOf(other, 0, one.size());

/** Returns the text at a path now; null if it cannot be read. */
function textAt(file: string, agent: Agent): TranscriptText | null {
  try {
    fileStat(file);
    return transcriptText(file, agent);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
