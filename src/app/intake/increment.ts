/** Reads what is new in a transcript, for a hook: a bounded part after the recorded offset, never the whole file again. */
import { statSync } from 'node:fs';
import type { Agent, TranscriptEvent, TranscriptReader } from '../../agents/contract/agent.ts';
import { usersWords } from '../../agents/index.ts';
import { readerWithPaths } from '../../agents/shared/secret-calls.ts';
import { NOTHING_NEW, type TranscriptNews } from '../../core/intake/backlog.ts';
import { answersTool } from '../../core/intake/notes.ts';
import { intervention, wordsOfChoice, wordsOfConfirmation, wordsOfNote } from '../../core/intake/words.ts';
import type { Line } from '../../core/lines.ts';
import type { Message } from '../../core/message.ts';
import { type AnyBody, isKind, type StoredRecord } from '../../core/records/record.ts';
import type { Standing } from '../../core/session/hook-plan.ts';
import type { Session, Source } from '../../core/session/session.ts';
import { type Chain, readSteps, type StepRecord } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { transcriptLines } from '../transcript/lines.ts';
import { besideOf } from '../transcript/neighbouring-files.ts';
import { advanceSource, hashedNone, isEarlier, sourceOfText, UNREAD } from '../transcript/source-file.ts';
import { fileText, hashOf, type TranscriptText } from '../transcript/text.ts';
import { isUnchanged } from '../transcript/transcript.ts';
import { latestSteps, wholeAfter } from './reach.ts';
import { TranscriptIntake } from './stored-events.ts';
import type { Tally } from './tally.ts';
import { Turns } from './turns.ts';

/** Most of a transcript that one hook reads, in bytes; the rest is left to the next. */
export const STRETCH = 8 * 1024 * 1024;
/** Length that is read however long it takes, in bytes (a fraction of a second), so that every hook makes progress. */
export const AT_LEAST = 512 * 1024;
/** Bytes before the offset whose hash shows whether the file was rewritten. */
const WINDOW = 1024;

/** Additions of a transcript to a session; nothing of it is in a step yet, except what exceeds one step. */
export interface Increment {
  chain: Chain;
  session: Session;
  records: StepRecord[];
  /** The prompt that was interrupted, if the transcript ends with an interruption. */
  interrupted: string | null;
  /** Returns the agent's last words, if the transcript ends with them; null if it was not read to its end. */
  lastWords?: () => LastWords | null;
  /** The user's prompts in it, verbatim. */
  prompts?: readonly string[];
  /** News of the transcript about pending records. */
  news?: TranscriptNews | undefined;
  /** The counts of what was read; absent if nothing was. */
  tally?: Tally | undefined;
}

/** The agent's last words in its turn. */
interface LastWords {
  text: string;
  /** True if they ask the user something. */
  isQuestion: boolean;
}

/** Returns the session's source for a transcript. */
export const sourceOf = (session: Session, agent: string, agentSession: string): Source | undefined =>
  session.sources.find((one) => one.agent === agent && one.agent_session_id === agentSession);

/** Makes a source of which nothing has been read. */
export const newSource = (agent: string, agentSession: string, transcript: string | null): Source => ({
  agent,
  agent_session_id: agentSession,
  transcript: transcript ?? '',
  ...UNREAD,
  cursor: null,
});

export interface Reading {
  agent: Agent;
  /** The position up to which it has been read. */
  known: Source;
  /** Its present path, as the hook says. */
  file: string;
  /** The user's current words, if the hook reports that: it may be in the transcript already. */
  said: string | null;
  /** The same as lines, if it is not a file of lines. */
  text?: TranscriptText | undefined;
  /** Number of the line to stop at; the end if absent. */
  before?: number | undefined;
  /** True if the lines from there on are the session's as well. */
  isPart?: boolean | undefined;
  /** Milliseconds left of the time that a hook may take. */
  timeLeft: () => number;
}

/** Returns the size of a transcript, in bytes; 0 if there is none yet. */
export function sizeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.size : 0;
}

