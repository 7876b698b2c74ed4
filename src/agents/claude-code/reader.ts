/** Reads a Claude Code transcript line by line and passes each record to the part of the reader that handles it. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Beside, Resume, TranscriptEvent, TranscriptReader } from '../contract/agent.ts';
import { callsForCursor } from '../shared/basic-cursor.ts';
import { Conversation } from '../shared/conversation.ts';
import { fingerprint, idOf, timeOf } from '../shared/fields.ts';
import { Outbox, UNKNOWN_TIME } from '../shared/outbox.ts';
import { endOfPast } from '../shared/past.ts';
import { Turn } from '../shared/turn.ts';
import { isBoundary } from './boundary.ts';
import { Branches } from './branches.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { promptBeside, type Surroundings } from './fields.ts';
import { Messages } from './messages.ts';
import { Queue } from './queue.ts';
import { readRecords } from './record.ts';
import { RewrittenMessages } from './rewritten-messages.ts';
import { Session } from './session.ts';
import { textOfUser } from './user-words.ts';

/** The number of messages whose counted tokens a cursor holds: the next line may belong to one of them. */
const COUNTED_LIMIT = 64;

/** Records with which the program says that a turn is over. */
const ENDINGS: readonly unknown[] = ['turn_duration', 'stop_hook_summary'];

/** The reader of a transcript. */
export class ClaudeCodeReader implements TranscriptReader {
  readonly #outbox = new Outbox();
  readonly #branches: Branches;
  readonly #conversation: Conversation;
  readonly #turn: Turn;
  readonly #session: Session;
  readonly #queue: Queue;
  readonly #messages: Messages;
  readonly #around: Surroundings;
  readonly #isRewritten: boolean;
  readonly #beside: Beside | undefined;
  /** Number of the last line of the past. */
  readonly #past: number;
  /** The known lines of a rewritten file that were read: a copy of one is kept, too, but means nothing. */
  readonly #gone = new Set<string>();
  #at: number;
  /** The time of the record before. */
  #before: number;
  #isAgentFile: boolean;
  /** True if a message was read: the first one shows whether the file is a sub-agent's own. */
  #hasBegun: boolean;

  constructor(resume: Resume | null, beside?: Beside) {
    this.#beside = beside;
    const cursor = readCursor(resume?.cursor ?? null);
    const isRewritten = resume?.rewritten === true;
    this.#isRewritten = isRewritten;
    this.#at = isRewritten ? UNKNOWN_TIME : cursor.at;
    this.#before = this.#at;
    this.#isAgentFile = cursor.is_agent_file;
    this.#hasBegun = cursor.last !== null || cursor.leaf !== null;
    this.#around = new Map(isRewritten ? [] : cursor.around);
    this.#branches = new Branches(this.#outbox, resume, cursor);
    this.#conversation = new Conversation(this.#outbox, cursor.seq);
    const texts = (): readonly string[] => this.#branches.kept()?.said ?? [];
    const earlier = isRewritten ? null : { message: cursor.speaker, texts };
    this.#turn = new Turn(this.#outbox, cursor.state, cursor.asking, earlier);
    this.#session = new Session(cursor.about, (session) => this.#outbox.put({ type: 'about', session }));
    this.#queue = new Queue(isRewritten ? [] : cursor.queue);
    // A call that was missing may come now, ahead of its result.
    const told = isRewritten ? { prompt: null, early: cursor.early } : cursor;
    this.#messages = new Messages(this.#parts(), this.#around, told);
    if (!isRewritten) this.#takeUp(cursor);
    this.#past = this.#endOfPast(resume);
  }

  #parts() {
    const [outbox, branches] = [this.#outbox, this.#branches];
    const [conversation, turn, session, queue] = [this.#conversation, this.#turn, this.#session, this.#queue];
    const rewritten = this.#isRewritten ? new RewrittenMessages({ outbox, branches, conversation }) : null;
    return { outbox, branches, conversation, turn, session, queue, rewritten };
  }

  #takeUp(cursor: Cursor): void {
    for (const call of cursor.calls) this.#conversation.expect(call);
    for (const [id, tokens] of cursor.counted) {
      this.#conversation.counted.set(id, tokens);
      this.#conversation.know(id);
    }
    for (const id of [cursor.leaf_message, cursor.last]) if (id !== null) this.#conversation.know(id);
  }

