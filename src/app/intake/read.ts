/** Reads a transcript into the steps of a session, without moving a pointer. */
import type { Agent, TranscriptEvent } from '../../agents/contract/agent.ts';
import { readerWithPaths } from '../../agents/shared/secret-calls.ts';
import type { Line } from '../../core/lines.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { plural } from '../../core/text.ts';
import { inPack, type PackStore } from '../../git/objects/bulk-pack.ts';
import { loosenHead } from '../../health/gc/loose-head.ts';
import { type Chain, readSteps } from '../../history/chain/chain.ts';
import { forgottenStamp } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { beginsTask } from '../../language/index.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { redactionFor } from '../redaction/redact.ts';
import { requireMain } from '../session/active.ts';
import { aboutAround, foldersAround, withFolder } from '../transcript/about.ts';
import { NOT_KEPT, SHORTENED, transcriptLines } from '../transcript/lines.ts';
import { besideOf } from '../transcript/neighbouring-files.ts';
import type { KnownSource } from '../transcript/source.ts';
import { advanceSource, hashedNone, isEarlier, sourceOfText, UNREAD } from '../transcript/source-file.ts';
import type { TranscriptText } from '../transcript/text.ts';
import { type Position, type Rewriting, rewritingOf, TranscriptLines } from '../transcript/transcript.ts';
import { Child } from './child.ts';
import { FirstTask } from './first-task.ts';
import { newSource } from './increment.ts';
import type { IngestOptions } from './result.ts';
import { storedEventFinder } from './stored-events.ts';
import type { Tally } from './tally.ts';
import { Turns } from './turns.ts';

/** A transcript that was read into steps. It is plain data: threads exchange it. */
export interface Work {
  /** The stamp of what was forgotten when it was read. */
  stamp: string;
  agent: string;
  agentSession: string;
  chain: Chain | null;
  /** The names that keep the packs of its objects until a pointer names them. */
  kept: readonly string[];
  created: boolean;
  tally: Tally;
  lines: number;
  position: Position;
  rewriting: Rewriting | null;
  /** True if there is something in it, but nothing that begins a session. */
  isUnbegun: boolean;
}

interface ReadOptions extends Pick<IngestOptions, 'task' | 'progress' | 'from'> {
  agent: Agent;
  agentSession: string;
  /** The key of its first line, if its file states no id. */
  first_line: string | undefined;
  known: KnownSource | null;
  /** The same before late records were added: it has the hooks' records of what is read. */
  observed: KnownSource | null;
}

/** The problem of a line that is read all the same. */
const MALFORMED = 'holds bytes that are no UTF-8; U+FFFD is kept in their place';

/** Reads what is new in a transcript into steps whose objects are durable; moves no pointer. */
export function readTranscript(repository: Repository, text: TranscriptText, options: ReadOptions): Work {
  return inPack(repository, (objects) => readInto(objects, repository, text, options));
}

function readInto(objects: PackStore, repository: Repository, text: TranscriptText, options: ReadOptions): Work {
  const { agent, agentSession, first_line, known, observed } = options;
  const stamp = forgottenStamp(repository);
  const begins = first_line === undefined ? {} : { first_line };
  const fresh = { ...newSource(agent.name, agentSession, text.file), ...begins };
  const source = sourceOfText(known?.source ?? fresh, agent, text);
  const { cursor } = source;
  const rewriting = rewritingOf(text, source);
  const rewritten = rewriting !== null;
  const from = rewritten ? UNREAD : source;
  const kept = (): Iterable<AnyBody> => (known ? keptBodies(repository, known) : []);
  const every = (): Iterable<Line> => transcriptLines(text.pieces(0));
  const resume = known ? { cursor, kept, rewritten, lines: every, isEarlier: isEarlier(source) } : null;
  const reader = readerWithPaths(agent, resume, besideOf(agent, text.file));
  const continued = known?.open === true;
  const turns = new Turns({
    repository,
    objects,
    chain: continued ? known.chain : null,
    agent: agent.name,
    base: requireMain(repository.objects, (ref) => repository.refs.read(ref)),
    session_id: continued ? known.chain.session.session_id : repository.ids(),
    task: options.task,
    isTask: beginsTask,
    known: rewritten ? undefined : known?.source,
    before: known && !continued ? known.chain.session : undefined,
    text,
  });
  const lines = new TranscriptLines(text, from);
  const beside = aboutAround(agent, text.file);
  const child = new Child(known?.chain.session, beside, kept);
  const isStored = storedEventFinder(repository, observed, agent, () => {
    const { parent } = child;
    return parent === undefined ? null : { agent: agent.name, agent_session: redactionFor(repository).text(parent) };
  });
  const folders = foldersAround(repository.project, options.from);
  const isBegun = known !== null || options.task !== undefined;
  const first = new FirstTask((event) => turns.take(event), isBegun, agent.hasNoResults === true);
  const take = (given: TranscriptEvent): void => {
    const event = child.hear(given);
    // A later file has already set the state of the session.
    if (continued && isEarlier(source) && ['prompt', 'more', 'move', 'about'].includes(event.type)) return;
    if (event.type === 'about') turns.take({ ...event, session: withFolder(event.session, beside, folders) });
    if (event.type === 'about' || isStored(event)) return;
    // The first message to a sub-agent is its task, whatever it says.
    if (child.parent !== undefined) first.begin();
    first.take(event);
  };
  if (beside && !known) turns.take({ type: 'about', session: withFolder(beside, beside, folders) });
  let [read, counted] = [0, 0];
  for (const line of lines) {
    read += 1;
    if (text.isCounted?.(line.number) !== false) counted += 1;
    tidyAfter(line.text?.length ?? 0);
    if (line.text === null) {
      turns.take({ type: 'problem', line: line.number, message: NOT_KEPT });
      continue;
    }
    if (line.isShortened) turns.take({ type: 'problem', line: line.number, message: SHORTENED, all_read: true });
    if (line.isMalformed) turns.take({ type: 'problem', line: line.number, message: MALFORMED });
    for (const event of reader.line(line.text, line.number)) take(event);
    if (read % 64 === 0)
      options.progress?.(
        () =>
          `${Math.floor((100 * lines.position.offset) / text.size())} %, ${plural(read, 'line')}, ${plural(turns.tally.messages, 'message')}, ${plural(turns.tally.steps, 'step')}`,
      );
  }
  if (read > 0 || !known) for (const event of reader.end()) take(event);
  const isUnbegun = first.end();
  const { position } = lines;
  const { offset, sha256 } = position;
  const hashed = text.isTail ? hashedNone(offset) : { sha256 };
  const reached = { transcript: text.file, offset, lines: position.lines, ...hashed };
  const moved_before = turns.movedBefore;
  const chain = turns.finish({ ...advanceSource(source, reached, reader.cursor()), moved_before });
  // An ingest may leave hundreds of packs.
  if (chain && turns.tally.steps > 0) loosenHead(objects, chain.head);
  objects.publish();
  return {
    stamp,
    agent: agent.name,
    agentSession,
    chain,
    kept: objects.kept(),
    created: !continued,
    tally: turns.tally,
    lines: counted,
    position,
    rewriting,
    isUnbegun,
  };
}

/** Yields what the reader returned before and is kept, with long texts. */
function* keptBodies(repository: Repository, known: KnownSource): Generator<AnyBody> {
  for (const step of readSteps(repository.objects, known.head, true)) yield* step.records as AnyBody[];
}
