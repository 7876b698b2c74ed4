/** Counts the turns of a transcript, and those that a session has, with the agent's own reader. */
import type { Agent, Beyond, Resume, TranscriptEvent } from '../../agents/contract/agent.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Source } from '../../core/session/session.ts';
import { readSteps } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { beginsTask, DEEDS } from '../../language/index.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { turnPrompts } from '../intake/turn-prompts.ts';
import { NOT_KEPT } from '../transcript/lines.ts';
import { besideOf } from '../transcript/neighbouring-files.ts';
import { typeOfRaw } from '../transcript/silent-transcript.ts';
import type { KnownReading } from '../transcript/source.ts';
import { isEarlier, sourceOfText, UNREAD } from '../transcript/source-file.ts';
import type { TranscriptText } from '../transcript/text.ts';
import { isUnchanged, TranscriptLines } from '../transcript/transcript.ts';

/** A line of a transcript that could not be read, or is left out. */
export interface LostLine {
  line: number;
  message: string;
}

/** All such lines of a transcript. */
export interface Lost {
  /** Number of them. */
  lines: number;
  first: LostLine[];
  /** The turns that they are part of, from 1; 0 before the first prompt. */
  turns: ReadonlySet<number>;
}

/** Most of them that are named. */
const NAMED = 20;

/** The content of a transcript, or of a part of it. An unfinished line does not count. */
export interface Count {
  /** Prompts of the user in the main conversation, except answers that a turn waits for: each begins a turn. */
  turns: number;
  /** True if it begins with the rest of a turn that the part before began. */
  is_rest: boolean;
  /** Times of the first and the last event, in Unix seconds; null if none has one. */
  first_at: number | null;
  last_at: number | null;
  /** Lines that could not be read, or are left out. */
  lost: Lost;
  /** Types of records that are kept raw; empty for a document. */
  raw: ReadonlySet<string>;
  /** Parts of the conversation that may be in other files. */
  beyond: (Beyond & { message: string })[];
  /** True if it is that of a sub-agent. */
  isSubAgents: boolean;
  /** Byte offset behind what was counted. */
  offset: number;
}

/** Counts the events of a transcript from a position on. */
function countFrom(
  text: TranscriptText,
  agent: Agent,
  from: Pick<Source, 'offset' | 'lines'>,
  resume: Resume | null,
): Count {
  const count: Counting = {
    isPrompt: turnPrompts(resume?.cursor),
    turns: 0,
    is_rest: false,
    first_at: null,
    last_at: null,
    lost: { lines: 0, first: [], turns: new Set() },
    raw: new Set(),
    beyond: [],
    isSubAgents: false,
    left_out: new Set(),
    offset: from.offset,
  };
  const lines = new TranscriptLines(text, from);
  const reader = agent.reader(resume, besideOf(agent, text.file));
  for (const line of lines) {
    tidyAfter(line.text?.length ?? 0);
    if (line.text === null) count.left_out.add(line.number);
    // The reader reports a line that is no record at its place among the events that it holds back.
    for (const event of reader.line(line.text ?? NO_RECORD, line.number)) tally(count, event);
  }
  // A reader may hold back events until a turn is over.
  if (lines.position.offset > from.offset) for (const event of reader.end()) tally(count, event);
  const { isPrompt: _, left_out: _2, lost, ...counted } = count;
  const first = lost.first.map(({ line, message }) => ({ line: text.lineInFile(line), message }));
  return { ...counted, lost: { ...lost, first }, offset: lines.position.offset };
}

interface Counting extends Count {
  /** Returns whether an event begins a turn. */
  isPrompt: (event: TranscriptEvent) => boolean;
  lost: Lost & { turns: Set<number> };
  raw: Set<string>;
  /** Lines that are too long to be kept. */
  left_out: Set<number>;
}

/** Replaces a line that is too long. */
const NO_RECORD = '(left out)';

