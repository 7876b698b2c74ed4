/** `ctx ingest`: a transcript becomes a session, or gives one what is new in it. */

import type { Agent } from '../agents/agent.ts';
import { CtxError } from '../core/errors.ts';
import { LINE_LIMIT } from '../core/lines.ts';
import type { AnyBody } from '../core/record.ts';
import { idleSeconds, type Staleness, staleness } from '../core/stale.ts';
import type { SessionState } from '../core/state.ts';
import { plural } from '../core/text.ts';
import { garbageCollector } from '../platform/memory.ts';
import { bulkStore } from '../store/bulk.ts';
import { type Chain, readChain, readSteps } from '../store/chain.ts';
import { flushInto } from '../store/flush.ts';
import { sessionRef } from '../store/layout.ts';
import { sessionsWithPending } from '../store/pending.ts';
import type { Repository } from '../store/repository.ts';
import { transact } from '../store/transaction.ts';
import { requireMain, sessionIdOf } from './active.ts';
import { type CompactResult, compactSession, endSession } from './compact.ts';
import { findSource, type KnownSource } from './source.ts';
import { filledText } from './text.ts';
import { type Position, recogniseTranscript, stillStands, TranscriptLines } from './transcript.ts';
import { type Tally, Turns } from './turns.ts';

export interface IngestOptions {
  /** Name of the agent; told by the content where absent. */
  agent?: string | undefined;
  /** The task; the first prompt where absent. */
  task?: string | undefined;
  /** Compact the session afterwards. */
  compact?: boolean | undefined;
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
  /** Records kept as they are, by the agent's own type. */
  unknown: Record<string, number>;
  problems: { line: number; message: string }[];
  compacted: CompactResult | null;
}

/** How often a chain that was moved meanwhile is tried again. */
const TRIES = 3;

/**
 * Ingests one transcript. What was ingested of it before is not ingested again.
 * @throws {CtxError} not_found, invalid_input, busy, damaged
 */
export function ingestTranscript(repository: Repository, file: string, options: IngestOptions = {}): IngestResult {
  if (options.task !== undefined) filledText(options.task, 'The task');
  const { agent, agentSession } = recogniseTranscript(file, options.agent);
  for (let attempt = 1; ; attempt += 1) {
    const known = withPendingFlushed(repository, findSource(repository, agent.name, agentSession));
    const work = readTranscript(repository, file, { ...options, agent, agentSession, known });
    try {
      return publish(repository, work, known, options);
    } catch (error) {
      const moved = error instanceof CtxError && error.code === 'busy' && error.data?.pointer !== undefined;
      if (!moved || attempt === TRIES) throw error;
    }
  }
}

/** What somebody observed beside the transcript becomes a step of its own first. */
function withPendingFlushed(repository: Repository, known: KnownSource | null): KnownSource | null {
  if (!known?.open || !sessionsWithPending(repository).includes(known.chain.session.session_id)) return known;
  transact(repository, { command: 'ingest', message: 'flush before ingest' }, (transaction) => {
    const head = transaction.read(known.ref) ?? known.head;
    const flushed = flushInto(repository, readChain(repository.objects, head, known.ref), repository.clock());
    transaction.move(known.ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
  });
  const head = repository.refs.read(known.ref) ?? known.head;
  return { ...known, head, chain: readChain(repository.objects, head, known.ref) };
}

interface Work {
  agent: string;
  agentSession: string;
  chain: Chain | null;
  created: boolean;
  tally: Tally;
  lines: number;
  position: Position;
}

interface ReadOptions extends Pick<IngestOptions, 'task' | 'progress'> {
  agent: Agent;
  agentSession: string;
  known: KnownSource | null;
}

/** Reads what is new in a transcript into steps whose objects are durable; moves no pointer. */
function readTranscript(repository: Repository, file: string, options: ReadOptions): Work {
  const { agent, agentSession, known } = options;
  const rewritten = known !== null && !stillStands(file, known.source);
  const from = known && !rewritten ? known.source : { offset: 0, lines: 0 };
  const kept = (): Iterable<AnyBody> => (known ? keptBodies(repository, known) : []);
  const reader = agent.reader(known ? { cursor: known.source.cursor, kept, rewritten } : null);
  const objects = bulkStore(repository);
  const continued = known?.open === true;
  const turns = new Turns({
    repository,
    objects,
    chain: continued ? known.chain : null,
    agent: agent.name,
    base: requireMain(repository.objects, (ref) => repository.refs.read(ref)),
    session_id: continued ? known.chain.session.session_id : repository.ids(),
    task: options.task ?? (known && !continued ? known.chain.session.task_description : undefined),
    before: known && !continued ? known.chain.session : undefined,
  });
  const lines = new TranscriptLines(file, from);
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
    for (const event of reader.line(line.text, line.number)) turns.take(event);
    if (read % 64 === 0)
      options.progress?.(
        `${plural(read, 'line')}, ${plural(turns.tally.messages, 'message')}, ${plural(turns.tally.steps, 'step')}`,
      );
  }
  if (read > 0 || !known) for (const event of reader.end()) turns.take(event);
  const { position } = lines;
  const chain = turns.finish({
    agent: agent.name,
    agent_session_id: agentSession,
    transcript: file,
    offset: position.offset,
    lines: position.lines,
    sha256: position.sha256,
    cursor: reader.cursor(),
  });
  objects.settle();
  return { agent: agent.name, agentSession, chain, created: !continued, tally: turns.tally, lines: read, position };
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
    if (now !== old || (other?.head ?? null) !== (known?.head ?? null)) {
      throw new CtxError('busy', `${ref} has moved meanwhile.`, {
        hint: 'Run the command again.',
        data: { pointer: ref },
      });
    }
    transaction.move(ref, old, chain.head);
    if (transaction.stage() === null) transaction.move('STAGE', null, ref);
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
    throw new CtxError('invalid_input', 'There is nothing in this transcript that could be kept.', {
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
