/** `ctx capture catch-up`: ingests what the agents' transcripts have and the store has not, the oldest conversation first. */
import { CtxError } from '../../core/errors.ts';
import { idleSeconds, staleness } from '../../core/stale.ts';
import { plural } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { withSmallHeap } from '../../platform/memory.ts';
import { type IngestResult, ingestRecognised, ingestTranscript } from '../intake/ingest.ts';
import type { TranscriptFile, TranscriptProblem } from '../transcript/found-transcripts.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';
import { type Around, type CapturedConversation, compared } from './capture.ts';
import { lostLineHint } from './captured.ts';
import type { LostLine } from './count.ts';

/**
 * Conversations of which nothing is stored are ingested if they are younger than this, in seconds, unless all are
 * requested.
 */
const RECENT = 30 * 86_400;

export interface CatchUpOptions extends Around {
  /** However old they are. */
  all?: boolean | undefined;
  /** Called before each conversation, with how many are done, and their total. */
  progress?: ((text: string, done: number, total: number) => void) | undefined;
}

/** A conversation of which something was ingested. */
export interface CaughtUp {
  agent: string;
  agent_session_id: string;
  file: string;
  session_id: string;
  /** True if the session is a new one. */
  created: boolean;
  /** Turns of the conversation that were not there before, or not whole. */
  turns_added: number;
  steps_added: number;
  /** The canonical commit of a session that its user had confirmed, possibly the one before this; absent otherwise. */
  commit?: string;
}

/** A file or line that was not read or not ingested, with a reason and a hint if the file itself is not read. */
export type CatchUpProblem = Pick<TranscriptProblem, 'agent' | 'file' | 'message'> & Partial<TranscriptProblem>;

export interface CatchUpResult {
  conversations: CaughtUp[];
  turns_added: number;
  /** Conversations that were left out, since they are older than 30 days and nothing of them is stored. */
  left_out: number;
  /** Files, and lines of files, that could not be read or ingested. */
  problems: CatchUpProblem[];
}

/**
 * Ingests what is missing. Each conversation is one change of the store: after a kill, the next run continues.
 * @throws {CtxError} not_found, if no home folder is known; busy; io, if the store cannot be written; damaged
 */
export function catchUp(repository: Repository, options: CatchUpOptions): CatchUpResult {
  const { status, openers, subAgents } = compared(repository, options);
  const missing = status.conversations.filter(({ captured }) => captured === 'behind' || captured === 'never');
  const chosen = missing.filter((each) => options.all || isWanted(each, repository.clock()));
  const isIncomplete = ({ captured }: CapturedConversation): boolean => captured === 'incomplete';
  const problems: CatchUpProblem[] = [
    ...status.problems,
    ...status.conversations.filter(isIncomplete).flatMap((each) => lostLines(each)),
  ];
  const run = repository.ids();
  const taken = (each: CapturedConversation, index: number): CaughtUp | CaughtUp[] => {
    options.progress?.(`${index + 1} of ${chosen.length}: ${each.file}`, index, chosen.length);
    try {
      const beside = index < chosen.length - 1 || isStale(repository, each);
      const { caught, lines } = takeIn(repository, each, { beside, run }, openers.get(each));
      problems.push(...lostLines(each, lines));
      const children = (subAgents.get(each) ?? []).map((child) => takeInSubAgent(repository, child, run, problems));
      const added = children.flatMap((child) => child ?? []);
      return withSubAgents(each, caught, added) ?? [];
    } catch (error) {
      if (!(error instanceof CtxError) || stopsAll(error)) throw error;
      const toDo = error.code === 'choice_waits' ? ` ${error.hint}` : '';
      problems.push({ agent: each.agent, file: each.file, message: error.message + toDo });
      return [];
    }
  };
  const conversations = withSmallHeap(() => chosen.flatMap(taken));
  const turns_added = conversations.reduce((sum, each) => sum + each.turns_added, 0);
  const left_out = missing.length - chosen.length;
  return { conversations, turns_added, left_out, problems };
}

/**
 * Returns whether a conversation has been idle for so long that the next message would save it: it must not become the
 * current session.
 */
const isStale = (repository: Repository, { last_at }: CapturedConversation): boolean =>
  staleness(idleSeconds(last_at, repository.clock()), repository.settings) === 'auto_compact';

