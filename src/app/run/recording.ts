/** Records one run: each chunk is in the log as it comes, and the log becomes the message when the run ends. */
import type { FoldedMessage } from '../../core/conversation/conversation.ts';
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonObject, numberOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { type Chunk, isChunk, OWN_CHUNK } from '../../core/run/chunk.ts';
import { endOfRun, failureOf, type LogNote } from '../../core/run/log.ts';
import { afterEvent, type RunEvent, type RunState } from '../../core/run/states.ts';
import { uiPart } from '../../core/run/stored-part.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { removeLog } from '../../history/runs/chunk-log.ts';
import { type LiveRun, liveRuns, runFiles, type StoredStatus } from '../../history/runs/run-status.ts';
import { settleInto } from '../../history/settle-run.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { writeDurably } from '../../platform/files.ts';
import { GrowingFile } from '../../platform/growing-file.ts';
import { redactionFor } from '../redaction/redact.ts';
import { ChunkRedactor } from '../redaction/redact-chunk.ts';
import { addRecord } from '../session/observe.ts';
import { type Aborter, askToAbort, type RunSocket } from './run-socket.ts';

/** The end of a run that was recorded. */
export interface RecordResult {
  session_id: string;
  /** The last message that was recorded; null if there was none. */
  message_id: string | null;
  state: RunState;
  chunks: number;
}

/** The conversation that a run continues, as far as it is needed. */
export interface Continued {
  /** The ids of its messages. */
  ids: ReadonlySet<string>;
  /** Its last message, which the run may continue; null if it is none of the assistant's that ctx recorded. */
  last: FoldedMessage | null;
  /** Reads a part of it, with its long texts. */
  read: (part: Part, step: number) => Part;
  /** Metadata that an answer begins with. */
  metadata: JsonObject;
}

export interface Beginning {
  run: string;
  session_id: string;
  continued: Continued;
  /** The id of the first message; null for the one that its chunks give. */
  as: string | null;
  sync: boolean;
  parent: string | null;
  call: string | null;
  boot: string;
  release: () => void;
}

/** After so long an aborted run is ended, whatever its program does; in milliseconds. */
const ABORT_GRACE = 500;

export class Recording {
  readonly session_id: string;
  /** Aborted when the run is: to be given to the model and to every tool. */
  readonly signal: AbortSignal;
  readonly #repository: Repository;
  readonly #beginning: Beginning;
  readonly #log: GrowingFile;
  readonly #redactor: ChunkRedactor;
  readonly #controller = new AbortController();
  #socket: RunSocket | null = null;
  #status: StoredStatus;
  #message: string | null = null;
  /** True if the last message has had its end, so that another start begins another message. */
  #isEnded = false;
  #cursor: string | null = null;
  #failed: string | null = null;
  #chunks = 0;
  #ending: RecordResult | null = null;