function lose({ lost, turns, left_out }: Counting, { line, message }: LostLine): void {
  lost.lines += 1;
  lost.turns.add(turns);
  if (lost.first.length < NAMED) lost.first.push({ line, message: left_out.has(line) ? NOT_KEPT : message });
}

function tally(count: Counting, event: TranscriptEvent): void {
  if (event.type === 'problem' && !event.all_read) lose(count, event);
  if (event.type === 'problem' && event.beyond) count.beyond.push({ ...event.beyond, message: event.message });
  if (event.type === 'about') count.isSubAgents ||= event.session.sub_agent_type !== undefined;
  const type = typeOfRaw(event);
  if (type !== undefined) count.raw.add(type);
  if (count.isPrompt(event)) count.turns += 1;
  // A record of the program's own belongs to no turn.
  if (event.type === 'record' && event.body.kind !== 'raw') count.is_rest ||= count.turns === 0;
  if (!('at' in event) || event.at <= 0) return;
  count.first_at = Math.min(count.first_at ?? event.at, event.at);
  count.last_at = Math.max(count.last_at ?? event.at, event.at);
}

/** Counts a whole transcript. @throws {CtxError} io */
export const countTurns = (text: TranscriptText, agent: Agent): Count => countFrom(text, agent, UNREAD, null);

/** Counts the turns of another text that the first one of the same conversation does not have. @throws {CtxError} io */
export function turnsBeyond(first: TranscriptText, agent: Agent, other: TranscriptText): number {
  const reader = agent.reader(null, besideOf(agent, first.file));
  const kept: AnyBody[] = [];
  const keep = (event: TranscriptEvent): void => {
    if (event.type === 'record') kept.push(event.body);
  };
  for (const line of new TranscriptLines(first, UNREAD)) {
    tidyAfter(line.text?.length ?? 0);
    if (line.text !== null) for (const event of reader.line(line.text, line.number)) keep(event);
  }
  for (const event of reader.end()) keep(event);
  const resume = { cursor: reader.cursor(), kept: () => kept, rewritten: true };
  return countFrom(other, agent, UNREAD, resume).turns;
}

/**
 * Returns whether a transcript has anything that begins a session: thanks alone, and the answer to them, do not.
 * @throws {CtxError} io
 */
export function beginsSession(text: TranscriptText, agent: Agent): boolean {
  const begins = (event: TranscriptEvent): boolean =>
    (event.type === 'prompt' && event.text.trim() !== '' && beginsTask(event.text)) ||
    (event.type === 'record' && DEEDS.includes(event.body.kind));
  const reader = agent.reader(null);
  for (const line of new TranscriptLines(text, UNREAD)) {
    tidyAfter(line.text?.length ?? 0);
    if (line.text !== null) for (const event of reader.line(line.text, line.number)) if (begins(event)) return true;
  }
  for (const event of reader.end()) if (begins(event)) return true;
  return false;
}

/**
 * Counts what a session does not have yet of a transcript: exactly what an ingest would add.
 * @param end the offset of the end of the transcript
 * @throws {CtxError} io, damaged
 */
export function countMissing(
  repository: Repository,
  text: TranscriptText,
  agent: Agent,
  known: KnownReading,
  end: number,
): Pick<Count, 'turns' | 'is_rest'> {
  const { head } = known;
  const source = sourceOfText(known.source, agent, text);
  const rewritten = !isUnchanged(text, source);
  if (!rewritten && source.offset === end) return { turns: 0, is_rest: false };
  const kept = function* (): Generator<AnyBody> {
    for (const step of readSteps(repository.objects, head, true)) yield* step.records as AnyBody[];
  };
  const from = rewritten ? { offset: 0, lines: 0 } : source;
  const { cursor } = source;
  const { turns, is_rest } = countFrom(text, agent, from, { cursor, kept, rewritten, isEarlier: isEarlier(source) });
  // Lines before the first prompt of a file that was never read are no rest of a turn.
  return { turns, is_rest: is_rest && source.offset > 0 };
}