const isWanted = ({ captured, last_at }: CapturedConversation, now: number): boolean =>
  captured === 'behind' || last_at >= now - RECENT;

/**
 * Returns whether the next conversation would fail likewise: the transcript was read a moment ago, so that the store
 * fails. A pointer that has moved meanwhile concerns one session only.
 */
const stopsAll = ({ code, data }: CtxError): boolean =>
  code === 'damaged' || code === 'io' || (code === 'busy' && data?.pointer === undefined);

/**
 * Ingests one conversation.
 * @param how `beside`: whether a later one becomes the current session; `run`: shared by all of them
 * @param open reads it if it is in a collection
 * @returns what was added, null if nothing, and the lines that could not be read
 */
function takeIn(
  repository: Repository,
  each: CapturedConversation,
  how: { beside: boolean; run: string },
  open: (() => Recognised) | undefined,
): { caught: CaughtUp | null; lines: LostLine[] } {
  const { agent, agent_session_id, file, other_files = [] } = each;
  const options = { agent, ...how };
  const results = open
    ? [ingestRecognised(repository, open(), options)]
    : [...other_files, file].map((one) => ingestTranscript(repository, one, options));
  const result = ofOne(results);
  const unread = result.problems.filter(({ all_read }) => !all_read);
  const lines = unread.map(({ line, message }) => ({ line, message }));
  // Somebody else has ingested it meanwhile, or it was forgotten.
  if (result.steps_added === 0) return { caught: null, lines };
  const { session_id, created, steps_added, compacted, saved_before } = result;
  const counts = { turns_added: each.turns - each.turns_stored, steps_added };
  const oid = compacted?.oid ?? saved_before?.oid;
  const saved = oid ? { commit: oid } : {};
  return { caught: { agent, agent_session_id, file, session_id, created, ...counts, ...saved }, lines };
}

/** Ingests the transcript of a sub-agent; null if it cannot be, which is a problem. */
function takeInSubAgent(
  repository: Repository,
  { agent, file, open }: TranscriptFile,
  run: string,
  problems: CatchUpProblem[],
): IngestResult | null {
  try {
    return ingestRecognised(repository, open?.() ?? recogniseTranscript(file, agent), { agent, beside: true, run });
  } catch (error) {
    if (!(error instanceof CtxError) || stopsAll(error)) throw error;
    problems.push({ agent, file, message: error.message });
    return null;
  }
}

/** Adds the steps of sub-agents to the result of a conversation; null if nothing was added. */
function withSubAgents(
  { agent, agent_session_id, file, session_id }: CapturedConversation,
  caught: CaughtUp | null,
  children: readonly IngestResult[],
): CaughtUp | null {
  const steps = children.reduce((sum, { steps_added }) => sum + steps_added, 0);
  if (caught) return { ...caught, steps_added: caught.steps_added + steps };
  const id = session_id ?? children[0]?.session_id;
  if (steps === 0 || id === undefined) return null;
  return { agent, agent_session_id, file, session_id: id, created: false, turns_added: 0, steps_added: steps };
}

/** Lists the unreadable lines of a conversation: those met now, and those known before. */
function lostLines(
  { agent, file, lines_lost, lost }: CapturedConversation,
  met: readonly LostLine[] = [],
): CatchUpProblem[] {
  const lines = new Map([...met, ...lost].map(({ line, message }) => [line, message]));
  const named = [...lines].sort(([a], [b]) => a - b);
  const more = lines_lost - lines.size;
  return [
    ...named.map(([line, message]) => {
      return { agent, file, message: `${file}, line ${line}: ${message}`, hint: lostLineHint(file, line) };
    }),
    ...(more > 0 ? [{ agent, file, message: `${file}: … and ${plural(more, 'more line')}` }] : []),
  ];
}

/** Merges the results of the files of one conversation. */
function ofOne(results: readonly IngestResult[]): IngestResult {
  const added = results.filter(({ steps_added }) => steps_added > 0);
  const last = (added.at(-1) ?? results.at(-1)) as IngestResult;
  return {
    ...last,
    created: results.some(({ created }) => created),
    steps_added: results.reduce((sum, { steps_added }) => sum + steps_added, 0),
    problems: results.flatMap(({ problems }) => problems),
  };
}
