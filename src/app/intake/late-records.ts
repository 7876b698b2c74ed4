/** Adds the rest of a transcript to a session that has ended, as a late step that begins nothing. */
import type { Agent } from '../../agents/contract/agent.ts';
import { choiceBy } from '../../core/choice.ts';
import { reconcile } from '../../core/intake/reconcile.ts';
import {
  Words,
  withoutAnnouncement,
  wordsOfChoice,
  wordsOfConfirmation,
  wordsOfNote,
} from '../../core/intake/words.ts';
import { type AnyBody, isKind, type StoredRecord } from '../../core/records/record.ts';
import { type Source, waitsForTurn } from '../../core/session/session.ts';
import type { Chain } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { beginsTask } from '../../language/index.ts';
import { redactionFor } from '../redaction/redact.ts';
import { transcriptLines } from '../transcript/lines.ts';
import { findSource, type KnownSource, readersOf } from '../transcript/source.ts';
import { linesRead, sourceOfText, UNREAD } from '../transcript/source-file.ts';
import type { TranscriptText } from '../transcript/text.ts';
import { isUnchanged } from '../transcript/transcript.ts';
import { readerOf, STRETCH, takeIncrement, wordsOf } from './increment.ts';
import { stepsSince } from './reach.ts';
import type { Tally } from './tally.ts';
import { turnPrompts } from './turn-prompts.ts';

/** Lines that are tried first, since they are often all there are. */
const FEW = 64;

/** A transcript whose conversation may have a session that has ended. */
interface Rest {
  agent: Agent;
  agentSession: string;
  text: TranscriptText;
  /** The user's current words, if a hook reports that: it begins something new, or nothing. */
  said: string | null;
  /** Most that is read of it, in UTF-16 code units. */
  limit: number;
  /** True if a session that its user has ended counts as ended before it is saved: the caller saves it next. */
  beforeSaving?: true;
}

/** The result of a rest. */
export interface Kept {
  /** The last session of its conversation. */
  chain: Chain;
  /** Sum of the additions to that, or to one before it; null if nothing was. */
  tally: Tally | null;
}

/**
 * Plans a late step with what the transcript has before the next prompt that begins a task; the canonical commit stays
 * as it is. If several sessions have still to read, the first one does.
 * @returns null if the conversation has no session that has ended, or none that reads before an open one; or if what
 * can be read now adds nothing
 */
export function keepRest(repository: Repository, transaction: Transaction, rest: Rest): Kept | null {
  const known = findSource(repository, rest.agent.name, rest.agentSession);
  if (!known || (continues(known, rest) && !known.before)) return null;
  const { chain } = known;
  if (isReadToEnd(known.source, rest)) return { chain, tally: null };
  const readers = readersOf(known);
  for (const [index, reader] of readers.entries()) {
    // Text that an open session reads becomes no late step.
    if (continues(reader, rest)) break;
    const next = readers[index + 1];
    const end = endOfRest(repository, reader, rest, next?.chain.session.task_description ?? null);
    const added = keepPart(repository, transaction, reader, rest, end);
    if (added) return reader === known ? added : { ...added, chain };
    // The next session reads after this one has finished.
    if (end.isPart) return null;
  }
  return { chain, tally: null };
}

/** Returns whether a session continues beyond its own rest. */
const continues = ({ open, chain }: KnownSource, { beforeSaving }: Pick<Rest, 'beforeSaving'>): boolean =>
  open && !(beforeSaving && waitsForTurn(chain.session));

/** Plans a late step of a session with the lines before an end; null if they add nothing. */
function keepPart(
  repository: Repository,
  transaction: Transaction,
  { chain, source, ref, head }: KnownSource,
  { agent, text }: Rest,
  { before, isPart }: End,
): Kept | null {
  const timeLeft = (): number => Number.POSITIVE_INFINITY;
  const reading = { agent, known: source, file: text.file, text, said: null, before, isPart, timeLeft };
  const increment = takeIncrement(repository, chain, reading);
  const { records, session, news, tally } = increment;
  if (!tally) return null;
  const at = repository.clock();
  const flushed = flushInto(repository, increment.chain, at, { own: records, session, news });
  transaction.move(ref, head, flushed.chain.head);
  transaction.afterwards(flushed.clean);
  return { chain: flushed.chain, tally };
}

/**
 * Adds the whole rest, also to a session which its user has ended and which is not saved yet.
 * @param known the session that has most of the transcript
 * @returns the same afterwards, and what was added to it
 */
