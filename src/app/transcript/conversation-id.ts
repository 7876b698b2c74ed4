/** What a store calls the conversation of a transcript: where the file names none itself, what stands in it tells, and not its name. */
import type { Agent } from '../../agents/contract/agent.ts';
import { keyOf } from '../../agents/shared/keys.ts';
import { CtxError } from '../../core/errors.ts';
import type { Source } from '../../core/session/session.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { firstLineOf, linesRead } from './source-file.ts';
import { fileStat, hashOf, type Recognised, type TranscriptText, transcriptText } from './text.ts';
import { stillStands } from './transcript.ts';

/** What a store has of transcripts. */
export interface StoredSources {
  /** Of a conversation: the one that has read furthest; null where there is none. */
  of: (agent: string, agentSession: string) => { source: Source } | null;
  /** Those of files without ids whose first line has this key. */
  begunWith: (agent: string, firstLine: string) => readonly Source[];
}

/** A name that is an id: two files that have it are of one conversation, whatever stands in them. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Whether a transcript, or its name, tells an id of its conversation. */
export const hasId = ({ isUnnamed, agentSession }: Recognised): boolean => !isUnnamed || ID.test(agentSession);

/** Whether what a store calls a conversation tells it from others, wherever it comes from. */
export const isToldById = ({ agent_session_id, first_line }: Source): boolean =>
  first_line === undefined || ID.test(agent_session_id);

/** The key of the first line, where nothing else but the name of its file tells of which conversation a transcript is. */
export const firstLineKey = ({ isUnnamed, text }: Recognised): string | undefined =>
  isUnnamed ? keyOf(firstLineOf(text)) : undefined;

/**
 * The id under which the conversation of a transcript stands in a store, or would stand: the agent's own, redacted. Of a file
 * that tells none it is that of the conversation which the file goes on with, wherever it lies and whatever it is called now;
 * else its name, with a number where another conversation has that.
 */
export function conversationIn(repository: Repository, recognised: Recognised, stored: StoredSources): string {
  const { agent, text } = recognised;
  const told = redactionFor(repository).text(recognised.agentSession);
  const firstLine = firstLineKey(recognised);
  if (firstLine === undefined || hasId(recognised)) return told;
  const named = stored.of(agent.name, told);
  const known = [...(named ? [named.source] : []), ...stored.begunWith(agent.name, firstLine)];
  const own = known.find(({ transcript }) => transcript === '' || transcript === text.file);
  const same = own ?? mostRead(known.filter((source) => goesOnWith(source, agent, text)));
  if (same) return same.agent_session_id;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? told : `${told}-${number}`;
    if (!stored.of(agent.name, id)) return id;
  }
}

const mostRead = (sources: readonly Source[]): Source | undefined =>
  sources.toSorted((a, b) => linesRead(b) - linesRead(a))[0];

/** Whether a text is what a source was read from, though it lies elsewhere: moved, or a copy of it as it was or as it has become. */
function goesOnWith(source: Source, agent: Agent, text: TranscriptText): boolean {
  const before = textAt(source.transcript, agent);
  if (!before || !stillStands(before, source)) return stillStands(text, source);
  // Two conversations may begin with the same words.
  return before.size() < text.size() ? isBeginning(before, text) : isBeginning(text, before);
}

const isBeginning = (one: TranscriptText, other: TranscriptText): boolean =>
  hashOf(one, 0, one.size()) === hashOf(other, 0, one.size());

/** What lies at a path now; null where that cannot be read. */
function textAt(file: string, agent: Agent): TranscriptText | null {
  try {
    fileStat(file);
    return transcriptText(file, agent);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