  /** Returns the end of the past, by lines with an id: the program writes its other notes again and again. */
  #endOfPast(resume: Resume | null): number {
    const kept = this.#isRewritten ? this.#branches.kept()?.lines : undefined;
    return endOfPast(resume, kept ?? new Map(), (line) =>
      readRecords(line).records.flatMap((record) => idOf(record['uuid']) ?? []),
    );
  }

  line(text: string, number: number): TranscriptEvent[] {
    const { records, problem, rest } = readRecords(text);
    this.#turn.isPast = number <= this.#past;
    this.#branches.isPast = this.#turn.isPast;
    for (const [index, record] of records.entries()) this.#record(record, number, index);
    if (problem !== null) this.#problem(problem, rest, number);
    this.#outbox.weigh(text.length);
    return this.#outbox.take();
  }

  #problem(message: string, rest: string | null, line: number): void {
    this.#outbox.isQuiet = rest !== null && this.#isKnown(undefined, rest);
    if (rest !== null) this.#outbox.record(this.#at, { kind: 'raw', agent: 'claude-code', line, text: rest });
    this.#outbox.isQuiet = false;
    this.#outbox.problem(line, message, rest);
  }

  /** Returns whether a line of a file that was rewritten is kept from before. */
  #isKnown(id: string | undefined, text: string): boolean {
    const kept = this.#isRewritten ? this.#branches.kept() : null;
    if (!kept) return false;
    return kept.find(id ?? fingerprint(text));
  }

  #record(record: JsonObject, line: number, index: number): void {
    const at = timeOf(record);
    if (at !== undefined && this.#at === UNKNOWN_TIME) this.#outbox.setTimes(at);
    this.#before = this.#at === UNKNOWN_TIME && at !== undefined ? at : this.#at;
    if (at !== undefined) this.#at = at;
    const id = idOf(record['uuid']);
    const isKnown = this.#isRewritten && this.#isKnown(id, id === undefined ? JSON.stringify(record) : '');
    if (isKnown && id !== undefined) {
      if (this.#gone.has(id)) return;
      this.#gone.add(id);
    }
    this.#outbox.isQuiet = isKnown;
    if (!isKnown && this.#branches.has(record)) this.#raw(record, line, { repeats: id ?? null });
    else this.#meaning(record, line, index === 0 ? `line-${line}` : `line-${line}.${index + 1}`);
    this.#outbox.isQuiet = false;
  }

  #raw(record: JsonObject, line: number, extra: JsonObject = {}): void {
    const type = textOf(record['type']) ?? 'unknown';
    this.#outbox.record(this.#at, { kind: 'raw', agent: 'claude-code', type, line, ...extra, data: record });
  }

  #meaning(record: JsonObject, line: number, lineId: string): void {
    const type = record['type'];
    const message = objectOf(record['message']);
    const isMessage = (type === 'user' || type === 'assistant') && message !== undefined;
    const agentId = idOf(record['agentId']);
    if (isMessage && !this.#hasBegun) this.#isAgentFile = record['isSidechain'] === true && agentId !== undefined;
    this.#session.hear(record, this.#isAgentFile || !this.#hasBegun ? this.#ownAgent(record) : undefined);
    if (isMessage) {
      this.#hasBegun = true;
      const isSide = record['isSidechain'] === true && !this.#isAgentFile;
      const at = this.#at;
      const place = { at, before: this.#before, lineId: idOf(record['uuid']) ?? lineId };
      const spoken = { record, message, ...place, isSide, agentId, carrier: undefined };
      if (!this.#messages.take(spoken)) {
        this.#branches.add(record, null, at);
        this.#raw(record, line, { repeats: idOf(message['id']) ?? null });
      }
      return;
    }
    this.#branches.add(record, null, this.#at);
    if (type === 'progress' && this.#progress(record, lineId)) return;
    this.#raw(record, line);
    if (type === 'system') this.#system(record);
    if (type === 'attachment') this.#attachment(record);
    if (type === 'queue-operation') this.#cutsIn(this.#queue.take(record, this.#at));
  }

  /** Returns the id of the sub-agent that a record belongs to, in a file of its own. */
  #ownAgent(record: JsonObject): string | undefined {
    return record['isSidechain'] === true ? idOf(record['agentId']) : undefined;
  }

  /** Reads a message of a sub-agent inside a progress record; a message that is also in its own transcript is kept as a raw record. */
  #progress(record: JsonObject, lineId: string): boolean {
    const data = objectOf(record['data']);
    const spoken = objectOf(data?.['message']);
    const message = objectOf(spoken?.['message']);
    const type = spoken?.['type'];
    if (!data || !spoken || !message || (type !== 'user' && type !== 'assistant')) return false;
    const id = idOf(spoken['uuid']);
    const agentId = idOf(data['agentId']);
    if (agentId !== undefined && this.#beside?.hasTranscriptOf(agentId)) return false;
    if (this.#branches.has({ uuid: id, parentUuid: record['uuid'] }) && !this.#outbox.isQuiet) return false;
    const prompt = this.#isPromptOfCall(record, data) ? undefined : promptBeside(data, message, this.#around);
    return this.#messages.take({
      record: spoken,
      message,
      at: timeOf(spoken) ?? this.#at,
      before: this.#before,
      lineId: id ?? lineId,
      isSide: true,
      agentId,
      carrier: carrierOf(record, data, prompt),
    });
  }

  /** Returns whether the prompt that a progress record repeats is in the call that it belongs to. */
  #isPromptOfCall(record: JsonObject, { prompt }: JsonObject): boolean {
    const call = this.#conversation.call(idOf(record['parentToolUseID']) ?? '');
    if (!call || prompt === undefined) return false;
    // A cursor has no room for the input of every call.
    const part = call.part ?? this.#branches.kept()?.openCall(call.id)?.part;
    return objectOf(part?.input)?.['prompt'] === prompt;
  }

  #system(record: JsonObject): void {
    if (isBoundary(record)) this.#branches.compact(record, this.#at);
    else this.#branches.prune(record, this.#at);
    if (ENDINGS.includes(record['subtype']) && record['isSidechain'] !== true) this.#turn.ends(this.#at);
  }

  /** Handles words of the user that the agent takes up while it is at work. */
  #cutsIn(text: string): void {
    if (text !== '') this.#turn.cutsIn(this.#at, text);
  }

  /** Reads an attachment with words of the user that came while the agent was at work. */
  #attachment(record: JsonObject): void {
    const attachment = objectOf(record['attachment']);
    if (attachment?.['type'] !== 'queued_command' || record['isSidechain'] === true) return;
    const mode = textOf(attachment['commandMode']);
    if (mode !== undefined && mode !== 'prompt') return;
    const prompt = attachment['prompt'];
    const blocks: JsonValue[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : [prompt ?? null].flat();
    const said = textOfUser({ origin: attachment['origin'] }, blocks);
    if (said.kind === 'prompt' && this.#queue.attached(said.text, this.#at)) this.#cutsIn(said.text);
  }

  end(): TranscriptEvent[] {
    this.#turn.isPast = false;
    this.#messages.finishAll(Math.max(this.#at, 0));
    return this.#outbox.take();
  }

  cursor(): JsonValue {
    const cursor: Cursor = {
      version: 1,
      at: this.#at,
      ...this.#branches.place,
      seq: this.#conversation.seq,
      state: this.#turn.state,
      speaker: this.#turn.speaker,
      asking: this.#turn.asking,
      prompt: this.#messages.prompt,
      early: this.#messages.early,
      calls: callsForCursor(this.#conversation.openCalls),
      queue: this.#queue.known,
      counted: [...this.#conversation.counted].slice(-COUNTED_LIMIT),
      around: [...this.#around],
      about: this.#session.known,
      is_agent_file: this.#isAgentFile,
    };
    return JSON.parse(JSON.stringify(cursor)) as JsonValue;
  }
}

/**
 * Returns the record around a sub-agent's message, without the message and its copies.
 * @param prompt the prompt of the sub-agent, if nothing else contains it
 */
function carrierOf(record: JsonObject, data: JsonObject, prompt: JsonValue | undefined): JsonObject {
  const { message: _message, agentId: _agentId, prompt: _prompt, normalizedMessages, ...rest } = data;
  const copies = Array.isArray(normalizedMessages) && normalizedMessages.length > 0 ? { normalizedMessages } : {};
  const kept = ['uuid', 'parentUuid', 'timestamp', 'toolUseID', 'parentToolUseID', 'cwd'];
  const own = Object.fromEntries(kept.filter((key) => record[key] !== undefined).map((key) => [key, record[key]]));
  return { ...own, data: { ...rest, ...copies, ...(prompt !== undefined && { prompt }) } };
}
