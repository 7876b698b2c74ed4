/** Converts the events of a transcript to steps of a session: a turn is a step, with the state that the transcript implies. */
import type { About, TranscriptEvent } from '../../agents/contract/agent.ts';
import type { Stored } from '../../core/intake/reconcile.ts';
import { isUnnamed, named, UNTITLED } from '../../core/listing/title.ts';
import { type AnyBody, isKind } from '../../core/records/record.ts';
import { isOfFile } from '../../core/records/table.ts';
import { newSession, type Session, type Source, type TokenUsage } from '../../core/session/session.ts';
import { backToRunning, MOVES, planMove, type SessionState, type Verb } from '../../core/state.ts';
import { oneLine } from '../../core/text.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, type StepRecord, writeStep } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ForgottenFilter, forgottenFilterOf } from '../redaction/forgotten-filter.ts';
import { resumeOpenKeys } from '../redaction/open-key.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { moveRecords } from '../session/move.ts';
import { type Draft, prepareRecord } from '../session/records.ts';
import { keepingOf, snapshotContent, statedPath } from '../session/snapshot.ts';
import { parentOf, STATED_ONCE, textsAt } from '../transcript/source.ts';
import type { TranscriptText } from '../transcript/text.ts';
import { lastMove } from './reach.ts';
import { storedNotes, withoutStoredNote } from './stored-events.ts';
import { addUsage, countRecord, newTally } from './tally.ts';

interface TurnsInput {
  repository: Repository;
  objects: ObjectStore;
  /** The session so far, or null for a new one. */
  chain: Chain | null;
  agent: string;
  base: string;
  /** Id of the session, new or not. */
  session_id: string;
  /** The task; by default the first prompt. */
  task: string | undefined;
  /** Returns whether a prompt says what it is about; by default none does. */
  isTask?: (prompt: string) => boolean;
  /** The position in the transcript, if it was read before. */
  known?: Source | undefined;
  /** The session that a new one continues: it has what is known of the transcript. */
  before: Session | undefined;
  /** The folder that paths are relative to; by default the one that the agent worked in. */
  root?: string | undefined;
  /** The text that is read: its file has a time for events without one. */
  text: Pick<TranscriptText, 'writtenAt' | 'lineInFile'>;
}

/** The last turn, ready to be written together with the position in the transcript. */
interface LastTurn {
  /** The steps before it. */
  chain: Chain | null;
  session: Session;
  records: StepRecord[];
  at: number;
}

/** Most records of one step. */
const STEP_LIMIT = 1000;

/** Kinds of records beside a conversation: alone they are none. */
const BESIDE: readonly string[] = ['raw', 'overlay'];

/** Takes events one by one and writes each turn as a step; moves no pointer. */
export class Turns {
  readonly tally = newTally();
  readonly #input: TurnsInput;
  /** Read once: the publisher checks whether more was forgotten meanwhile. */
  readonly #forgotten: ForgottenFilter | null;
  /** The notes of the session before any of the transcript's moves. */
  readonly #stored: Stored;
  readonly #timed: ReturnType<typeof timeFiller>;
  #chain: Chain | null;
  #session: Session | null;
  #state: SessionState;
  #about: About = {};
  #usage: TokenUsage | undefined;
  #records: StepRecord[] = [];
  /** Events before the first prompt of a new session. */
  #before: Extract<TranscriptEvent, { type: 'record' }>[] = [];
  #at = 0;
  #moved: number | undefined;
  /** The turn that is over and not yet written: the last one is written with the position in the transcript. */
  #finished: { records: StepRecord[]; at: number } | null = null;

  constructor(input: TurnsInput) {
    this.#input = input;
    this.#forgotten = forgottenFilterOf(input.repository);
    this.#stored = input.chain ? storedNotes(input.repository, input.chain) : {};
    this.#timed = timeFiller(input.text, input.repository.clock);
    this.#chain = input.chain;
    // A copy: whether the events are kept is not decided yet.
    this.#session = input.chain ? { ...input.chain.session } : null;
    this.#state = input.chain?.session.session_state ?? { kind: 'Running' };
    this.#usage = input.chain?.session.usage;
    this.#about = aboutOf(input.chain?.session ?? input.before);
    resumeOpenKeys(input.repository, input.session_id, input.chain);
  }