export function withRestKept(
  repository: Repository,
  known: KnownSource | null,
  { agent, agentSession, text }: Pick<Rest, 'agent' | 'agentSession' | 'text'>,
): { known: KnownSource | null; added: RestAdded } {
  const rest: Rest = { agent, agentSession, text, said: null, limit: STRETCH, beforeSaving: true };
  const added: RestAdded = { steps_added: 0, messages: 0, tool_calls: 0, lines: 0 };
  for (let now = known; ; ) {
    if (!now || (continues(now, rest) && !now.before) || isReadToEnd(now.source, rest)) return { known: now, added };
    const lines = linesRead(now.source);
    const kept = transact(repository, { command: 'ingest', message: 'late step' }, (transaction) =>
      keepRest(repository, transaction, rest),
    );
    now = findSource(repository, agent.name, agentSession);
    if (!kept?.tally) return { known: now, added };
    added.steps_added += kept.tally.steps + 1;
    added.messages += kept.tally.messages;
    added.tool_calls += kept.tally.tool_calls;
    added.lines += Math.max(0, (now ? linesRead(now.source) : lines) - lines);
  }
}

const isReadToEnd = (source: Source, { agent, text }: Pick<Rest, 'agent' | 'text'>): boolean =>
  text.size() === sourceOfText(source, agent, text).offset;

/** Number of records that a rest has added to its session. */
export interface RestAdded {
  steps_added: number;
  messages: number;
  tool_calls: number;
  lines: number;
}

/** The end of a rest. */
export interface End {
  /** Number of the line after it. */
  before: number;
  /** True if the rest continues there: it was too much to be read now. */
  isPart: boolean;
  /** True if the next task begins there. */
  isTask: boolean;
}

/**
 * Finds the end of a rest: the next prompt that begins a task, or the limit of what is read now. A reader holds back
 * events until a turn is over, so that the line is found by doubling, then by bisection.
 * @param next the task of the next session; null if none has been begun
 */
export function endOfRest(
  repository: Repository,
  known: Pick<KnownSource, 'chain' | 'source'>,
  { agent, text, said, limit }: Pick<Rest, 'agent' | 'text' | 'said' | 'limit'>,
  next: string | null,
): End {
  const source = sourceOfText(known.source, agent, text);
  const rewritten = !isUnchanged(text, source);
  const { lines, behind, isAll } = linesAfter(text, rewritten ? UNREAD : source, limit);
  const finder = taskFinder(repository, known, next === null ? said : null, next);
  const isAmong = (count: number): boolean => {
    const reader = readerOf(repository, known.chain, { agent, known: source, text }, rewritten);
    const begins = finder();
    const read = lines.slice(0, count).flatMap((line) => [...reader.line(line.text, line.number)]);
    const isPrompt = turnPrompts(rewritten ? undefined : source.cursor);
    return [...read, ...reader.end()].some((event) => isPrompt(event) && event.type === 'prompt' && begins(event.text));
  };
  let [without, within] = [0, Math.min(FEW, lines.length)];
  while (!isAmong(within)) {
    if (within === lines.length) return { before: behind, isPart: !isAll, isTask: false };
    [without, within] = [within, Math.min(within * 2, lines.length)];
  }
  while (within - without > 1) {
    const middle = Math.floor((without + within) / 2);
    if (isAmong(middle)) within = middle;
    else without = middle;
  }
  return { before: lines[within - 1]?.number ?? behind, isPart: false, isTask: true };
}

/**
 * Returns whether the agent has said or done anything after the last prompt of a rest: then the end of a turn is that
 * of this one, and not of the one before, whose end may come after the next prompt.
 */
export function isWorkedOn(
  repository: Repository,
  known: KnownSource,
  { agent, text, limit }: Pick<Rest, 'agent' | 'text' | 'limit'>,
): boolean {
  // Text that the session has not read yet may be its own.
  if (known.source.whole_after !== undefined || isReadToEnd(known.source, { agent, text })) return false;
  const source = sourceOfText(known.source, agent, text);
  if (!isUnchanged(text, source)) return false;
  const reader = readerOf(repository, known.chain, { agent, known: source, text }, false);
  const lines = linesAfter(text, source, limit).lines.flatMap((line) => [...reader.line(line.text, line.number)]);
  const events = [...lines, ...reader.end()];
  const asked = events.map(turnPrompts(source.cursor)).lastIndexOf(true);
  return asked >= 0 && events.slice(asked).some((event) => event.type === 'record' && isOfAgent(event.body));
}

