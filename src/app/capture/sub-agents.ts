/** Compares the transcripts of sub-agents with what is stored of them: each counts for the conversation that has started it. */
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenIn } from '../intake/forgotten-transcript.ts';
import { redactionFor } from '../redaction/redact.ts';
import { beginningAbout } from '../transcript/about.ts';
import { conversationIn } from '../transcript/conversation-id.ts';
import type { TranscriptFile, TranscriptProblem } from '../transcript/found-transcripts.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { KnownReadings } from '../transcript/source.ts';
import { unread, unreadBy } from '../transcript/unread.ts';
import { type CapturedConversation, lostLineHint } from './captured.ts';
import { countMissing, countTurns, type Lost } from './count.ts';

/** A sub-agent's transcript, as far as it is read. */
interface SubAgent {
  transcript: TranscriptFile;
  /** The agent's id of the conversation that has started it, as the store has it; undefined if nothing names one. */
  caller: string | undefined;
  isStored: boolean;
}

export interface ComparedSubAgents {
  problems: TranscriptProblem[];
  /** Those of which something is missing, by the conversation that has started them. */
  missing: ReadonlyMap<CapturedConversation, readonly TranscriptFile[]>;
}

/**
 * Counts the sub-agents of each conversation, and marks one as `behind` if something of them is not stored. A sub-agent
 * whose caller is not there counts for nothing.
 * @throws {CtxError} damaged
 */
export function compareSubAgents(
  repository: Repository,
  transcripts: readonly TranscriptFile[],
  known: KnownReadings,
  conversations: readonly CapturedConversation[],
): ComparedSubAgents {
  const problems: TranscriptProblem[] = [];
  const missing = new Map<CapturedConversation, TranscriptFile[]>();
  const callers = new Map(conversations.map((each) => [`${each.agent}\0${each.agent_session_id}`, each]));
  for (const transcript of transcripts) {
    const one = read(repository, transcript, known, problems);
    const caller = callers.get(`${transcript.agent}\0${one?.caller}`);
    if (one && caller) count(caller, one, missing);
  }
  return { problems, missing };
}

/** Reads one; null if nothing is in it, or it was forgotten with its caller. What cannot be read of it is a problem. */
function read(
  repository: Repository,
  transcript: TranscriptFile,
  known: KnownReadings,
  problems: TranscriptProblem[],
): SubAgent | null {
  const { agent: name, file, open } = transcript;
  try {
    const recognised = open?.() ?? recogniseTranscript(file, name);
    const { agent, text } = recognised;
    const id = conversationIn(repository, recognised, known);
    if (forgottenIn(repository, recognised, id, known)) return null;
    const all = countTurns(text, agent);
    problems.push(...lostLines(name, file, all.lost));
    if (all.turns === 0 && !all.is_rest) return null;
    const reading = known.of(name, id);
    const left = reading && countMissing(repository, text, agent, reading, all.offset);
    const { parent_agent_session_id: caller } = beginningAbout(recognised, []);
    return {
      transcript,
      caller: caller === undefined ? undefined : redactionFor(repository).text(caller),
      isStored: left !== null && left.turns === 0 && !left.is_rest,
    };
  } catch (error) {
    if (!(error instanceof CtxError) || error.code === 'damaged') throw error;
    problems.push(unreadBy(name, file, error));
    return null;
  }
}

/** The lines of a sub-agent's transcript that cannot be read. */
function lostLines(agent: string, file: string, { lines, first }: Lost): TranscriptProblem[] {
  const more = lines - first.length;
  const named = first.map(({ line, message }) => ({
    ...unread(agent, file, 'damaged', ''),
    message: `${file}, line ${line}: ${message}`,
    hint: lostLineHint(file, line),
  }));
  return more > 0 ? [...named, unread(agent, file, 'damaged', `has ${plural(more, 'more line')} like these.`)] : named;
}

function count(
  caller: CapturedConversation,
  { transcript, isStored }: SubAgent,
  missing: Map<CapturedConversation, TranscriptFile[]>,
): void {
  caller.sub_agents += 1;
  if (isStored) {
    caller.sub_agents_stored += 1;
    return;
  }
  // A transcript that was forgotten, or begins nothing, is left out with all that it has started.
  if (caller.captured === 'forgotten' || caller.captured === 'unbegun') return;
  if (caller.captured !== 'never') caller.captured = 'behind';
  missing.set(caller, [...(missing.get(caller) ?? []), transcript]);
}