/** Reads what is new. A transcript that does not exist yet, or has nothing new, adds nothing. */
export function takeIncrement(repository: Repository, chain: Chain, reading: Reading): Increment {
  const { agent, file, said, timeLeft, before = Number.POSITIVE_INFINITY } = reading;
  const nothing: Increment = { chain, session: chain.session, records: [], interrupted: null };
  const text = reading.text ?? fileText(file);
  const size = text.size();
  if (size === 0) return nothing;
  const known = sourceOfText(reading.known, agent, text);
  if (size === known.offset) return { ...nothing, news: { ...NOTHING_NEW, isSame: agent.isSame } };
  const rewritten = !isUnchanged(text, known);
  const from = rewritten ? { offset: 0, lines: 0 } : known;
  const reader = readerOf(repository, chain, { agent, known, text }, rewritten);
  const intake = TranscriptIntake.ofIncrement(repository, chain, agent, reading.known);
  const turns = turnsFor(repository, chain, agent.name, text);
  type Latest = { move: Extract<TranscriptEvent, { type: 'move' }> | null; isWhole: boolean };
  const latest: Latest = { move: null, isWhole: true };
  const prompts: string[] = [];
  const take = (event: TranscriptEvent): void => {
    if (event.type === 'prompt' && event.text.trim() !== '') prompts.push(event.text);
    // A prompt typed during a turn reaches the agent within it, and some versions run no hook for it.
    if (event.type === 'move' && event.cuts_in && event.text.trim() !== said?.trim() && !intake.knowsCutIn(event.text))
      turns.take({ type: 'record', at: event.at, body: intervention(event.text) });
    if (event.type === 'move') latest.move = event;
    if (event.type === 'prompt' && event.text.trim() !== said?.trim()) latest.move = null;
    // The hooks make the moves, and end the turns.
    if (['move', 'prompt', 'more', 'turn'].includes(event.type)) return;
    if (event.type === 'record' && intake.knows(event)) return;
    turns.take(event);
  };
  const position = { offset: from.offset, lines: from.lines };
  let taken = 0;
  let isPart = reading.isPart === true;
  for (const line of transcriptLines(text.pieces(from.offset), from.lines + 1, from.offset)) {
    const isEnough = taken >= STRETCH || (taken >= AT_LEAST && timeLeft() <= 0);
    isPart ||= isEnough && line.number < before;
    // A line that its writer has not finished is left to the next hook.
    latest.isWhole = line.complete && !isEnough;
    if (!latest.isWhole || line.number >= before) break;
    // A line too long to be read does not count: the lines after it must be reached.
    taken += line.text === null ? 0 : line.end - position.offset;
    position.offset = line.end;
    position.lines = line.number;
    if (line.text !== null && line.text.trim() !== '')
      for (const event of reader.line(line.text, line.number)) take(event);
  }
  for (const event of reader.end()) take(event);
  const hash_from = Math.max(0, position.offset - WINDOW);
  const hashed = text.isTail
    ? hashedNone(position.offset)
    : { sha256: hashOf(text, hash_from, position.offset), hash_from };
  const read = advanceSource(known, { transcript: file, ...position, ...hashed }, reader.cursor());
  const last = turns.last(isPart ? { ...read, whole_after: wholeAfter(repository, chain, reading.known) } : read);
  if (!last) return nothing;
  const { move, isWhole } = latest;
  const clean = (words: string): string => redactionFor(repository).text(words);
  const interrupted = move?.verb === 'interrupt' ? clean(move.text) : null;
  const lastWords = (): LastWords | null => {
    // A tool's question is reported by the hook of that tool.
    const isSaid = isWhole && move !== null && move.verb !== 'interrupt' && !move.of_tool;
    return isSaid ? { text: clean(move.text), isQuestion: move.verb === 'ask' } : null;
  };
  const { session, records } = last;
  return {
    chain: last.chain ?? chain,
    session,
    records,
    interrupted,
    lastWords,
    prompts,
    news: intake,
    tally: turns.tally,
  };
}

/** Returns a reader that continues a transcript. @param known the position in this file */
export function readerOf(
  { objects }: Repository,
  { head }: Chain,
  { agent, known, text }: Pick<Reading, 'agent' | 'known'> & { text: TranscriptText },
  rewritten: boolean,
): TranscriptReader {
  const kept = function* (): Generator<AnyBody> {
    for (const step of readSteps(objects, head, true)) yield* step.records as AnyBody[];
  };
  const isNew = known.offset === 0 && known.cursor === null;
  const lines = (): Iterable<Line> => transcriptLines(text.pieces(0));
  const { cursor } = known;
  const resume = isNew ? null : { cursor, kept, rewritten, lines, isEarlier: isEarlier(known) };
  return readerWithPaths(agent, resume, besideOf(agent, text.file));
}

function turnsFor(repository: Repository, chain: Chain, agent: string, text: TranscriptText): Turns {
  const { session_id, base } = chain.session;
  const { objects, project: root } = repository;
  const fresh = { task: undefined, before: undefined };
  return new Turns({ repository, objects, chain, agent, base, session_id, ...fresh, root, text });
}

/** A session with the records that are not in its steps yet, oldest first. */
export type Said = Pick<Increment, 'chain' | 'session'> & { records: readonly Pick<StepRecord, 'record' | 'whole'>[] };

/** Yields the records of a session, the latest first. */
function* latest(repository: Repository, { chain, records }: Said): Generator<StoredRecord> {
  yield* records.map((item) => item.whole ?? item.record).toReversed();
  for (const step of latestSteps(repository, chain)) yield* step.toReversed();
}

