/** `ctx ingest`: a transcript becomes a session, or gives one what is new in it. */
import type { Agent, TranscriptEvent } from '../agents/agent.ts';
import { CtxError } from '../core/errors.ts';
import { LINE_LIMIT, type Line, readLines } from '../core/lines.ts';
import type { AnyBody } from '../core/record.ts';
import { idleSeconds, type Staleness, staleness } from '../core/stale.ts';
import type { SessionState } from '../core/state.ts';
import { plural } from '../core/text.ts';
import { garbageCollector } from '../platform/memory.ts';
import { type BulkStore, inBulk } from '../store/bulk.ts';
import { type Chain, readSteps } from '../store/chain.ts';
import { forgottenStamp } from '../store/forgotten.ts';
import { sessionRef } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { transact } from '../store/transaction.ts';
import { requireMain, sessionIdOf } from './active.ts';
import { type CompactResult, compactSession, endSession } from './compact.ts';
import { withPendingFlushed } from './flush.ts';
import { forgottenIn } from './forgotten-transcript.ts';
import { heardByHooks } from './heard.ts';
import { newSource } from './increment.ts';
import { passedOver } from './passed-over.ts';
import { recogniseTranscript } from './recognise.ts';
import { redactionFor } from './redact.ts';
import { withRestKept } from './rest.ts';
import { findSource, type KnownSource } from './source.ts';
import { isEarlier, readTo, sourceOfText, UNREAD } from './source-file.ts';
import { filledText } from './text.ts';
import { type Position, type Rewriting, rewritingOf, TranscriptLines } from './transcript.ts';
import { aboutAround, foldersAround, located, subAgentsBeside } from './transcript-about.ts';
import type { Recognised, TranscriptText } from './transcript-text.ts';
import { type Tally, Turns } from './turns.ts';
import { refuseWhileOneWaits } from './waiting.ts';

export interface IngestOptions {
  /** Name of the agent; told by the content where absent. */
  agent?: string | undefined;
  /** The task; the first prompt where absent. */
  task?: string | undefined;
  /** Compact the session afterwards. */
  compact?: boolean | undefined;
  /** Leave STAGE as it is even where it names none: another conversation is to be the current one. */
  beside?: boolean | undefined;
  /** The folder that ctx runs in; the project's own where absent. Of some agents' folders only a hash is told. */
  from?: string | undefined;
  /** Told now and then how far it is. */
  progress?: ((text: string) => void) | undefined;
}

export interface IngestResult {
  session_id: string;
  task_description: string;
  session_state: SessionState;
  agent: string;
  agent_session_id: string;
  /** Head of the session's chain. */
  oid: string;
  /** Whether the session is a new one. */
  created: boolean;
  /** Whether the session is open, and whether STAGE names it. */
  open: boolean;
  current: boolean;
  steps_added: number;
  /** What the time since its last activity means. */
  staleness: Staleness;
  messages: number;
  tool_calls: number;
  /** Lines that were read now. */
  lines: number;
  /** Whether the last line is not finished yet. */
  incomplete: boolean;
  /** What has become of lines that were read of it before: what is kept of them stays. Null where they stand as they were. */
  read_before: Rewriting | null;
  /** Records kept as they are, by the agent's own type. */
  unknown: Record<string, number>;
  problems: { line: number; message: string }[];
  compacted: CompactResult | null;
  /** Where transcripts of its sub-agents stand, which were not read. Absent where there are none. */
  sub_agents?: string;
  /** When this conversation was forgotten, in Unix seconds: nothing of it was taken in. Absent where it was not. */
  forgotten_at?: number;
}

/** How often a chain that was moved meanwhile is tried again. */
const TRIES = 3;

/**
 * Ingests one transcript. What was ingested of it before is not ingested again.
 * @throws {CtxError} not_found, invalid_input, busy, damaged; choice_waits, where a question waits in its session
 */
export function ingestTranscript(repository: Repository, file: string, options: IngestOptions = {}): IngestResult {
  if (options.task !== undefined) filledText(options.task, 'The task');
  const recognised = recogniseTranscript(file, options.agent);
  const folder = subAgentsBeside(recognised);
  const result = ingestRecognised(repository, recognised, options);
  return folder === null ? result : { ...result, sub_agents: folder };
}