  take(given: TranscriptEvent): void {
    const event = this.#timed(given);
    switch (event.type) {
      case 'record':
        this.#record(event);
        return;
      case 'prompt':
        this.#prompt(event.goes_on ? this.#begun(event.text) : event.text, event.at, event.call);
        return;
      case 'more':
        this.#more(event);
        return;
      case 'move':
        this.#move(event);
        return;
      case 'turn':
        this.#turn(event.at);
        return;
      case 'about':
        Object.assign(this.#about, event.session);
        return;
      case 'problem':
        this.#problem(event);
    }
  }

  /** Writes the remaining records. @param source the position in the transcript */
  finish(source: Source): Chain | null {
    const last = this.last(source);
    if (last) this.#write(last);
    return this.#chain;
  }

  /**
   * Returns the remaining records, for a step that the caller writes; null if there are none.
   * @param source the position in the transcript
   */
  last(source: Source): LastTurn | null {
    if (!this.#session && this.#before.some(({ body }) => !BESIDE.includes(body.kind))) {
      this.#open(this.#input.task ?? this.#about.title ?? UNTITLED, this.#before[0]?.at ?? this.#at);
    }
    this.#turn(this.#at);
    const last = this.#finished;
    this.#finished = null;
    if (!last || !this.#session) return null;
    const redaction = this.#redaction();
    const others = this.#session.sources.filter(
      (known) => known.agent !== source.agent || known.agent_session_id !== source.agent_session_id,
    );
    const { agent_session_id: _, ...stated } = this.#about;
    const known = Object.fromEntries(
      Object.entries(redaction.value(stated)).filter(([, value]) => value !== undefined),
    );
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    Object.assign(this.#session, { sources: [...others, redaction.value(source)] }, known, usage);
    const parent = parentOf(this.#input.repository, this.#session);
    if (parent !== null) this.#session.parent_session_id = parent;
    return { ...last, chain: this.#chain, session: this.#session };
  }

  #problem({ type: _, ...problem }: Extract<TranscriptEvent, { type: 'problem' }>): void {
    this.tally.problems.push({ ...problem, line: this.#input.text.lineInFile(problem.line) });
  }

  #record(event: Extract<TranscriptEvent, { type: 'record' }>): void {
    this.#at = Math.max(this.#at, event.at);
    if (!this.#session) {
      this.#before.push(event);
      return;
    }
    countRecord(this.tally, event);
    if (event.body.kind === 'usage') this.#usage = addUsage(this.#usage, (event.body as { usage: object }).usage);
    const { repository, objects } = this.#input;
    const redaction = this.#redaction();
    const body = this.#withOwnPath(event.body, redaction);
    const { path } = event.body as { path?: unknown };
    const kept =
      event.content && snapshotContent(event.content, String(path ?? ''), keepingOf(repository, objects, redaction));
    this.#add({ body: { ...body, ...kept?.fields }, content: kept?.content, redaction }, event.at);
  }

  #add(draft: Draft, at: number): void {
    const record = prepareRecord(this.#input.repository, this.#input.objects, at, draft);
    this.#records.push(isReadWhole(record) ? record : { ...record, whole: undefined });
    // An endless turn must not be held whole: it continues in another step.
    if (this.#records.length >= STEP_LIMIT) this.#turn(at);
  }

  /**
   * Returns a record with its path in the stored form: relative to the project that the agent worked in, redacted
   * before it is normalised.
   */
  #withOwnPath(body: AnyBody, redaction: Redaction): AnyBody {
    const { path } = body as { path?: unknown };
    const root = this.#input.root ?? this.#about.cwd ?? (this.#session?.cwd as string | undefined);
    if (!isOfFile(body) || typeof path !== 'string' || !root) return body;
    return { ...body, path: statedPath(path, root, redaction.text) } as AnyBody;
  }

  /** Returns the beginning of a text that continues, without a possible beginning of a secret at its end. */
  #begun(text: string): string {
    return this.#redaction().value({ kind: 'part', part: { type: 'text', text } }).part.text;
  }

  readonly #redaction = (): Redaction => redactionFor(this.#input.repository, this.#forgotten);

  #open(given: string, at: number): void {
    const { session_id, agent, base, before } = this.#input;
    const redaction = this.#redaction();
    const task = redaction.text(given);
    this.#session = newSession(session_id, task, agent, base, at);
    if (before) this.#session.continues = before.session_id;
    this.#add({ body: { kind: 'task', content: task }, redaction }, at);
    for (const event of this.#before.splice(0)) this.#record(event);
  }

  #prompt(text: string, at: number, call?: string): void {
    this.#at = Math.max(this.#at, at);
    if (!this.#session) {
      this.#open(this.#input.task ?? (oneLine(text) === '' ? (this.#about.title ?? UNTITLED) : text), at);
      return;
    }
    if (this.#session.task_description === UNTITLED && oneLine(text) !== '') {
      // The prompt came in a later part of the transcript.
      this.#renewTask(text, at);
    } else if (isUnnamed(this.#session) && this.#input.isTask?.(text)) {
      this.#session = named(this.#session, this.#redaction().text(text));
    }
    const verb = backToRunning(this.#state.kind);
    if (verb && !this.#isPast(at)) this.#apply(verb, text, { at, call });
  }

  /**
   * If a part of the transcript ended within the first prompt, the task is the whole prompt; a later prompt may begin
   * alike.
   */
  #more({ before, text, goes_on, at }: Extract<TranscriptEvent, { type: 'more' }>): void {
    const { task_description: task, counts } = this.#session ?? {};
    if (counts?.messages === 1 && task === this.#redaction().text(this.#begun(before)))
      this.#renewTask(goes_on ? this.#begun(text) : text, at);
  }

  #renewTask(text: string, at: number): void {
    // The turn before must keep the old task.
    if (this.#finished) this.#write(this.#finished);
    this.#finished = null;
    const redaction = this.#redaction();
    const content = redaction.text(text);
    if (this.#session) this.#session.task_description = content;
    this.#add({ body: { kind: 'task', content }, redaction }, at);
  }

  #move({ verb, text, ...move }: Extract<TranscriptEvent, { type: 'move' }>): void {
    this.#at = Math.max(this.#at, move.at);
    const allowed = MOVES.some((each) => each.verb === verb && each.from.includes(this.#state.kind));
    // A move that the table does not have, such as a second interruption, is in the messages all the same.
    if (this.#session && allowed && !this.#isPast(move.at)) this.#apply(verb, text, move);
  }

  /** When the session was last moved, before this reading and by somebody else. */
  get movedBefore(): number {
    this.#moved ??= lastMove(this.#input.objects, this.#input.chain, this.#input.known);
    return this.#moved;
  }

  /** Returns whether an event is older than that: hooks have recorded it, or it was rewritten. */
  #isPast(at: number): boolean {
    return at < this.movedBefore;
  }

  #apply(
    verb: Verb,
    words: string,
    { at, of_tool, call }: { at: number; of_tool?: true; call?: string | undefined },
  ): void {
    const { repository, objects, session_id } = this.#input;
    const redaction = this.#redaction();
    const text = redaction.text(words);
    const ofCall = call === undefined ? {} : { call: redaction.text(call) };
    const planned = { ...planMove(this.#state, verb, text, at), ...(of_tool && { ofTool: of_tool }), ...ofCall };
    const plan = withoutStoredNote(repository, this.#stored, planned, text, call);
    this.#records.push(...moveRecords(repository, objects, session_id, plan, at, redaction, () => this.#redaction()));
    this.#state = plan.to;
  }

  #turn(at: number): void {
    this.#at = Math.max(this.#at, at);
    if (this.#records.length === 0) return;
    if (this.#finished) this.#write(this.#finished);
    this.#finished = { records: this.#records, at: this.#at };
    this.#records = [];
  }

  #write({ records, at }: Pick<LastTurn, 'records' | 'at'>): void {
    if (!this.#session) return;
    this.#chain = writeStep(this.#input.objects, { chain: this.#chain, session: this.#session, records, at });
    this.#session = this.#chain.session;
    this.tally.steps += 1;
  }
}

/**
 * Returns whether a record is read whole before its step is written: moves, and the user's words. What the agent and
 * its tools say may be a hundred megabytes in a turn.
 */
function isReadWhole({ record }: StepRecord): boolean {
  return isKind(record, 'message') ? record.message.role === 'user' : !['raw', 'part', 'command'].includes(record.kind);
}

/** Fields that session.json keeps of a transcript's statements about the whole session. */
const KEPT_OF_ABOUT = [
  ...STATED_ONCE,
  ...(['title', 'parent_agent_session_id', 'parent_tool_call_id', 'sub_agent_type'] as const),
];

/** Returns what a session knows of its transcript: a resumed reader states only what is new. */
function aboutOf(session: Session | undefined): About {
  return session ? textsAt(session, KEPT_OF_ABOUT) : {};
}

/**
 * Gives events without a time that of their transcript: they happened before the file was last written. The clock that
 * wrote the file may be fast, but nothing has happened later than now.
 */
function timeFiller(text: Pick<TranscriptText, 'writtenAt'>, clock: Clock) {
  let time: number | undefined;
  return (event: TranscriptEvent): TranscriptEvent => {
    if (!('at' in event) || event.at > 0) return event;
    // Everything that is read in one pass has one time, though the file may grow meanwhile.
    time ??= Math.min(text.writtenAt(), clock());
    if (event.type !== 'record') return { ...event, at: time };
    return { ...event, at: time, body: created(event.body, time) };
  };
}

/** Sets the time of a message, which a message has in its metadata. */
function created(body: AnyBody, at: number): AnyBody {
  if (!isMessage(body)) return body;
  return { ...body, message: { ...body.message, metadata: { ...body.message.metadata, created_at: at } } };
}

const isMessage = (body: AnyBody): body is Extract<AnyBody, { kind: 'message'; message: object }> =>
  body.kind === 'message';