  constructor(repository: Repository, beginning: Beginning) {
    this.#repository = repository;
    this.#beginning = beginning;
    this.session_id = beginning.session_id;
    this.signal = this.#controller.signal;
    this.#redactor = new ChunkRedactor(repository);
    this.#log = new GrowingFile(this.#files.log, repository.durability, beginning.sync);
    this.#status = {
      run: beginning.run,
      state: 'starting',
      attempt: null,
      message: null,
      started_at: repository.clock() * 1000,
      pid: process.pid,
      boot: beginning.boot,
      socket: null,
      child: null,
      parent: beginning.parent,
      call: beginning.call,
    };
    this.#append([{ ctx: 'run', id: beginning.run, session_id: this.session_id, at: repository.clock() }]);
    this.#writeStatus();
  }

  get #files() {
    return runFiles(this.#repository.layout, this.session_id);
  }

  /** The id of the message that is recorded now; null before its first chunk. */
  get message_id(): string | null {
    return this.#message;
  }

  get state(): RunState {
    return this.#status.state;
  }

  /** Gives the run the socket that its readers connect to. */
  attach(socket: RunSocket): void {
    this.#socket = socket;
    this.#status = { ...this.#status, socket: socket.path };
    this.#writeStatus();
  }

  /** Says which process is recorded. */
  noteChild(child: StoredStatus['child']): void {
    this.#status = { ...this.#status, child };
    this.#writeStatus();
  }

  /**
   * Records chunks, in the order in which they came: each is in the log when this returns.
   * @throws {CtxError} invalid_input, if one is none; no_such_move, if the run has ended; io
   */
  write(...chunks: readonly unknown[]): void {
    if (this.#ending) throw new CtxError('no_such_move', 'The run has ended.', { hint: 'Record another run.' });
    const lines: (Chunk | LogNote)[] = [];
    for (const chunk of chunks) {
      if (!isChunk(chunk))
        throw new CtxError('invalid_input', 'A chunk is an object with a "type": a UIMessageChunk of the AI SDK.');
      lines.push(...(this.#takeOwn(chunk) ? this.#redactor.redact(chunk) : this.#linesOf(chunk)));
      this.#chunks += 1;
    }
    this.#append(lines);
    this.#socket?.notify();
  }

  /** Records what one step used, as the AI SDK reports it when the step is finished: nothing else is counted. */
  step(step: { usage?: unknown; cost_usd?: number | undefined; model?: string | undefined }): void {
    this.write({ type: OWN_CHUNK.step, transient: true, data: { ...step } });
  }

  /** Says that the call of the model has failed for a moment, and is tried again. */
  retrying(attempt: number, message: string): void {
    this.write({ type: OWN_CHUNK.status, transient: true, data: { state: 'retrying', attempt, message } });
  }

  /** Notes where the provider continues. */
  cursor(cursor: string): void {
    this.write({ type: OWN_CHUNK.cursor, transient: true, data: { cursor } });
  }

  /** Says that the run has failed, if its stream does not say so itself. */
  fail(message: string): void {
    this.#failed = message;
  }

  /** The runs in flight of the sub-agents that this run has started. */
  subRuns(): LiveRun[] {
    return liveRuns(this.#repository).filter(({ status }) => status?.parent === this.session_id);
  }

  /**
   * Aborts the run, and every run of its sub-agents. Its message stays as it is; a run that does not end by itself is ended soon.
   * @param by its user, or the run that has started it
   */
  abort(by: Aborter = 'user'): void {
    if (this.#ending || this.signal.aborted) return;
    const children = this.subRuns();
    const calls = children.flatMap(({ status }) => status?.call ?? []);
    this.#append([{ ctx: 'stop', by, calls }]);
    for (const child of children) void askToAbort(socketOf(child), 'parent');
    this.#controller.abort(new Error(by === 'parent' ? 'aborted by parent' : 'aborted'));
    setTimeout(() => this.end(), ABORT_GRACE).unref();
  }

  /**
   * Ends the run: what came of its message is a record of the chain from now on. To call it again does nothing.
   * @throws {CtxError} damaged, io; the log stays then, and the next change of the store saves it
   */
  end(): RecordResult {
    if (this.#ending) return this.#ending;
    this.#ending = { session_id: this.session_id, message_id: this.#message, state: 'idle', chunks: this.#chunks };
    try {
      const { counts } = this.#redactor;
      const redacted: LogNote[] = Object.keys(counts).length > 0 ? [{ ctx: 'redacted', counts: { ...counts } }] : [];
      this.#append([...this.#redactor.rest(), ...redacted]);
      this.#log.sync();
      const { event, failure } = this.#settle();
      this.#move(this.#failed === null ? event : 'fail', this.#failed ?? failure);
      this.#ending.state = this.#status.state;
      return this.#ending;
    } finally {
      this.#log.close();
      this.#beginning.release();
      this.#socket?.close();
    }
  }

  /** Makes the log a step of the chain; returns how the run ended, with the words of the error if it failed. */
  #settle(): { event: RunEvent; failure: string | null } {
    const repository = this.#repository;
    const ref = sessionRef(this.session_id);
    const change = { command: 'record', message: 'record', logged: true, run: this.#beginning.run };
    let ended: { event: RunEvent; failure: string | null } = { event: 'stop', failure: null };
    try {
      transact(repository, change, (transaction) => {
        const head = transaction.read(ref);
        if (head === null) return;
        const settled = settleInto(
          repository,
          { head, ref },
          (body) => redactionFor(repository).value(body),
          (run) => this.#cursorAfter(endOfRun(run)),
        );
        if (!settled) return;
        ended = { event: endOfRun(settled.run), failure: failureOf(settled.run) };
        transaction.move(ref, head, settled.chain.head);
        transaction.afterwards(settled.clean);
        transaction.afterwards(() => removeLog(repository, this.session_id));
      });
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
      repository.notices.push('The store is busy: what was recorded is saved with the next change.');
    }
    return ended;
  }

  #cursorAfter(event: RunEvent): object {
    if (this.#cursor === null) return {};
    const turn = event === 'finish' && this.#message !== null ? { message_id: this.#message } : {};
    return { resume_cursor: { cursor: this.#cursor, at: this.#repository.clock(), ...turn } };
  }

  /** Takes in a chunk that is for ctx alone; returns whether it is one. */
  #takeOwn({ type, data }: Chunk): boolean {
    if (!type.startsWith('data-ctx-') || !isObject(data)) return false;
    if (type === OWN_CHUNK.cursor && typeof data['cursor'] === 'string')
      this.#cursor = redactionFor(this.#repository).text(data['cursor']);
    if (type === OWN_CHUNK.status && data['state'] === 'retrying')
      this.#move('retry', textOf(data['message']) ?? null, numberOf(data['attempt']) ?? null);
    return Object.values<string>(OWN_CHUNK).includes(type);
  }

  /** The lines of the log for a chunk: with what begins its message before it, if it is the first. */
  #linesOf(chunk: Chunk): (Chunk | LogNote)[] {
    const begins = this.#message === null || (this.#isEnded && chunk.type === 'start');
    const notes = begins ? [this.#beginMessage(chunk)] : [];
    if (this.#status.state !== 'busy') this.#move('chunk');
    if (['finish', 'abort', 'error'].includes(chunk.type)) this.#isEnded = true;
    return [...notes, ...this.#redactor.redact(chunk)];
  }

  /** Begins a message, or continues the last one of the conversation. */
  #beginMessage(chunk: Chunk): LogNote {
    const { continued, as } = this.#beginning;
    const given = this.#message === null && as !== null ? as : textOf(chunk['messageId']);
    const isNext = this.#message !== null;
    this.#isEnded = false;
    const { last } = continued;
    if (last && !isNext && last.id === given) {
      this.#message = last.id;
      const seq = last.parts.reduce((most, part) => Math.max(most, part.seq), -1) + 1;
      const parts = last.parts.map(({ part, step }) => uiPart(continued.read(part, step)));
      return { ctx: 'message', id: last.id, seq, parts, keys: last.parts.map(({ key }) => key), metadata: {} };
    }
    const isFree = given !== undefined && given !== '' && !continued.ids.has(given) && given !== this.#message;
    const id = isFree ? given : this.#repository.ids();
    const metadata: JsonObject = {
      ...continued.metadata,
      ...(isNext ? { parent_id: this.#message } : {}),
      created_at: this.#repository.clock(),
      recorded_by: 'ctx',
    };
    const message = { id, role: 'assistant' as const, parts: [], metadata };
    addRecord(this.#repository, this.session_id, () => ({ body: { kind: 'message', message } }));
    this.#message = id;
    return { ctx: 'message', id, seq: 0, metadata };
  }

  #append(lines: readonly (Chunk | LogNote)[]): void {
    if (lines.length > 0) this.#log.append(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }

  #move(event: RunEvent, message: string | null = null, attempt: number | null = null): void {
    const state = afterEvent(this.#status.state, event);
    if (state === null) return;
    const said = message === null ? null : redactionFor(this.#repository).text(message);
    this.#status = { ...this.#status, state, message: said, attempt };
    this.#writeStatus();
  }

  #writeStatus(): void {
    const { status } = this.#files;
    const content = `${JSON.stringify(this.#status)}\n`;
    writeDurably(status, `${status}.${this.#beginning.run}.tmp`, content, { fsync: false });
  }
}

export const socketOf = ({ status }: LiveRun): string | null => status?.socket ?? null;