/** Ingests what was recognised already. @throws {CtxError} invalid_input, io, busy, damaged, choice_waits */
export function ingestRecognised(repository: Repository, transcript: Recognised, options: IngestOptions): IngestResult {
  const { agent, text, ...recognised } = transcript;
  // It may be the name of the file.
  const agentSession = redactionFor(repository).text(recognised.agentSession);
  const forgotten = forgottenIn(repository, transcript, agentSession);
  if (forgotten) return passedOver(repository, agent.name, agentSession, forgotten);
  for (let attempt = 1; ; attempt += 1) {
    const found = findSource(repository, agent.name, agentSession);
    if (found?.open) refuseWhileOneWaits(repository, found.chain.session.session_id);
    const observed = withPendingFlushed(repository, found);
    const { known, added } = withRestKept(repository, observed, { agent, agentSession, text });
    const how = { ...options, agent, agentSession, known, observed };
    const work = inBulk(repository, (objects) => readTranscript(repository, objects, text, how));
    try {
      const result = publish(repository, work, known, options);
      return result.created || added.steps_added === 0 ? result : { ...result, ...added };
    } catch (error) {
      const moved = error instanceof CtxError && error.code === 'busy' && error.data?.pointer !== undefined;
      if (!moved || attempt === TRIES) throw error;
    }
  }
}

interface Work {
  /** What was forgotten when it was read. */
  stamp: string;
  agent: string;
  agentSession: string;
  chain: Chain | null;
  created: boolean;
  tally: Tally;
  lines: number;
  position: Position;
  rewriting: Rewriting | null;
}

interface ReadOptions extends Pick<IngestOptions, 'task' | 'progress' | 'from'> {
  agent: Agent;
  agentSession: string;
  known: KnownSource | null;
  /** The same before a rest was added to it: what hooks have recorded of what is read stands in it. */
  observed: KnownSource | null;
}

/** Reads what is new in a transcript into steps whose objects are durable; moves no pointer. */
function readTranscript(repository: Repository, objects: BulkStore, text: TranscriptText, options: ReadOptions): Work {
  const { agent, agentSession, known, observed } = options;
  const stamp = forgottenStamp(repository);
  const source = sourceOfText(known?.source ?? newSource(agent.name, agentSession, text.file), agent, text);
  const { cursor } = source;
  const rewriting = rewritingOf(text, source);
  const rewritten = rewriting !== null;
  const from = rewritten ? UNREAD : source;
  const kept = (): Iterable<AnyBody> => (known ? keptBodies(repository, known) : []);
  const every = (): Iterable<Line> => readLines(text.pieces(0));
  const reader = agent.reader(known ? { cursor, kept, rewritten, lines: every, isEarlier: isEarlier(source) } : null);
  const continued = known?.open === true;
  const turns = new Turns({
    repository,
    objects,
    chain: continued ? known.chain : null,
    agent: agent.name,
    base: requireMain(repository.objects, (ref) => repository.refs.read(ref)),
    session_id: continued ? known.chain.session.session_id : repository.ids(),
    task: options.task,
    before: known && !continued ? known.chain.session : undefined,
    text,
  });
  const lines = new TranscriptLines(text, from);
  const isHeard = heardByHooks(repository, observed);
  const beside = aboutAround(agent, text.file);
  const folders = foldersAround(repository.project, options.from);
  const take = (event: TranscriptEvent): void => {
    // A later file has told already how the session stands.
    if (continued && isEarlier(source) && ['prompt', 'move', 'about'].includes(event.type)) return;
    if (event.type === 'about') turns.take({ ...event, session: located(event.session, beside, folders) });
    else if (!isHeard(event)) turns.take(event);
  };
  if (beside && !known) turns.take({ type: 'about', session: beside });
  const tidy = garbageCollector();
  let read = 0;
  for (const line of lines) {
    read += 1;
    tidy(line.text?.length ?? 0);
    if (line.text === null) {
      const message = `it is longer than ${LINE_LIMIT / 1_048_576} MiB, and was not kept`;
      turns.take({ type: 'problem', line: line.number, message });
      continue;
    }
    for (const event of reader.line(line.text, line.number)) take(event);
    if (read % 64 === 0)
      options.progress?.(
        `${plural(read, 'line')}, ${plural(turns.tally.messages, 'message')}, ${plural(turns.tally.steps, 'step')}`,
      );
  }
  if (read > 0 || !known) for (const event of reader.end()) take(event);
  const { position } = lines;
  const { offset, sha256 } = position;
  const reached = { transcript: text.file, offset, lines: position.lines, sha256 };
  const chain = turns.finish(readTo(source, reached, reader.cursor()));
  objects.settle();
  return {
    stamp,
    agent: agent.name,
    agentSession,
    chain,
    created: !continued,
    tally: turns.tally,
    lines: read,
    position,
    rewriting,
  };
}