/** Returns the user's last words: from the new records, else from the latest steps, else the task. */
export function lastPrompt(repository: Repository, said: Said): string {
  /** A response that may have answered a tool during a turn: the question before it decides. */
  let answer: string | null = null;
  for (const record of latest(repository, said)) {
    if (answer !== null && isKind(record, 'transition') && record.to.kind === 'AwaitingUser') {
      if (record.of_tool !== true) return answer;
      answer = null;
    }
    const words = answersTool(record) ? null : wordsOf(record, said.session.agent);
    if (words === null) continue;
    if (answer !== null) return answer;
    if (!isKind(record, 'note') || record.role !== 'response') return words;
    answer = words;
  }
  return answer ?? said.session.task_description;
}

/** Returns whether the user has said something since the last move; a transcript may deliver older words late. */
export function hasSpoken(repository: Repository, said: Said): boolean {
  let spoken = 0;
  for (const record of latest(repository, said)) {
    if (record.kind === 'transition') return spoken > record.at;
    if (wordsOf(record, said.session.agent) !== null) spoken = Math.max(spoken, record.at);
  }
  return false;
}

/** Returns what the agent has said since the user's last words, by its transcript. */
export function agentSaid(repository: Repository, said: Said): string {
  const texts: string[] = [];
  for (const record of latest(repository, said)) {
    if (wordsOf(record, said.session.agent) !== null) break;
    if (isKind(record, 'message') && record.message.role === 'assistant') texts.unshift(...textsOf(record.message));
  }
  return texts.join('\n');
}

/** Returns the words that have confirmed a session that is Complete; null if it was confirmed by a command. */
export function confirmingWords(repository: Repository, chain: Chain): string | null {
  for (const step of latestSteps(repository, chain)) {
    const move = step.find((record) => isKind(record, 'transition') && record.to.kind === 'Complete');
    if (move) return wordsOfConfirmation(move);
  }
  return null;
}

/** Returns the move that put the waiting question of a session. */
export function waitingQuestion(repository: Repository, chain: Chain): StoredRecord | undefined {
  for (const step of latestSteps(repository, chain)) {
    const asked = step.findLast((record) => isKind(record, 'transition') && record.to.kind === 'AwaitingUser');
    if (asked) return asked;
  }
  return undefined;
}

/** Returns whether a tool has put the waiting question of a session, within a turn. */
export const isToolsQuestion = (repository: Repository, chain: Chain): boolean =>
  waitingQuestion(repository, chain)?.['of_tool'] === true;

/**
 * Returns the question that a turn ended with and that still waits: the user has asked something back, and the agent
 * has looked into it with tools, which made it Running, and has written nothing. Null if there is none.
 */
export function openQuestion(repository: Repository, said: Said): Standing | null {
  let question: Standing | null = null;
  let spoken = 0;
  for (const record of latest(repository, said)) {
    if (isKind(record, 'transition')) {
      const { from, to } = record;
      if (question !== null)
        return to.kind === 'AwaitingUser' && !record.of_tool && spoken >= record.at ? question : null;
      if (from?.kind !== 'AwaitingUser' || to.kind !== 'Running') return null;
      question = { question: from.question, asked_at: from.asked_at };
    } else if (record.kind === 'write' || (isKind(record, 'note') && record.role === 'response')) return null;
    else if (wordsOf(record, said.session.agent) !== null) spoken = Math.max(spoken, record.at);
  }
  return null;
}

/**
 * Returns a user's words from a message of the transcript, a note, or the message that raised a question of ctx's; else
 * null.
 * @param agent the agent of the session
 */
export function wordsOf(record: StoredRecord, agent: string | null): string | null {
  if (isKind(record, 'message')) return wordsOfMessage(record.message, agent);
  return wordsOfChoice(record) ?? wordsOfNote(record);
}

const textsOf = ({ parts }: Pick<Message, 'parts'>): string[] =>
  parts.flatMap((part) => (part.type === 'text' && 'text' in part ? [part.text] : []));

/** Returns whether opencode marks a part as its own. */
const isMarked = (part: object): boolean => ['synthetic', 'ignored'].some((mark) => Reflect.get(part, mark) === true);

function wordsOfMessage(message: Message, agent: string | null): string | null {
  const { role, metadata } = message;
  // Text that the program writes in the user's name is not the user's.
  const isTheirs = !['is_meta', 'is_compact_summary', 'is_sidechain'].some((key) => metadata?.[key] === true);
  if (role !== 'user' || !isTheirs) return null;
  const texts = textsOf({ parts: message.parts.filter((part) => !isMarked(part)) });
  return texts.length > 0 ? usersWords(agent, texts) : null;
}