const isOfAgent = (body: AnyBody): boolean =>
  body.kind === 'message' && (body as { message?: { role?: unknown } }).message?.role === 'assistant';

/** Returns the next complete lines of a transcript, the number of the line after them, and whether they are all. */
function linesAfter(
  text: TranscriptText,
  from: { offset: number; lines: number },
  limit: number,
): { lines: { text: string; number: number }[]; behind: number; isAll: boolean } {
  const lines: { text: string; number: number }[] = [];
  let length = 0;
  let behind = from.lines + 1;
  for (const line of transcriptLines(text.pieces(from.offset), behind, from.offset)) {
    if (!line.complete) break;
    if (length >= limit) return { lines, behind, isAll: false };
    behind = line.number + 1;
    length += line.text?.length ?? 0;
    if (line.text !== null && line.text.trim() !== '') lines.push({ text: line.text, number: line.number });
  }
  return { lines, behind, isAll: true };
}

/**
 * Returns a function that says, prompt by prompt of a rest, whether one begins a task of its own: none that the session
 * has recorded, nor the words that it was ended with, nor thanks for it, nor an answer to ctx.
 * @param said what the user is saying now
 * @param next the task of the next session, which hooks have recorded
 */
function taskFinder(
  repository: Repository,
  known: Pick<KnownSource, 'chain' | 'source'>,
  said: string | null,
  next: string | null,
): () => (prompt: string) => boolean {
  const { session_state: state, task_description: task } = known.chain.session;
  const redaction = redactionFor(repository);
  let taken: WordsOfSession | undefined;
  const begins = (prompt: string, words: Words): boolean => {
    if (prompt.trim() === '') return false;
    if (said !== null && prompt.trim() === said.trim()) return true;
    const message = redaction.text(prompt);
    const event = { kind: 'prompt', words: message, at: Number.POSITIVE_INFINITY } as const;
    // The user may have said the same before, to this session.
    const isLeft = reconcile({ words }, { ...event, from: 'transcript' }) !== 'new';
    if (next !== null && isTaskFrom(next, message)) return !isLeft;
    // The answer to a question of ctx's that has ended the session: with it the agent continues its work.
    if (choiceBy('stale_session', prompt) !== null) return false;
    if (state.kind === 'Aborted' && state.reason.trim() === message.trim()) return false;
    return reconcile({ words }, { ...event, from: 'rest' }) === 'new' && beginsTask(message.trim(), task);
  };
  return () => {
    taken ??= wordsOfSession(repository, known, next);
    const words = new Words(taken.said, 0, taken.inTranscript);
    return (prompt) => begins(prompt, words);
  };
}

/** Returns whether a task is what the user said then: the answer to a question of ctx's may have added more. */
const isTaskFrom = (task: string, said: string): boolean =>
  [said, withoutAnnouncement(said)].some(
    (words) => task.trim() === words.trim() || task.startsWith(`${words.trim()}\n\n`),
  );

/**
 * Returns the user's words in a record of a hook. What raised a question was deferred, unless the answer has begun it.
 */
function wordsTakenUp(record: StoredRecord, next: string | null): string | null {
  if (isKind(record, 'task')) return record.content;
  const raised = wordsOfChoice(record);
  if (raised !== null) return next !== null && isTaskFrom(next, raised) ? null : raised;
  return wordsOfConfirmation(record) ?? wordsOfNote(record);
}

interface WordsOfSession {
  said: string[];
  /** Those that the transcript itself contained by then: it may lag. */
  inTranscript: string[];
}

/** Reads what the user had said to the session by the last reading of its transcript, and since. */
function wordsOfSession(
  repository: Repository,
  { chain, source }: Pick<KnownSource, 'chain' | 'source'>,
  next: string | null,
): WordsOfSession {
  const found: WordsOfSession = { said: [], inTranscript: [] };
  // If nothing was read, the transcript may contain everything that was said to the session.
  for (const step of stepsSince(repository, chain, source))
    for (const record of step) {
      const isInTranscript = isKind(record, 'message');
      const words = isInTranscript ? wordsOf(record, chain.session.agent) : wordsTakenUp(record, next);
      if (words !== null) (isInTranscript ? found.inTranscript : found.said).push(words);
    }
  return found;
}