/** What the reader gave before and is kept, long texts whole. */
function* keptBodies(repository: Repository, known: KnownSource): Generator<AnyBody> {
  for (const step of readSteps(repository.objects, known.head, true)) yield* step.records as AnyBody[];
}

/** Moves the pointers: the session's own, STAGE where none is active, and main where it is compacted. */
function publish(repository: Repository, work: Work, known: KnownSource | null, options: IngestOptions): IngestResult {
  const { chain, tally } = work;
  if (tally.steps === 0 || !chain) return unchanged(repository, work, known, options);
  const id = chain.session.session_id;
  const ref = sessionRef(id);
  const old = work.created ? null : (known?.head ?? null);
  return transact(repository, { command: 'ingest', message: 'ingest', logged: true }, (transaction) => {
    const now = transaction.read(ref);
    // Somebody may have ingested the same transcript meanwhile, into the same session or one of his own.
    const other = findSource(repository, work.agent, work.agentSession);
    // What was forgotten meanwhile may stand in it, and what it begins at may be another commit now.
    const stale = forgottenStamp(repository) !== work.stamp;
    if (stale || now !== old || (other?.head ?? null) !== (known?.head ?? null)) {
      throw new CtxError('busy', `${ref} has moved meanwhile.`, {
        hint: 'Run the command again.',
        data: { pointer: ref },
      });
    }
    if (other?.open) refuseWhileOneWaits(repository, id);
    transaction.move(ref, old, chain.head);
    if (!options.beside && transaction.stage() === null) transaction.move('STAGE', null, ref);
    const current = transaction.stage() === ref;
    const compacted = options.compact
      ? endSession(repository, transaction, chain, { ref, head: old ?? chain.head })
      : null;
    return { ...described(repository, work, chain), open: !compacted, current: current && !compacted, compacted };
  });
}

function described(
  repository: Repository,
  work: Work,
  chain: Chain,
): Omit<IngestResult, 'open' | 'current' | 'compacted'> {
  const { tally, position } = work;
  return {
    session_id: chain.session.session_id,
    task_description: chain.session.task_description,
    session_state: chain.session.session_state,
    agent: work.agent,
    agent_session_id: work.agentSession,
    oid: chain.head,
    created: work.created && tally.steps > 0,
    steps_added: tally.steps,
    staleness: staleness(idleSeconds(chain.session.last_activity, repository.clock()), repository.settings),
    messages: tally.messages,
    tool_calls: tally.tool_calls,
    lines: work.lines,
    incomplete: position.incomplete,
    read_before: work.rewriting,
    unknown: tally.unknown,
    problems: tally.problems,
  };
}

/** Nothing new: no pointer moves, unless the session is to be compacted. */
function unchanged(
  repository: Repository,
  work: Work,
  known: KnownSource | null,
  options: IngestOptions,
): IngestResult {
  if (!known) {
    const named = work.tally.problems.map((problem) => `line ${problem.line}: ${problem.message}`).slice(0, 3);
    throw new CtxError('invalid_input', 'There is no conversation in this transcript.', {
      hint: named.length > 0 ? named.join('; ') : undefined,
      data: { problems: work.tally.problems },
    });
  }
  const compacted =
    options.compact && known.open ? compactSession({ ...repository, session: sessionIdOf(known.ref) }) : null;
  const current = !compacted && repository.refs.stage() === known.ref;
  return {
    ...described(repository, work, known.chain),
    created: false,
    open: known.open && !compacted,
    current,
    compacted,
  };
}
